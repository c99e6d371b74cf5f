package escalation_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// noon is a day on which nothing happens to clocks.
var noon = time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)

// ladders are those that config.yaml ships; a test of app's looks whether they are.
func ladders(t *testing.T) map[alerts.Tier]escalation.Ladder {
	t.Helper()
	all := map[alerts.Tier]escalation.Ladder{}
	for tier, lines := range map[alerts.Tier][]string{
		alerts.Now: {"contacts every 2m times 5", "on_call every 2m times 5"}, alerts.Urgent: {"each every 10m", "on_call every 10m"},
		alerts.SameDay: {"first by email,sms in hours every 4h", "on_call"}, alerts.Digest: nil,
	} {
		l, err := escalation.ParseLadder(lines)
		if err != nil {
			t.Fatal(err)
		}
		all[tier] = l
	}
	return all
}

var duty = escalation.OnCall{Name: "Ward", Phone: "+15550100999"}

// world is a queue, channels and a clock that goes from one job to the next.
type world struct {
	t   *testing.T
	st  *store.Store
	esc *escalation.Escalation
	die func(point string) bool
	// fail is what a channel answers.
	fail func(n escalation.Notice) error

	mu    sync.Mutex // guards what follows
	now   time.Time
	queue []job
	sent  []sent
}

type job struct {
	at time.Time
	do func(ctx context.Context) error
}

type sent struct {
	after time.Duration
	n     escalation.Notice
}

func newWorld(t *testing.T, change func(c *escalation.Config)) *world {
	t.Helper()
	w := &world{t: t, st: storetest.New(t), now: noon, die: func(string) bool { return false }, fail: func(escalation.Notice) error { return nil }}
	cfg := escalation.Config{
		Store: w.st, Ladders: ladders(t), OnCall: duty, Confidential: []string{"abuse", "neglect"}, Repeat: 30 * time.Minute, RepeatFor: 24 * time.Hour,
		WelfareNumber: func(string) string { return "101" },
		LinkTTL:       72 * time.Hour, PublicURL: "https://naiber.example", Now: w.clock,
		Channels: map[string]escalation.Channel{"sms": w, "call": w, "email": w, "webhook": w},
		ScheduleStep: func(_ context.Context, _ store.Tx, d alerts.Due, at time.Time) error {
			w.add(at, func(ctx context.Context) error { return w.esc.Step(ctx, d) })
			w.maybeDie("scheduled")
			return nil
		},
		ScheduleNotice: func(_ context.Context, _ store.Tx, id uuid.UUID, at time.Time) error {
			w.add(at, func(ctx context.Context) error { return w.esc.Send(ctx, id) })
			return nil
		},
	}
	if change != nil {
		change(&cfg)
	}
	w.esc = escalation.New(cfg)
	w.st.OnAlert(w.esc.Raised)
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) add(at time.Time, do func(ctx context.Context) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at.Before(w.now) {
		at = w.now
	}
	w.queue = append(w.queue, job{at, do})
}

// maybeDie ends the job here and now: what follows is not done, as where its process died.
func (w *world) maybeDie(point string) {
	if w.die(point) {
		runtime.Goexit()
	}
}

// Send is that of all channels.
func (w *world) Send(_ context.Context, n escalation.Notice) (string, error) {
	w.maybeDie("claimed")
	if err := w.fail(n); err != nil {
		return "", err
	}
	w.mu.Lock()
	w.sent = append(w.sent, sent{w.now.Sub(noon), n})
	w.mu.Unlock()
	w.maybeDie("sent")
	return n.ID.String(), nil
}

// try does a job as a process would that may die of it.
func (w *world) try(do func(ctx context.Context) error) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = do(w.t.Context())
	}()
	<-done
	return err
}

// until lets time pass; a job that fails is done again later.
func (w *world) until(end time.Duration) {
	w.t.Helper()
	for {
		w.mu.Lock()
		slices.SortStableFunc(w.queue, func(a, b job) int { return a.at.Compare(b.at) })
		if len(w.queue) == 0 || w.queue[0].at.After(noon.Add(end)) {
			w.now = noon.Add(end)
			w.mu.Unlock()
			return
		}
		next := w.queue[0]
		w.queue, w.now = w.queue[1:], next.at
		w.mu.Unlock()
		if err := w.try(next.do); err != nil && !errors.Is(err, alerts.ErrPassed) {
			w.add(next.at.Add(20*time.Second), next.do)
		}
	}
}

