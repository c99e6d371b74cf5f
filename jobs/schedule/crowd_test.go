package schedule

import (
	"testing"
	"time"

	"github.com/naiber/naiber/store/schedules"
)

func TestCrowded(t *testing.T) {
	t.Parallel()
	nine := time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	due := func(n int, from, to time.Duration) (list []schedules.Occurrence) {
		for range n {
			list = append(list, schedules.Occurrence{WindowStart: nine.Add(from), Deadline: nine.Add(to)})
		}
		return list
	}
	l := schedules.Limits{AtOnce: 10, Every: time.Second}
	for _, test := range []struct {
		name string
		list []schedules.Occurrence
		want Crowd
	}{
		{"none", nil, Crowd{}},
		{"as many as fit", due(130, 0, time.Hour), Crowd{}},
		{"one more", due(131, 0, time.Hour), Crowd{nine, nine.Add(time.Hour), 131, 130}},
		{"room before and after does not help", append(due(60, 0, 10*time.Minute), due(1, 0, 8*time.Hour)...), Crowd{nine, nine.Add(10 * time.Minute), 60, 30}},
		{"more than the carrier begins", due(62, 0, time.Minute), Crowd{nine, nine.Add(time.Minute), 62, 10}},
	} {
		if got, ok := Crowded(test.list, l, 5*time.Minute); got != test.want || ok != (test.want.Calls > 0) {
			t.Errorf("%s: %+v, %t; want %+v", test.name, got, ok, test.want)
		}
	}
}
