package doctor

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxRedisLine bounds a line of an answer; those that are asked for here have a
// few dozen characters.
const maxRedisLine = 1024

// errRedisAnswer says that something other than Redis answers.
var errRedisAnswer = errors.New("the answer is not Redis'")

// redisError is an error by Redis: its code alone, since the text may repeat
// what was sent, the password included.
type redisError string

func (e redisError) Error() string { return "Redis answers " + string(e) }

// Redis checks that the Redis at address (redis://, rediss:// or unix://)
// answers and takes the password. An empty address is skipped.
func Redis(address string) Check {
	return Check{Name: "redis", Run: func(ctx context.Context) Finding {
		if address == "" {
			return skip("REDIS_URL is not set: checkpoints are kept in PostgreSQL")
		}
		target, err := parseRedis(address)
		if err != nil {
			return fail(err.Error(), "Set REDIS_URL to redis://user:password@host:6379/0, or leave it empty.")
		}
		began := time.Now()
		err = target.ping(ctx)
		refused, isRefusal := errors.AsType[redisError](err)
		switch {
		case isRefusal && (refused == "NOAUTH" || refused == "WRONGPASS" || refused == "NOPERM"):
			return fail(reason(err)+": user or password are wrong", "Correct user and password in REDIS_URL.")
		case isRefusal:
			return fail(reason(err), "See Redis' log. A password in REDIS_URL that Redis does not ask for is refused as well.")
		case err != nil:
			return fail(reason(err), "Check REDIS_URL, and that Redis runs and lets this machine in.")
		}
		return ok("answers within " + time.Since(began).Round(time.Millisecond).String())
	}}
}

// redisTarget is where a Redis is and how it is spoken to.
type redisTarget struct {
	network, address string
	host             string // of the certificate; empty: no TLS
	commands         [][]string
}

func parseRedis(raw string) (redisTarget, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return redisTarget{}, errors.New("REDIS_URL is not a URL") // the cause would repeat it, with the password
	}
	t := redisTarget{network: "tcp"}
	db := strings.Trim(u.Path, "/")
	switch u.Scheme {
	case "unix":
		t.network, t.address, db = "unix", u.Path, u.Query().Get("db")
	case "redis", "rediss":
		port := u.Port()
		if port == "" {
			port = "6379"
		}
		t.address = net.JoinHostPort(u.Hostname(), port)
		if u.Scheme == "rediss" {
			t.host = u.Hostname()
		}
	default:
		return redisTarget{}, errors.New("REDIS_URL is neither redis:// nor rediss:// nor unix://")
	}
	if password, set := u.User.Password(); set {
		auth := []string{"AUTH"}
		if u.User.Username() != "" {
			auth = append(auth, u.User.Username())
		}
		t.commands = append(t.commands, append(auth, password))
	}
	if db != "" && db != "0" {
		if _, err := strconv.ParseUint(db, 10, 16); err != nil {
			return redisTarget{}, errors.New("REDIS_URL does not end in the number of a database")
		}
		t.commands = append(t.commands, []string{"SELECT", db})
	}
	t.commands = append(t.commands, []string{"PING"})
	return t, nil
}

// ping says hello and waits for the answer, one command after the other.
func (t redisTarget) ping(ctx context.Context) error {
	conn, err := t.dial(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }() // there is nothing to lose
	if deadline, has := ctx.Deadline(); has {
		if err := conn.SetDeadline(deadline); err != nil {
			return fmt.Errorf("set deadline: %w", err)
		}
	}
	in := bufio.NewReaderSize(conn, maxRedisLine)
	for _, command := range t.commands {
		if _, err := io.WriteString(conn, encodeRedis(command)); err != nil {
			return fmt.Errorf("send %s: %w", command[0], err)
		}
		if err := readRedis(in); err != nil {
			if e, timeout := errors.AsType[net.Error](err); timeout && e.Timeout() {
				err = context.DeadlineExceeded
			}
			return fmt.Errorf("%s: %w", command[0], err)
		}
	}
	return nil
}

func (t redisTarget) dial(ctx context.Context) (net.Conn, error) {
	if t.host == "" {
		return new(net.Dialer).DialContext(ctx, t.network, t.address)
	}
	d := tls.Dialer{Config: &tls.Config{ServerName: t.host, MinVersion: tls.VersionTLS12}}
	return d.DialContext(ctx, t.network, t.address)
}

// encodeRedis is a command in RESP: an array of bulk strings.
func encodeRedis(command []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(command))
	for _, word := range command {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(word), word)
	}
	return b.String()
}

// readRedis reads a simple answer in RESP: nil for "+OK" and its like, a
// redisError for "-…".
func readRedis(in *bufio.Reader) error {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return errRedisAnswer
	}
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	text, isLine := strings.CutSuffix(string(line), "\r\n")
	switch {
	case isLine && strings.HasPrefix(text, "+"):
		return nil
	case isLine && strings.HasPrefix(text, "-"):
		code, _, _ := strings.Cut(text[1:], " ")
		if code == "" || strings.ToUpper(code) != code || strings.ContainsFunc(code, func(r rune) bool { return r < 'A' || r > 'Z' }) {
			code = "an error"
		}
		return redisError(code)
	default:
		return errRedisAnswer
	}
}
