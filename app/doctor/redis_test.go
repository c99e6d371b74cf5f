package doctor

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store/checkpoint/redistest"
)

func TestRedis(t *testing.T) {
	t.Parallel()
	s := redistest.New(t)
	s.Do(t, "ACL", "SETUSER", "naiber", "on", ">hunter2", "~*", "+@all")
	s.Do(t, "ACL", "SETUSER", "nobody", "on", ">hunter2", "-@all")
	for _, tt := range []struct {
		name, before, after string // of the address
		want                want
	}{
		{"open", "", "", want{OK, "answers"}},
		{"with a slash", "", "/", want{OK, "answers"}},
		{"with user and database", "naiber:hunter2@", "/3", want{OK, "answers"}},
		{"wrong password", "naiber:hunter3@", "", want{Fail, "WRONGPASS|wrong"}},
		{"without permission", "nobody:hunter2@", "", want{Fail, "NOPERM|wrong"}},
		{"a password that is not asked for", ":hunter2@", "", want{OK, "answers"}},
		{"no such database", "", "/99", want{Fail, "Redis answers with an error|database"}},
	} {
		tt.want.check(t, find(t, Redis("redis://"+tt.before+s.Addr()+tt.after)), "hunter2", "hunter3")
	}
	s.Do(t, "CONFIG", "SET", "requirepass", "hunter2")
	want{Fail, "NOAUTH|wrong|REDIS_URL"}.check(t, find(t, Redis(s.URL())))
	want{OK, "answers"}.check(t, find(t, Redis("redis://:hunter2@"+s.Addr()+"/0")))
	s.Freeze(t)
	defer s.Thaw(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	want{Fail, "no answer in time"}.check(t, Redis(s.URL()).Run(ctx))
}

func TestRedisOutOfReach(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	hangsUp, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hangsUp.Close() }()
	go func() {
		for {
			conn, err := hangsUp.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	for _, tt := range []struct {
		name, url string
		want      want
	}{
		{"none", "", want{Skip, "PostgreSQL"}},
		{"nobody listens", strings.Replace(closed(), "http://", "redis://:hunter2@", 1), want{Fail, "refused|REDIS_URL"}},
		{"hangs up", "redis://:hunter2@" + hangsUp.Addr().String(), want{Fail, "REDIS_URL"}},
		{"not Redis", strings.Replace(web.URL, "http://", "redis://:hunter2@", 1), want{Fail, "REDIS_URL"}},
		{"not an address", "redis://:hunter2@%", want{Fail, "not a URL"}},
		{"another service", "http://:hunter2@h", want{Fail, "neither"}},
		{"no number of a database", "redis://:hunter2@h/hunter2", want{Fail, "number"}},
		{"no such socket", "unix:///nowhere/redis.sock?db=2", want{Fail, "redis.sock"}},
		{"no certificate", strings.Replace(web.URL, "http://", "rediss://:hunter2@", 1), want{Fail, "REDIS_URL"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			tt.want.check(t, Redis(tt.url).Run(ctx), "hunter2")
		})
	}
}