// sweeping has it looked every 15 s for what a process left.
func (w *world) sweeping() {
	var sweep func(ctx context.Context) error
	sweep = func(ctx context.Context) error {
		w.add(w.clock().Add(15*time.Second), sweep)
		return w.esc.Sweep(ctx)
	}
	w.add(noon, sweep)
}

func (w *world) person(zone string, contacts ...people.Contact) people.Person {
	w.t.Helper()
	for i := range contacts {
		contacts[i].Priority = i + 1
	}
	p, err := w.st.CreatePerson(w.t.Context(), people.Person{Name: "Ada King", Phone: "+15550100123", Timezone: zone, Language: "en"}, contacts, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) raise(n alerts.New) alerts.Alert {
	w.t.Helper()
	n.At = w.clock()
	a, raised, err := w.st.RaiseAlert(w.t.Context(), n)
	if err != nil || !raised {
		w.t.Fatal(raised, err)
	}
	return a
}

func (w *world) alert(id uuid.UUID) alerts.Alert {
	w.t.Helper()
	a, err := w.st.Alert(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// told is who was told when, a line for each moment: "2m0s Tom call,sms".
func (w *world) told() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	type moment struct {
		after time.Duration
		name  string
	}
	by := map[moment][]string{}
	for _, s := range w.sent {
		m := moment{s.after, s.n.Name}
		by[m] = append(by[m], s.n.Channel)
	}
	var moments []moment
	for m := range by {
		moments = append(moments, m)
	}
	slices.SortFunc(moments, func(a, b moment) int { return cmp.Or(cmp.Compare(a.after, b.after), strings.Compare(a.name, b.name)) })
	var lines []string
	for _, m := range moments {
		slices.Sort(by[m])
		lines = append(lines, fmt.Sprintf("%s %s %s", m.after, m.name, strings.Join(by[m], ",")))
	}
	return lines
}

var (
	tom = people.Contact{Name: "Tom", Relation: "son", Phone: "+15550100124", Email: "tom@example.org", Priority: 1}
	eve = people.Contact{Name: "Eve", Relation: "niece", Phone: "+15550100125", Channels: []string{"sms"}, Priority: 2}
)

func TestLadders(t *testing.T) {
	t.Parallel()
	at := func(c people.Contact, from, to string) people.Contact {
		c.HoursFrom, c.HoursTo = new(from), new(to)
		return c
	}
	untold := func(c people.Contact, kinds ...string) people.Contact {
		c.MustNotBeTold = append([]string{}, kinds...)
		return c
	}
	for _, c := range []struct {
		name     string
		tier     alerts.Tier
		kind     string
		contacts []people.Contact
		change   func(*escalation.Config)
		zone     string
		until    time.Duration
		want     []string
		events   string
	}{
		{
			name: "now: all contacts on all channels, then the on-call", tier: alerts.Now, kind: "chest_pain", contacts: []people.Contact{tom, eve}, until: 13 * time.Minute,
			want: []string{
				"0s Eve sms", "0s Tom call,email,sms", "2m0s Eve sms", "2m0s Tom call,email,sms", "4m0s Eve sms", "4m0s Tom call,email,sms",
				"6m0s Eve sms", "6m0s Tom call,email,sms", "8m0s Eve sms", "8m0s Tom call,email,sms", "10m0s Ward call,sms", "12m0s Ward call,sms",
			}, events: "raised",
		},
		{
			name: "urgent: one contact after another", tier: alerts.Urgent, kind: "fall_stuck", contacts: []people.Contact{tom, eve}, until: 65 * time.Minute,
			want: []string{"0s Tom call,email,sms", "10m0s Eve sms", "20m0s Ward call,sms", "30m0s Ward call,sms", "1h0m0s Ward call,sms"}, events: "raised",
		},
		{
			name: "same day: the first contact in writing, then the on-call", tier: alerts.SameDay, kind: "fall", contacts: []people.Contact{tom, eve}, until: 4 * time.Hour,
			want: []string{"0s Tom email,sms", "4h0m0s Ward call,sms"}, events: "raised",
		},
		{
			name: "same day, within the contact's hours", tier: alerts.SameDay, kind: "fall", contacts: []people.Contact{at(tom, "09:30", "18:00")}, zone: "America/New_York",
			until: 4 * time.Hour, want: []string{"2h30m0s Tom email,sms", "4h0m0s Ward call,sms"}, events: "raised",
		},
		{
			name: "now: hours do not matter", tier: alerts.Now, kind: "fire", contacts: []people.Contact{at(tom, "23:00", "23:30")}, until: time.Minute,
			want: []string{"0s Tom call,email,sms"}, events: "raised",
		},
		{name: "digest: nobody", tier: alerts.Digest, kind: "mood", contacts: []people.Contact{tom}, until: 48 * time.Hour, events: "raised"},
		{
			name: "who must not be told", tier: alerts.Urgent, kind: "scam", contacts: []people.Contact{untold(tom, "scam"), eve}, until: 11 * time.Minute,
			want: []string{"0s Eve sms", "10m0s Ward call,sms"}, events: "raised",
		},
		{
			name: "nobody may be told but the on-call", tier: alerts.Now, kind: "scam", contacts: []people.Contact{untold(tom, "scam")}, until: time.Minute,
			want: []string{"0s Ward call,sms"}, events: "raised",
		},
		{
			name: "abuse is told to no relation", tier: alerts.Urgent, kind: "abuse", contacts: []people.Contact{tom, eve}, until: time.Minute,
			want: []string{"0s Ward call,sms"}, events: "raised",
		},
		{
			name: "but to one who is safe", tier: alerts.Urgent, kind: "abuse", contacts: []people.Contact{tom, untold(eve)}, until: time.Minute,
			want: []string{"0s Eve sms"}, events: "raised",
		},
		{
			name: "nor by a telephone that they share with who must not be told", tier: alerts.Urgent, kind: "scam", until: time.Minute,
			contacts: []people.Contact{untold(tom, "scam"), {Name: "Flo", Phone: tom.Phone}, {Name: "Gus", Phone: tom.Phone, Email: "gus@example.org"}},
			want:     []string{"0s Gus email"}, events: "raised",
		},
		{
			name: "a channel that is not there: the next at once", tier: alerts.Urgent, kind: "no_food", contacts: []people.Contact{tom, eve},
			change: func(c *escalation.Config) { delete(c.Channels, "sms") }, until: 11 * time.Minute,
			want: []string{"0s Tom call,email", "10m0s Ward call"}, events: "raised",
		},
		{
			name: "none of a contact's channels is there: the next contact at once", tier: alerts.Urgent, kind: "no_food", contacts: []people.Contact{eve, tom},
			change: func(c *escalation.Config) { delete(c.Channels, "sms") }, until: 11 * time.Minute,
			want: []string{"0s Tom call,email", "10m0s Ward call"}, events: "raised",
		},
		{
			name: "none of the contacts' channels is there: the on-call at once, however often they would be told", tier: alerts.Now, kind: "fire",
			contacts: []people.Contact{eve, {Name: "Flo", Phone: "+15550100126", Channels: []string{"sms"}}},
			change:   func(c *escalation.Config) { delete(c.Channels, "sms") }, until: time.Minute,
			want: []string{"0s Ward call"}, events: "raised",
		},
		{
			name: "no on-call: contacts again", tier: alerts.Urgent, kind: "no_food", contacts: []people.Contact{eve},
			change: func(c *escalation.Config) { c.OnCall = escalation.OnCall{} }, until: time.Hour,
			want: []string{"0s Eve sms", "10m0s Eve sms", "40m0s Eve sms"}, events: "raised",
		},
		{
			name: "no channel to the on-call: contacts again", tier: alerts.Urgent, kind: "no_food", contacts: []people.Contact{eve},
			change: func(c *escalation.Config) {
				c.OnCall = escalation.OnCall{Name: "Ward", Email: "ward@example.org"}
				delete(c.Channels, "email")
			}, until: time.Hour,
			want: []string{"0s Eve sms", "10m0s Eve sms", "40m0s Eve sms"}, events: "raised",
		},
		{
			name: "same day without an on-call ends", tier: alerts.SameDay, kind: "fall", contacts: []people.Contact{eve},
			change: func(c *escalation.Config) { c.OnCall = escalation.OnCall{} }, until: 48 * time.Hour,
			want: []string{"0s Eve sms"}, events: "raised exhausted",
		},
		{
			name: "nobody", tier: alerts.Now, kind: "fire", change: func(c *escalation.Config) { c.OnCall = escalation.OnCall{} }, until: 48 * time.Hour,
			events: "raised nobody_to_tell exhausted",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.change)
			p := w.person(cmp.Or(c.zone, "UTC"), c.contacts...)
			a := w.raise(alerts.New{PersonID: p.ID, Tier: c.tier, Kind: c.kind})
			w.until(c.until)
			if got := w.told(); !slices.Equal(got, c.want) {
				t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			var events []string
			a = w.alert(a.ID)
			for _, e := range a.Events {
				events = append(events, e.Kind)
			}
			// The on-call is asked for a visit, once, where no contact has seen to what is urgent.
			want := c.events
			for _, s := range w.sent {
				visit := c.tier >= alerts.Urgent && s.n.Name == "Ward"
				if strings.Contains(s.n.Text, "ask for a welfare visit. The local number for that: 101.") != visit {
					t.Errorf("%s is told %q", s.n.Name, s.n.Text)
				}
				if visit {
					want = strings.Replace(c.events, "raised", "raised welfare_visit_asked", 1)
				}
			}
			if got := strings.Join(events, " "); got != want {
				t.Errorf("events %q; want %q", got, want)
			}
			if want := map[bool]alerts.Status{true: alerts.Notified, false: alerts.Open}[len(c.want) > 0]; a.Status != want {
				t.Errorf("status %s; want %s", a.Status, want)
			}
		})
	}
}

func TestOnCallIsToldAgainForADayAndTheAlertStaysOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.raise(alerts.New{Tier: alerts.Now, Kind: "operator_queue"})
	w.until(72 * time.Hour)
	told := w.told()
	// 5 times every 2 minutes, then every 30 until the day is over.
	if want := 5 + 48; len(told) != want || told[5] != "10m0s Ward call,sms" || told[len(told)-1] != "23h40m0s Ward call,sms" {
		t.Errorf("told %d times, last %s; want %d", len(told), told[len(told)-1], want)
	}
	if a = w.alert(a.ID); a.Status != alerts.Notified || a.DueAt != nil || a.Events[len(a.Events)-1].Kind != "exhausted" {
		t.Errorf("%+v", a)
	}
}

