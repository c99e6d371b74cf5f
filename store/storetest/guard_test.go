package storetest

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/naiber/naiber/store"
)

func TestMain(m *testing.M) { Main(m) }

func TestGuardFindsNestedUse(t *testing.T) {
	t.Parallel()
	var found []string
	g := &guard{holders: map[*pgx.Conn]string{}, fail: func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }}
	s, err := store.Open(t.Context(), URL(t), slog.New(slog.DiscardHandler), func(cfg *pgxpool.Config) {
		cfg.ConnConfig.Tracer, cfg.MaxConns = g, 2
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	inTx := func(do func() error) error { return s.InTx(t.Context(), func(store.Tx) error { return do() }) }
	if err := errors.Join(inTx(func() error { return nil }), s.Ping(t.Context())); err != nil || len(found) > 0 {
		t.Fatalf("%v; one after the other is told of: %q", err, found)
	}
	beside := make(chan error)
	err = inTx(func() error {
		go func() { beside <- s.Ping(t.Context()) }()
		return <-beside
	})
	if err != nil || len(found) > 0 {
		t.Fatalf("%v; another goroutine's is told of: %q", err, found)
	}
	if err := inTx(func() error { return s.Ping(t.Context()) }); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !strings.Contains(found[0], "TestGuardFindsNestedUse") {
		t.Errorf("a nested use is told of as %q", found)
	}
}
