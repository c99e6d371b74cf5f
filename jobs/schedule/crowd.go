package schedule

import (
	"slices"
	"time"

	"github.com/naiber/naiber/store/schedules"
)

// Crowd is a time in which more calls are to be made than can be.
type Crowd struct {
	From, To   time.Time
	Calls, Fit int
}

// Crowded returns the time in which the calls that must begin and end in it are the most above what limits
// let through, where each lasts as long as usual. ok is false where all can be made.
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
