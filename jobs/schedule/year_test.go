package schedule

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// A year of many people, by the rules alone: what the store does with them is tried on a
// real one, over some weeks. Nothing of it is placed.

// yearling is a person with a schedule, as the year goes on.
type yearling struct {
	p       people.Person
	s       schedules.Schedule
	pauses  []people.Pause
	planned map[time.Time]*played // by day
	to      time.Time             // planned up to here
}

type played struct {
	schedules.Occurrence

	who   *yearling
	tries []schedules.Attempt
	made  int
}

// agenda is what is due, by when.
type agenda []*played //nolint:recvcheck // as container/heap has it

func (a agenda) Len() int           { return len(a) }
func (a agenda) Less(i, j int) bool { return a[i].NextAt.Before(a[j].NextAt) }
func (a agenda) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *agenda) Push(x any)        { *a = append(*a, x.(*played)) }
func (a *agenda) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

func TestYearOfManyPeople(t *testing.T) {
	t.Parallel()
	const persons = 500
	r := rand.New(rand.NewPCG(2027, 1))
	ladder, err := ReadLadder([]string{"busy=5m*3", "no_answer=15m*3", "machine=30m*2", "dropped=2m*2", "failed=10m*3"}, 6)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2027, 12, 1, 0, 0, 0, 0, time.UTC) // 29 February is within
	end := begin.AddDate(1, 0, 0)
	everybody := make([]*yearling, persons)
	for i := range everybody {
		y := &yearling{p: people.Person{Timezone: zones[i%len(zones)]}, planned: map[time.Time]*played{}, s: everyDay()}
		y.s.ID, y.s.StartsOn, y.s.Since = uuid.UUID{byte(i), byte(i >> 8)}, begin, begin
		switch i % 5 {
		case 0:
			y.s.Essential, y.s.RRule = false, "FREQ=WEEKLY;BYDAY=MO,WE,FR"
		case 1:
			y.s.Window, y.s.GraceMinutes = schedules.Window{From: "02:10", To: "02:50"}, 30 // where clocks change
		}
		away := begin.Add(time.Duration(r.IntN(365*24)) * time.Hour)
		back := away.AddDate(0, 0, 1+r.IntN(20))
		y.pauses = []people.Pause{{StartsAt: away, EndsAt: &back}}
		everybody[i] = y
	}
	due := &agenda{}
	statuses := map[schedules.Status]int{}
	settle := func(o *played, v schedules.Verdict) {
		o.Status, o.Why = v.Status, v.Why
		if v.Status == schedules.Due {
			o.NextAt = v.At
			heap.Push(due, o)
		}
	}
	plan := func(now time.Time) {
		to := day(now, time.UTC).AddDate(0, 0, 8)
		for _, y := range everybody {
			if r.IntN(200) == 0 { // they move: what is planned and not begun is planned again
				y.p.Timezone, y.to = zones[r.IntN(len(zones))], day(now, time.UTC)
			}
			from := y.to
			if from.IsZero() {
				from = begin
			}
			list, err := Plan(y.s, y.p, y.pauses, Holidays{"12-25"}, from.AddDate(0, 0, -2), to)
			if err != nil {
				t.Fatal(err)
			}
			y.to = to
			for _, p := range list {
				o, there := y.planned[p.Day]
				if there && (len(o.tries) > 0 || !o.Due.After(now) || o.Status.Settled() && o.Status != schedules.Skipped) {
					continue
				}
				if !there {
					o = &played{who: y}
					y.planned[p.Day] = o
				}
				queued := there && o.Status == schedules.Due
				o.Occurrence = schedules.Occurrence{
					Essential: y.s.Essential, Day: p.Day, WindowStart: p.WindowStart, Due: p.Due, WindowEnd: p.WindowEnd, Deadline: p.Deadline, NextAt: p.Due, Status: schedules.Due,
				}
				if p.Skip != "" {
					o.Status = schedules.Skipped
				} else if !queued {
					heap.Push(due, o)
				}
			}
		}
		heap.Init(due) // some have moved
	}
	calls := 0
	call := func(o *played, now time.Time) {
		calls++
		result := []schedules.Result{
			schedules.Reached, schedules.Reached, schedules.Reached, schedules.Reached, schedules.Reached, schedules.Reached, schedules.NoAnswer, schedules.NoAnswer, schedules.Busy, schedules.Machine, schedules.Dropped, schedules.Failed,
		}[r.IntN(12)]
		if result == schedules.Reached {
			o.made++
		}
		o.tries = append(o.tries, schedules.Attempt{N: len(o.tries) + 1, Result: result})
		o.Attempts = len(o.tries)
		settle(o, ladder.after(o.Occurrence, o.tries, now.Add(time.Duration(r.IntN(600))*time.Second)))
	}
	planned, down := time.Time{}, time.Time{}
	for now := begin; now.Before(end.AddDate(0, 0, 10)); now = now.Add(time.Minute) {
		if r.IntN(60*24*20) == 0 { // every third week nothing runs, for up to two weeks
			down = now.Add(time.Duration(r.IntN(14*24*60)) * time.Minute / time.Duration(1+r.IntN(100)))
		}
		if now.Before(down) && now.Before(end) {
			continue
		}
		if now.Sub(planned) >= 3*24*time.Hour {
			plan(now)
			planned = now
		}
		for due.Len() > 0 && !(*due)[0].NextAt.After(now) {
			o := heap.Pop(due).(*played)
			if o.Status != schedules.Due { // it was left out meanwhile
				continue
			}
			if now.After(o.Deadline) {
				settle(o, expired(schedules.Expired{Occurrence: o.Occurrence, Consented: true}))
				continue
			}
			call(o, now)
		}
	}
	for _, y := range everybody {
		wanted, err := Plan(y.s, people.Person{Timezone: "UTC"}, nil, nil, begin, day(end, time.UTC).AddDate(0, 0, -1))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range wanted {
			o, there := y.planned[w.Day]
			if !there {
				if w.Day.Sub(begin) > 2*24*time.Hour { // where they live, it was due before it was made
					t.Errorf("%s: %s was never planned", y.p.Timezone, w.Day.Format(time.DateOnly))
				}
				continue
			}
			statuses[o.Status]++
			if !o.Status.Settled() || o.made > 1 || (o.made == 1) != (o.Status == schedules.Done) {
				t.Errorf("%s: %+v was made %d times", y.p.Timezone, o.Occurrence, o.made)
			}
		}
	}
	t.Log(statuses, calls, "calls")
	if total := fmt.Sprint(statuses); statuses[schedules.Done] < 100_000 || statuses[schedules.Missed] == 0 || statuses[schedules.Skipped] == 0 {
		t.Errorf("%s shows nothing", total)
	}
}