func TestNobodyIsToldAfterAnAcknowledgement(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	late := tom
	late.HoursFrom, late.HoursTo = new("13:00"), new("14:00")
	p := w.person("UTC", late)
	urgent := w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "confusion"})
	slow := w.raise(alerts.New{PersonID: p.ID, Tier: alerts.SameDay, Kind: "fall"})
	w.until(5 * time.Minute)
	for _, a := range []alerts.Alert{urgent, slow} {
		if _, err := w.st.AcknowledgeAlert(t.Context(), a.ID, alerts.Answer{By: "Ruth", How: "api"}); err != nil {
			t.Fatal(err)
		}
	}
	w.until(48 * time.Hour)
	if got := w.told(); !slices.Equal(got, []string{"0s Tom call,email,sms"}) {
		t.Errorf("told %v", got)
	}
	for _, n := range w.alert(slow.ID).Notices {
		if n.Status != alerts.Failed || n.Detail != "not sent: Ruth sees to it" {
			t.Errorf("notice %+v", n)
		}
	}
}

// A notice that waits for somebody's hours, or for its next try, is not sent to who was
// removed, or barred from such alerts, meanwhile.
func TestWhoMayNotBeToldAnyMoreIsNotTold(t *testing.T) {
	t.Parallel()
	late := tom
	late.HoursFrom, late.HoursTo = new("13:00"), new("14:00")
	barred := late
	barred.MustNotBeTold = []string{"fall"}
	renamed := late
	renamed.Name = "Thomas"
	for name, c := range map[string]struct {
		now  []people.Contact
		want string // the first
	}{
		"removed": {[]people.Contact{eve}, "1h0m0s Eve sms"},
		"barred":  {[]people.Contact{barred}, "4h0m0s Ward call,sms"},
		"edited":  {[]people.Contact{renamed}, "1h0m0s Tom email,sms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			p := w.person("UTC", late)
			w.raise(alerts.New{PersonID: p.ID, Tier: alerts.SameDay, Kind: "fall"})
			w.until(time.Minute)
			if _, err := w.st.UpdatePerson(t.Context(), p, c.now); err != nil {
				t.Fatal(err)
			}
			w.until(5 * time.Hour)
			if got := w.told(); len(got) == 0 || got[0] != c.want {
				t.Errorf("told %v; want %v first", got, c.want)
			}
		})
	}
}

