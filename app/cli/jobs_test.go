package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// afterwards makes a call that has ended, and so a job.
func (p *program) afterwards(t *testing.T, conversation string) {
	t.Helper()
	st := p.tools.Store
	c, err := st.CreateCall(t.Context(), calls.NewCall{Type: calls.CallGeneral, Direction: calls.Inbound, Phone: "+15550100123", SID: "CA" + conversation})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.AddConversation(t.Context(), c.ID, conversation); err != nil {
		t.Fatal(err)
	}
	_, ended, err := st.FinishCall(t.Context(), c.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "goodbye", By: "naiber"}, func(tx store.Tx, c calls.Call) error {
		return p.tools.Jobs.Schedule(t.Context(), tx, c)
	})
	if err != nil || !ended {
		t.Fatalf("finish call: %v, %v", ended, err)
	}
}

func TestJobs(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	p.afterwards(t, "conv_1")
	p.afterwards(t, "conv_2")

	out := p.must(t, "jobs", "list")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], "ID") || !strings.Contains(lines[1], "conv_2") || !strings.Contains(lines[2], "scheduled") {
		t.Errorf("list = %s", out)
	}
	var list []shownJob
	if err := json.Unmarshal([]byte(p.must(t, "jobs", "list", "--json", "--limit", "1")), &list); err != nil || len(list) != 1 {
		t.Fatalf("list = %v, %v", list, err)
	}
	id := strconv.FormatInt(list[0].ID, 10)
	one := func(verb string) shownJob {
		t.Helper()
		var j shownJob
		if err := json.Unmarshal([]byte(p.must(t, "jobs", verb, id)), &j); err != nil {
			t.Fatal(err)
		}
		return j
	}
	if j := one("show"); j.Kind != "post_call" || j.State != "scheduled" {
		t.Errorf("show = %+v", j)
	}
	for _, printed := range []string{p.must(t, "jobs", "show", id), p.must(t, "jobs", "list", "--json")} {
		if text := strings.Join(strings.Fields(printed), " "); !strings.Contains(text, `"args": { "`) || !strings.Contains(text, `"conv_2"`) {
			t.Errorf("arguments are no JSON object: %s", text)
		}
	}
	chore := func(args ...string) bool {
		return strings.Contains(p.must(t, append([]string{"jobs", "list"}, args...)...), "chore")
	}
	if _, err := p.tools.Store.Pool().Exec(t.Context(), `insert into river_job (kind, args, queue, max_attempts, state) values ('chore', '{"name": "sweep"}', 'chores', 1, 'available')`); err != nil {
		t.Fatal(err)
	}
	if chore() || !chore("--kind", "chore") || !chore("--kind", "all") || chore("--kind", "post_call,writing") {
		t.Error("chores are listed unasked, or not when asked for")
	}
	if j := one("cancel"); j.State != "cancelled" {
		t.Errorf("cancel = %+v", j)
	}
	if got := strings.Join(strings.Fields(p.must(t, "jobs", "stats")), " "); !strings.HasPrefix(got, "KIND STATE JOBS chore available 1 post_call cancelled 1 post_call scheduled 1") {
		t.Errorf("stats = %q", got)
	}
	if j := one("retry"); j.State != "available" {
		t.Errorf("retry = %+v", j)
	}
	if out := p.must(t, "jobs", "list", "--state", "cancelled"); strings.Count(out, "\n") != 1 {
		t.Errorf("cancelled = %s", out)
	}
	var stats jobs.Stats
	if err := json.Unmarshal([]byte(p.must(t, "jobs", "stats", "--json")), &stats); err != nil || stats.Counts["post_call"]["available"] != 1 {
		t.Errorf("stats = %+v, %v", stats, err)
	}
}

func TestJobMistakes(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	for _, verb := range []string{"show", "retry", "cancel"} {
		p.refused(t, `"x1" is not a job id`, "jobs", verb, "x1")
		p.refused(t, "no such job", "jobs", verb, "12345")
	}
	p.refused(t, "--kind is post_call, writing, send_mail, council, dial, call_back, escalate, notice, deliver_webhook, chore or all", "jobs", "list", "--kind", "sleep")
	p.refused(t, "--limit is a number from 1 to 10000", "jobs", "list", "--limit", "-1")
	p.refused(t, "--state is one of available, ", "jobs", "list", "--state", "sleeping")
}

func TestPausedQueuesAreTold(t *testing.T) {
	t.Parallel()
	p := withDatabase(t)
	// Queues are known from the first worker on.
	if err := p.tools.Jobs.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.tools.Jobs.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	if out := p.must(t, "jobs", "pause"); out != "paused all queues\n" {
		t.Errorf("printed %q", out)
	}
	if out := p.must(t, "jobs", "stats"); !strings.Contains(out, "is paused.") {
		t.Errorf("stats = %q", out)
	}
	if out := p.must(t, "jobs", "resume"); out != "resumed all queues\n" {
		t.Errorf("printed %q", out)
	}
	if out := p.must(t, "jobs", "stats"); strings.Contains(out, "is paused.") {
		t.Errorf("stats = %q", out)
	}
}
