package survive_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/store/survive"
)

func TestTryLogsAndCountsAPanic(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	err := survive.Try(log, "testing", func() error { panic("no such thing") })
	if !errors.Is(err, survive.ErrPanic) || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("err = %v", err)
	}
	for _, want := range []string{"part=testing", "no such thing", "survive_test.go"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("log lacks %q: %s", want, out.String())
		}
	}
	reg := prometheus.NewRegistry()
	reg.MustRegister(survive.Total)
	families, err := reg.Gather()
	if err != nil || len(families) != 1 || families[0].GetMetric()[0].GetCounter().GetValue() != 1 {
		t.Errorf("counted %v, %v", families, err)
	}
	own := errors.New("its own")
	if err := survive.Try(log, "testing", func() error { return own }); !errors.Is(err, own) || errors.Is(err, survive.ErrPanic) {
		t.Errorf("err = %v", err)
	}
	if survive.Do(log, "testing", func() { panic("again") }) || !survive.Do(log, "testing", func() {}) {
		t.Error("Do does not tell")
	}
}
