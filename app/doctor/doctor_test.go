package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRunPrints(t *testing.T) {
	t.Parallel()
	checks := []Check{
		check("database", ok("PostgreSQL 16.4")),
		check("twilio account", warn("a trial", "Upgrade.")),
		check("clock", fail("6m0s slow\n\tor more", "Set it.\nThen run this again.")),
		check("redis", skip("not configured")),
		check("zone", Finding{Status: "odd"}),
	}
	var out bytes.Buffer
	if Run(t.Context(), checks, &out, false) {
		t.Error("well, with a failure")
	}
	want := `✓ database        PostgreSQL 16.4
! twilio account  a trial
                  → Upgrade.
✗ clock           6m0s slow or more
                  → Set it.
                    Then run this again.
– redis           not configured
✗ zone

1 fine, 1 to look at, 2 wrong, 1 skipped
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestRunJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if !Run(t.Context(), []Check{check("a", ok("fine")), check("b", warn("so so", "Do."))}, &out, true) {
		t.Error("a warning is not a failure")
	}
	var got struct {
		Well   bool
		Checks []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	for _, c := range got.Checks {
		if _, is := c["elapsedMs"].(float64); !is {
			t.Errorf("no elapsedMs in %v", c)
		}
		delete(c, "elapsedMs")
	}
	want := []map[string]any{{"name": "a", "status": "ok", "detail": "fine"}, {"name": "b", "status": "warn", "detail": "so so", "fix": "Do."}}
	if diff := cmp.Diff(want, got.Checks); diff != "" || !got.Well {
		t.Errorf("well = %t, checks (-want +got):\n%s", got.Well, diff)
	}
	out.Reset()
	if !Run(t.Context(), nil, &out, true) || !strings.Contains(out.String(), `"checks": []`) {
		t.Errorf("without checks: %s", out.String())
	}
}

func TestRunAtOnceAndWithinTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var checks []Check
		for range 3 {
			checks = append(checks, Check{Name: "slow", Run: func(ctx context.Context) Finding {
				<-ctx.Done()
				return fail(reason(ctx.Err()), "Wait.")
			}})
		}
		began := time.Now()
		var out bytes.Buffer
		if Run(t.Context(), checks, &out, false) || time.Since(began) != checkTimeout {
			t.Errorf("took %s:\n%s", time.Since(began), out.String())
		}
		if strings.Count(out.String(), "no answer in time") != 3 {
			t.Errorf("findings:\n%s", out.String())
		}
	})
}

func TestRunSurvivesAPanic(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	broken := Check{Name: "broken", Run: func(context.Context) Finding { panic("hunter2") }}
	if Run(t.Context(), []Check{broken, check("next", ok("fine"))}, &out, false) {
		t.Error("well, with a check that broke down")
	}
	if !strings.Contains(out.String(), "✗ broken  the check itself broke down") || !strings.Contains(out.String(), "✓ next") || strings.Contains(out.String(), "hunter2") {
		t.Errorf("findings:\n%s", out.String())
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("pipe is broken") }

func TestRunUnseenIsNotWell(t *testing.T) {
	t.Parallel()
	if Run(t.Context(), []Check{check("a", ok("fine"))}, brokenWriter{}, false) {
		t.Error("well, though nobody saw it")
	}
}