// Somebody would be told where a contact may be told of the kind, by a channel that there
// is, or somebody is on call, and the tier tells anybody.
func TestTells(t *testing.T) {
	t.Parallel()
	nobody := func(c *escalation.Config) { c.OnCall = escalation.OnCall{} }
	unreachable := people.Contact{Name: "Ann"}
	barred := eve
	barred.MustNotBeTold = []string{"fall_stuck"}
	for name, c := range map[string]struct {
		contacts []people.Contact
		change   func(c *escalation.Config)
		kind     string
		tier     alerts.Tier
		want     bool
	}{
		"a contact":               {[]people.Contact{eve}, nobody, "fall_stuck", alerts.Urgent, true},
		"nobody":                  {nil, nobody, "fall_stuck", alerts.Urgent, false},
		"a contact without ways":  {[]people.Contact{unreachable}, nobody, "fall_stuck", alerts.Urgent, false},
		"a contact who must not":  {[]people.Contact{barred}, nobody, "fall_stuck", alerts.Urgent, false},
		"who may of another kind": {[]people.Contact{barred}, nobody, "fire", alerts.Now, true},
		"a confidential kind":     {[]people.Contact{eve}, nobody, "abuse", alerts.Urgent, false},
		"the on-call":             {nil, nil, "abuse", alerts.Urgent, true},
		"a tier that tells none":  {[]people.Contact{eve}, nil, "fall", alerts.Digest, false},
		"no such channel": {[]people.Contact{eve}, func(c *escalation.Config) {
			c.OnCall = escalation.OnCall{}
			delete(c.Channels, "sms")
		}, "fall_stuck", alerts.Urgent, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.change)
			if got, err := w.esc.Tells(t.Context(), w.person("UTC", c.contacts...).ID, c.kind, c.tier); got != c.want || err != nil {
				t.Errorf("%t, %v; want %t", got, err, c.want)
			}
		})
	}
	w := newWorld(t, nobody)
	if got, err := w.esc.Tells(t.Context(), store.PersonID{}, "fire", alerts.Now); got || err != nil {
		t.Errorf("of somebody who is not known: %t, %v", got, err)
	}
}

