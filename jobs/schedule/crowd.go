package schedule

import (
	"slices"
	"time"

	"github.com/naiber/naiber/store/schedules"
)

// Crowd is a period in which more calls must be made than are possible.
type Crowd struct {
	From, To   time.Time
	Calls, Fit int
}

// Crowded returns the period in which the calls that must start and end in it exceed what
// limits allow by the most, if each call takes as long as each. ok is false if all can be
// made.
func Crowded(list []schedules.Occurrence, l schedules.Limits, each time.Duration) (worst Crowd, ok bool) {
	var starts, ends []time.Time
	for _, o := range list {
		starts, ends = append(starts, o.WindowStart), append(ends, o.Deadline)
	}
	distinct := func(all []time.Time) []time.Time {
		slices.SortFunc(all, time.Time.Compare)
		return slices.CompactFunc(all, time.Time.Equal)
	}
	for _, from := range distinct(starts) {
		for _, to := range distinct(ends) {
			if !to.After(from) {
				continue
			}
			c := Crowd{From: from, To: to, Fit: min(int(to.Sub(from)/each+1)*l.AtOnce, int(to.Sub(from)/max(l.Every, time.Millisecond))+1)}
			for _, o := range list {
				if !o.WindowStart.Before(from) && !o.Deadline.After(to) {
					c.Calls++
				}
			}
			if c.Calls-c.Fit > worst.Calls-worst.Fit {
				worst, ok = c, true
			}
		}
	}
	return worst, ok
}
