package doctor

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// listen starts a server that hands each connection to serve.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serve(conn)
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}

// redisServer answers each command by its first word.
func redisServer(t *testing.T, answers map[string]string) string {
	t.Helper()
	return listen(t, func(conn net.Conn) {
		in := bufio.NewScanner(conn)
		for in.Scan() {
			if a, is := answers[in.Text()]; is { // the words stand on lines of their own
				if _, err := io.WriteString(conn, a); err != nil {
					return
				}
			}
		}
	})
}

func TestRedis(t *testing.T) {
	t.Parallel()
	const pong, okay = "+PONG\r\n", "+OK\r\n"
	tests := []struct {
		name    string
		answers map[string]string
		user    string // before the host
		db      string
		want    want
	}{
		{"open", map[string]string{"PING": pong}, "", "", want{OK, "answers"}},
		{"with a password", map[string]string{"hunter2": okay, "PING": pong}, ":hunter2@", "/0", want{OK, "answers"}},
		{"with user and database", map[string]string{"hunter2": okay, "3": okay, "PING": pong}, "naiber:hunter2@", "/3", want{OK, "answers"}},
		{"wants a password", map[string]string{"PING": "-NOAUTH Authentication required.\r\n"}, "", "", want{Fail, "wrong|REDIS_URL"}},
		{"wrong password", map[string]string{"hunter2": "-WRONGPASS invalid username-password pair\r\n"}, ":hunter2@", "", want{Fail, "WRONGPASS|wrong"}},
		{"repeats what was sent", map[string]string{"hunter2": "-ERR unknown command 'AUTH', with args beginning with: 'hunter2'\r\n"}, ":hunter2@", "", want{Fail, "AUTH: Redis answers ERR"}},
		{"an error without a code", map[string]string{"hunter2": "-hunter2\r\n"}, ":hunter2@", "", want{Fail, "an error"}},
		{"still loading", map[string]string{"PING": "-LOADING Redis is loading the dataset in memory\r\n"}, "", "", want{Fail, "LOADING"}},
		{"not Redis", map[string]string{"PING": "HTTP/1.1 400 Bad Request\r\n"}, "", "", want{Fail, "not Redis'"}},
		{"endless", map[string]string{"PING": "+" + strings.Repeat("x", 2*maxRedisLine) + "\r\n"}, "", "", want{Fail, "not Redis'"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.check(t, find(t, Redis("redis://"+tt.user+redisServer(t, tt.answers)+tt.db)), "hunter2")
		})
	}
}

func TestRedisOutOfReach(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url string
		want      want
	}{
		{"none", "", want{Skip, "PostgreSQL"}},
		{"nobody listens", strings.Replace(closed(), "http://", "redis://:hunter2@", 1), want{Fail, "connect|REDIS_URL"}},
		{"hangs up", "redis://" + listen(t, func(net.Conn) {}), want{Fail, "PING|REDIS_URL"}},
		{"not an address", "redis://:hunter2@%", want{Fail, "not a URL"}},
		{"another service", "http://:hunter2@h", want{Fail, "neither"}},
		{"no number of a database", "redis://:hunter2@h/hunter2", want{Fail, "number"}},
		{"no such socket", "unix:///nowhere/redis.sock?db=2", want{Fail, "connect"}},
		{"no certificate", "rediss://" + listen(t, func(conn net.Conn) { _, _ = io.WriteString(conn, "-ERR no TLS here\r\n") }), want{Fail, "connect"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			tt.want.check(t, Redis(tt.url).Run(ctx), "hunter2")
		})
	}
	t.Run("says nothing", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		want{Fail, "no answer in time"}.check(t, Redis("redis://"+redisServer(t, nil)).Run(ctx))
	})
}

// FuzzReadRedis: no answer makes us fall over, or say what was sent.
func FuzzReadRedis(f *testing.F) {
	for _, seed := range []string{"+PONG\r\n", "-NOAUTH x\r\n", "-\r\n", "$4\r\nPONG\r\n", "+", "\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		err := readRedis(bufio.NewReaderSize(strings.NewReader(answer), maxRedisLine))
		if good := strings.HasPrefix(answer, "+") && strings.Contains(answer, "\r\n"); err == nil && !good {
			t.Errorf("%q is taken for an answer", answer)
		}
	})
}