// A ladder passes nobody over whose contacts are edited while it is climbed, and each is
// told once.
func TestContactsMayBeEditedWhileALadderIsClimbed(t *testing.T) {
	t.Parallel()
	flo := people.Contact{Name: "Flo", Phone: "+15550100126", Channels: []string{"call"}}
	moved := flo
	moved.Phone = "+15550100127"
	for name, c := range map[string]struct {
		now  []people.Contact
		want []string
	}{
		"the first is removed": {[]people.Contact{eve, flo}, []string{"0s Tom call,email,sms", "10m0s Eve sms", "10m0s Flo call", "20m0s Ward call,sms"}},
		"one is put first":     {[]people.Contact{moved, tom, eve, flo}, []string{"0s Tom call,email,sms", "10m0s Flo call", "10m0s Tom call,email,sms", "20m0s Eve sms"}},
		"all are others":       {[]people.Contact{moved}, []string{"0s Tom call,email,sms", "10m0s Flo call", "10m0s Ward call,sms", "20m0s Ward call,sms"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			p := w.person("UTC", tom, eve, flo)
			w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall_stuck"})
			w.until(time.Minute)
			for i := range c.now {
				c.now[i].Priority = i + 1
			}
			if _, err := w.st.UpdatePerson(t.Context(), p, c.now); err != nil {
				t.Fatal(err)
			}
			w.until(25 * time.Minute)
			if got := w.told(); !slices.Equal(got, c.want) {
				t.Errorf("told %q; want %q", got, c.want)
			}
		})
	}
}

