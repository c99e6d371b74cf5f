package doctor

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// Redis returns a check that the Redis at address (redis://, rediss:// or unix://) answers and
// accepts the password. With an empty address it is skipped.
func Redis(address string) Check {
	return Check{Name: "redis", Run: func(ctx context.Context) Finding {
		if address == "" {
			return skip("REDIS_URL is not set: checkpoints are kept in PostgreSQL")
		}
		opt, err := redisOption(address)
		if err != nil {
			return fail(err.Error(), "Set REDIS_URL to redis://user:password@host:6379/0, or leave it empty.")
		}
		began := time.Now()
		err = pingRedis(ctx, opt)
		refusal, refused := rueidis.IsRedisErr(err)
		switch code := redisCode(refusal); {
		case refused && (code == "NOAUTH" || code == "WRONGPASS" || code == "NOPERM"):
			return fail("Redis answers "+code+": user or password are wrong", "Correct user and password in REDIS_URL.")
		case refused:
			return fail("Redis answers "+code, "See Redis' log, and the user and the number of the database in REDIS_URL.")
		case err != nil:
			return fail(reason(err), "Check REDIS_URL, and that Redis runs and lets this machine in.")
		}
		return ok("answers within " + time.Since(began).Round(time.Millisecond).String())
	}}
}

// redisOption parses the address. Its errors do not repeat it, since it may hold a password.
func redisOption(address string) (rueidis.ClientOption, error) {
	u, err := url.Parse(address)
	if err != nil {
		return rueidis.ClientOption{}, errors.New("REDIS_URL is not a URL")
	}
	switch u.Scheme {
	case "redis", "rediss":
		u.Path = strings.TrimRight(u.Path, "/") // "redis://host/" means the same as "redis://host"
	case "unix":
	default:
		return rueidis.ClientOption{}, errors.New("REDIS_URL is neither redis:// nor rediss:// nor unix://")
	}
	opt, err := rueidis.ParseURL(u.String())
	if err != nil {
		return rueidis.ClientOption{}, errors.New("REDIS_URL does not end in the number of a database")
	}
	opt.ForceSingleClient, opt.DisableRetry, opt.DisableCache = true, true, true
	return opt, nil
}

func pingRedis(ctx context.Context, opt rueidis.ClientOption) error {
	if deadline, has := ctx.Deadline(); has {
		opt.Dialer.Timeout = time.Until(deadline)
	}
	client, err := rueidis.NewClient(opt)
	if client != nil {
		defer client.Close()
	}
	if err == nil {
		err = client.Do(ctx, client.B().Ping().Build()).Error()
	}
	if e, timeout := errors.AsType[net.Error](err); timeout && e.Timeout() {
		return context.DeadlineExceeded
	}
	return err
}

// redisCode returns the code of an error by Redis if it is a known one, and "with an error"
// otherwise. The rest of the text may repeat the request, with the password.
func redisCode(err *rueidis.RedisError) string {
	if err == nil {
		return ""
	}
	code, _, _ := strings.Cut(err.Error(), " ")
	if slices.Contains([]string{"NOAUTH", "WRONGPASS", "NOPERM", "LOADING", "MISCONF", "DENIED"}, code) {
		return code
	}
	return "with an error"
}
