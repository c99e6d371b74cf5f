package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"
)

// trying is a program in an empty folder, with a port that nobody listens on.
func trying(t *testing.T) *program {
	t.Helper()
	cfg := Default()
	cfg.DataDir = filepath.Join(t.TempDir(), "data")
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if cfg.Server.Port, err = strconv.Atoi(port); err != nil {
		t.Fatal(err)
	}
	return &program{out: io.Discard, errOut: io.Discard, cfg: cfg, sandbox: true}
}

func TestExitCodes(t *testing.T) { // not parallel: it changes the folder
	t.Chdir(t.TempDir())
	for line, want := range map[string]int{
		"--version": 0, "frobnicate": 2, "people lst": 2, "call": 2, "jobs list --limit many": 2, "simulate --type foo": 2, "people list": 1,
	} {
		if got := Main(strings.Fields(line)); got != want {
			t.Errorf("naiber %s ends with %d, want %d", line, got, want)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("commands in an empty folder left %v, %v", left, err)
	}
}

func TestCommandsMakeNoDatabase(t *testing.T) {
	t.Parallel()
	p := trying(t)
	if _, err := p.Open(t.Context()); !errors.Is(err, errNoDatabase) || !strings.Contains(err.Error(), "naiber serve --sandbox") {
		t.Errorf("err = %v", err)
	}
	if _, err := os.Stat(p.cfg.DataDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data folder was made: %v", err)
	}
}

// answering serves on the program's port.
func answering(t *testing.T, p *program, h http.HandlerFunc) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.cfg.Server.Port)))
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(h)
	_ = srv.Listener.Close()
	srv.Listener = l
	srv.Start()
	t.Cleanup(srv.Close)
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	p := trying(t)
	if err := p.Healthy(t.Context()); err == nil || !strings.Contains(err.Error(), "no nAIber answers") {
		t.Errorf("with nobody there: %v", err)
	}
	var status atomic.Int32
	status.Store(http.StatusServiceUnavailable)
	answering(t, p, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.NotFound(w, r)
			return
		}
		http.Error(w, "stopping", int(status.Load()))
	})
	if err := p.Healthy(t.Context()); err == nil || !strings.Contains(err.Error(), "stopping") {
		t.Errorf("while it stops: %v", err)
	}
	status.Store(http.StatusOK)
	if err := p.Healthy(t.Context()); err != nil {
		t.Errorf("when it is ready: %v", err)
	}
}

func TestDoctorOfASandbox(t *testing.T) {
	t.Parallel()
	look := func(p *program) (string, bool) {
		var out bytes.Buffer
		well, err := p.Doctor(context.WithoutCancel(t.Context()), &out, false)
		if err != nil {
			t.Fatal(err)
		}
		return out.String(), well
	}
	p := trying(t)
	if got, well := look(p); !well || !strings.Contains(got, "`naiber serve --sandbox` starts it at 127.0.0.1:") || !strings.Contains(got, "none yet in ") || strings.Contains(got, "twilio") {
		t.Errorf("before the first start: %v\n%s", well, got)
	}
	answering(t, p, func(http.ResponseWriter, *http.Request) {}) // something that says yes to everything
	if got, well := look(p); well || !strings.Contains(got, "another nAIber answers") {
		t.Errorf("where another one runs: %v\n%s", well, got)
	}
	if _, err := os.Stat(p.cfg.DataDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("doctor made the data folder: %v", err)
	}
	busy := trying(t)
	answering(t, busy, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) })
	if got, well := look(busy); well || !strings.Contains(got, "cannot be started") {
		t.Errorf("where the port is taken: %v\n%s", well, got)
	}
}

// Somebody who reads the description or the page that is made of it finds words
// for everything.
func TestTheAPIIsDescribedWhole(t *testing.T) {
	t.Parallel()
	raw, err := new(program).OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	spec := gjson.ParseBytes(raw)
	declared := map[string]bool{}
	spec.Get("tags").ForEach(func(_, tag gjson.Result) bool {
		declared[tag.Get("name").String()] = tag.Get("description").String() != ""
		return true
	})
	operations := 0
	spec.Get("paths").ForEach(func(path, methods gjson.Result) bool {
		methods.ForEach(func(method, op gjson.Result) bool {
			operations++
			name := method.String() + " " + path.String()
			if op.Get("description").String() == "" {
				t.Errorf("%s (%s) has no description", name, op.Get("operationId"))
			}
			for _, tag := range op.Get("tags").Array() {
				if !declared[tag.String()] {
					t.Errorf("%s: the tag %s is not described", name, tag)
				}
			}
			for _, p := range op.Get("parameters").Array() {
				if p.Get("description").String() == "" {
					t.Errorf("%s: %s has no description", name, p.Get("name"))
				}
			}
			return true
		})
		return true
	})
	spec.Get("components.schemas").ForEach(func(schema, s gjson.Result) bool {
		s.Get("properties").ForEach(func(field, p gjson.Result) bool {
			if p.Get("description").String() == "" || p.Get("patternDescription").Exists() {
				t.Errorf("%s.%s has no description: %s", schema, field, p)
			}
			return true
		})
		return true
	})
	if operations < 50 || !spec.Get("servers.0.url").Exists() {
		t.Errorf("%d operations, servers %s", operations, spec.Get("servers"))
	}
}