// Where a process dies between giving a notice up and the next rung, that is climbed by the
// next sweep, and not when it would have been due.
func TestDeathAfterAFailedNoticeCostsNoWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	a := w.raise(alerts.New{PersonID: w.person("UTC", eve, tom).ID, Tier: alerts.Urgent, Kind: "fall_stuck"})
	w.until(time.Minute)
	if _, all, err := w.st.NoticeFailed(t.Context(), w.alert(a.ID).Notices[0].ID, "refused"); err != nil || all {
		t.Fatal(all, err) // it was sent
	}
	if _, err := w.st.NoticeTold(t.Context(), w.alert(a.ID).Notices[0].ID.String(), alerts.Failed, "not delivered", w.clock()); err != nil {
		t.Fatal(err)
	}
	w.sweeping() // what the process that died was about to do is left to it
	w.until(2 * time.Minute)
	if got, want := w.told(), []string{"0s Eve sms", "1m0s Tom call,email,sms"}; !slices.Equal(got, want) {
		t.Errorf("told %q; want %q", got, want)
	}
}

// One sweep does all that is overdue, though a channel fails for the first few hundred.
func TestSweepLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *escalation.Config) {
		c.Ladders[alerts.Urgent] = escalation.Ladder{{Who: "first", Channels: []string{"sms"}, Times: 1}}
	})
	w.fail = func(n escalation.Notice) error { return map[bool]error{true: errors.New("busy")}[n.Name == "Tom"] }
	const many = 230
	for _, c := range []people.Contact{tom, eve} {
		p := w.person("UTC", c)
		for range many {
			w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall_stuck"})
		}
	}
	w.queue, w.now = nil, noon.Add(time.Minute)
	for range 2 { // the notices of steps that are taken now are overdue a little later
		if err := w.esc.Sweep(t.Context()); err != nil && !strings.Contains(err.Error(), "busy") {
			t.Fatal(err)
		}
		w.queue, w.now = nil, w.now.Add(time.Minute)
	}
	if len(w.sent) != many {
		t.Errorf("%d notices left, want %d", len(w.sent), many)
	}
}

func TestHigherTierBeginsItsOwnLadder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	p := w.person("UTC", tom)
	n := alerts.New{PersonID: p.ID, Tier: alerts.SameDay, Kind: "fall", Key: "k"}
	a := w.raise(n)
	w.until(time.Minute)
	if _, err := w.st.AcknowledgeAlert(t.Context(), a.ID, alerts.Answer{By: "Tom", How: "api"}); err != nil {
		t.Fatal(err)
	}
	n.Tier, n.Kind = alerts.Now, "chest_pain"
	w.raise(n)
	w.until(4 * time.Minute)
	if got, want := w.told(), []string{"0s Tom email,sms", "1m0s Tom call,email,sms", "3m0s Tom call,email,sms"}; !slices.Equal(got, want) {
		t.Errorf("told %v; want %v", got, want)
	}
}

func TestFailingChannels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		fail func(tries int, n escalation.Notice) error
		want []string
	}{
		{"refused: the next at once", func(_ int, n escalation.Notice) error {
			if n.Name == "Eve" {
				return escalation.ErrRefused
			}
			return nil
		}, []string{"0s Tom call,email,sms", "10m0s Ward call,sms"}},
		{"tried again", func(tries int, n escalation.Notice) error {
			if n.Name == "Eve" && tries < 3 {
				return errors.New("busy")
			}
			return nil
		}, []string{"40s Eve sms", "10m0s Tom call,email,sms"}},
		{"given up: the next at once", func(_ int, n escalation.Notice) error {
			if n.Name == "Eve" {
				return errors.New("busy")
			}
			return nil
		}, []string{"2m20s Tom call,email,sms"}},
		{"a channel that panics is tried again", func(tries int, n escalation.Notice) error {
			if n.Name == "Eve" && tries == 1 {
				panic("nil map")
			}
			return nil
		}, []string{"20s Eve sms", "10m0s Tom call,email,sms"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			tries := map[string]int{}
			w.fail = func(n escalation.Notice) error {
				tries[n.Name]++
				return c.fail(tries[n.Name], n)
			}
			p := w.person("UTC", eve, tom)
			w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "no_heat"})
			w.until(11 * time.Minute)
			if got := w.told(); !slices.Equal(got, c.want) {
				t.Errorf("told %v; want %v", got, c.want)
			}
		})
	}
}

// Of a rung that tells somebody more than once, whom nothing reaches, and who cannot help,
// is not told again; where nobody is left of it, the next is climbed at once.
func TestRungIsLeftWhereNobodyOfItCanHelp(t *testing.T) {
	t.Parallel()
	decline := func(w *world, a alerts.Alert, name string) {
		for _, n := range w.alert(a.ID).Notices {
			if n.Name != name {
				continue
			}
			step, all, err := w.st.DeclineNotice(t.Context(), n.ID, alerts.Answer{By: name, At: w.clock()}, []string{alerts.Call, alerts.SMS}, alerts.CannotHelp)
			if err == nil && all {
				err = w.esc.Failed(t.Context(), step)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	flo := people.Contact{Name: "Flo", Phone: "+15550100126", Channels: []string{"call"}}
	for name, c := range map[string]struct {
		contacts []people.Contact
		fail     func(n escalation.Notice) error
		decline  string
		want     []string
	}{
		"refused": {
			[]people.Contact{eve},
			func(n escalation.Notice) error { return map[bool]error{true: escalation.ErrRefused}[n.Name == "Eve"] }, "",
			[]string{"0s Ward call,sms", "2m0s Ward call,sms"},
		},
		"declined":        {[]people.Contact{flo}, nil, "Flo", []string{"0s Flo call", "1m0s Ward call,sms", "3m0s Ward call,sms"}},
		"declined by one": {[]people.Contact{flo, eve}, nil, "Flo", []string{"0s Eve sms", "0s Flo call", "2m0s Eve sms"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			if c.fail != nil {
				w.fail = c.fail
			}
			a := w.raise(alerts.New{PersonID: w.person("UTC", c.contacts...).ID, Tier: alerts.Now, Kind: "fire"})
			w.until(time.Minute)
			if c.decline != "" {
				decline(w, a, c.decline)
			}
			w.until(3*time.Minute + 30*time.Second)
			if got := w.told(); !slices.Equal(got, c.want) {
				t.Errorf("told %v; want %v", got, c.want)
			}
		})
	}
}

// TestNothingIsLostOrSilentWhereAProcessDies has the process die at each point, once or
// again and again, with what it had in hand.
func TestNothingIsLostOrSilentWhereAProcessDies(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"scheduled", "claimed", "sent"} {
		for _, when := range []int{1, 2, 4} {
			t.Run(fmt.Sprint(point, when), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, nil)
				p := w.person("UTC", tom, eve)
				a := w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall_stuck"})
				w.sweeping()
				n := 0
				w.die = func(at string) bool {
					if at == point {
						n++
					}
					return at == point && n == when
				}
				w.until(45 * time.Minute)
				w.die = func(string) bool { return false }
				if n < when {
					t.Fatalf("it came to %s %d times", point, n)
				}
				times := map[uuid.UUID]int{}
				who := map[string]bool{}
				for _, s := range w.sent {
					times[s.n.ID]++
					who[s.n.Name+" "+s.n.Channel] = true
				}
				for id, n := range times {
					if n > 2 {
						t.Errorf("notice %s was sent %d times", id, n)
					}
				}
				for _, want := range []string{"Tom call", "Tom sms", "Tom email", "Eve sms", "Ward call", "Ward sms"} {
					if !who[want] {
						t.Errorf("%s was never told; %v", want, w.told())
					}
				}
				if extra := len(w.sent) - len(times); extra > 1 {
					t.Errorf("%d notices too many", extra)
				}
				if a = w.alert(a.ID); a.Status != alerts.Notified || a.DueAt == nil {
					t.Errorf("%+v", a)
				}
			})
		}
	}
}

func TestNoticeThatKillsItsSendersIsGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	p := w.person("UTC", eve, tom)
	a := w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall_stuck"})
	w.sweeping()
	deaths := 0
	w.fail = func(n escalation.Notice) error {
		if n.Name == "Eve" {
			deaths++
			runtime.Goexit()
		}
		return nil
	}
	// A sweep that dies takes what was on its list with it; the next does it.
	w.until(9 * time.Minute)
	if deaths != 2 {
		t.Errorf("sent to its senders' death %d times; want 2", deaths)
	}
	if got := w.told(); len(got) != 1 || !strings.HasSuffix(got[0], "Tom call,email,sms") {
		t.Errorf("told %v; want Tom as soon as it is given up", got)
	}
	if a = w.alert(a.ID); a.Notices[0].Status != alerts.Failed {
		t.Errorf("%+v", a.Notices[0])
	}
}

func TestLostJobsAreSweptUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	p := w.person("UTC", tom)
	w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire"})
	w.queue = nil // as where the queue's tables were emptied
	w.sweeping()
	w.until(time.Minute)
	if got := w.told(); len(got) != 1 || got[0] != "15s Tom call,email,sms" {
		t.Errorf("told %v", got)
	}
}

func TestTwoProcessesTellOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	p := w.person("UTC", tom, eve)
	for range 4 {
		w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Now, Kind: "fire"})
	}
	for range 3 {
		for len(w.queue) > 0 { // every job by three processes at the same time
			now := w.queue
			w.queue = nil
			var all sync.WaitGroup
			for _, j := range now {
				if j.at.After(w.clock()) {
					continue
				}
				for range 3 {
					all.Go(func() {
						if err := j.do(t.Context()); err != nil && !errors.Is(err, alerts.ErrPassed) {
							t.Error(err)
						}
					})
				}
			}
			all.Wait()
		}
		w.mu.Lock()
		w.now = w.now.Add(11 * time.Second)
		w.mu.Unlock()
		if err := w.esc.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	times := map[uuid.UUID]int{}
	for _, s := range w.sent {
		times[s.n.ID]++
	}
	if len(times) != 4*4 || len(w.sent) != len(times) {
		t.Errorf("%d notices sent %d times; want 16, each once", len(times), len(w.sent))
	}
}

func TestAcknowledgementRacesTheNextStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	p := w.person("UTC", tom, eve)
	for range 20 {
		a := w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "confusion"})
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := w.st.AcknowledgeAlert(t.Context(), a.ID, alerts.Answer{By: "Ruth", How: "api"}); err != nil {
				t.Error(err)
			}
		})
		both.Go(func() {
			if err := w.esc.Step(t.Context(), alerts.Due{ID: a.ID, Run: 1}); err != nil && !errors.Is(err, alerts.ErrPassed) {
				t.Error(err)
			}
		})
		both.Wait()
		w.until(0)
		a = w.alert(a.ID)
		if a.Status != alerts.Acknowledged || a.DueAt != nil {
			t.Errorf("%+v", a)
		}
		for _, n := range a.Notices {
			if n.Status == alerts.Queued {
				t.Errorf("a notice waits: %+v", n)
			}
		}
	}
	if len(w.sent) > 0 {
		t.Errorf("told %v; want nobody, for each acknowledgement was there first", w.told())
	}
}

func TestNoticeSaysWhoWhatAndWhenAndNoMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	maria := people.Contact{Name: "María", Phone: "+15550100126", Language: "es-MX", Channels: []string{"sms"}, Priority: 1}
	p := w.person("America/New_York", maria)
	a := w.raise(alerts.New{PersonID: p.ID, Tier: alerts.Urgent, Kind: "fall_injury", Quote: "my hip is broken", Why: "lexicon"})
	w.until(0)
	if len(w.sent) != 1 {
		t.Fatalf("sent %v", w.told())
	}
	n := w.sent[0].n
	if n.Text != "Ada King: una caída con heridas (2026-03-03 07:00 EST)." || n.Subject != "Ada King: una caída con heridas" || n.Language != "es" {
		t.Errorf("%q, %q, %q", n.Subject, n.Text, n.Language)
	}
	token, ok := strings.CutPrefix(n.Link, "https://naiber.example/a/")
	if l, err := w.st.AlertLink(t.Context(), token); !ok || err != nil || l.Alert.ID != a.ID || l.Name != "María" {
		t.Errorf("link %q: %+v, %v", n.Link, l, err)
	}
	w.raise(alerts.New{Tier: alerts.Urgent, Kind: "operator_post_call_failed"})
	w.until(0)
	if n := w.sent[len(w.sent)-1].n; n.Subject != "nAIber needs an operator: post call failed" || n.Name != "Ward" {
		t.Errorf("%+v", n)
	}
}
