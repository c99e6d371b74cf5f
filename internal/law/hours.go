package law

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Span is a part of a day, in seconds after midnight: from From up to, but not including, To.
type Span struct{ From, To int }

// UnmarshalText parses "08:00-21:00".
func (s *Span) UnmarshalText(text []byte) error {
	from, to, _ := strings.Cut(string(text), "-")
	start, err1 := time.Parse("15:04", from)
	end, err2 := time.Parse("15:04", to)
	if err1 != nil || err2 != nil || !start.Before(end) {
		return fmt.Errorf("%q is no part of a day", text)
	}
	*s = Span{seconds(start), seconds(end)}
	return nil
}

// Clock returns the span's ends as "15:04".
func (s Span) Clock() (from, to string) {
	midnight := time.Time{}
	return midnight.Add(time.Duration(s.From) * time.Second).Format("15:04"), midnight.Add(time.Duration(s.To) * time.Second).Format("15:04")
}

func seconds(t time.Time) int { return t.Hour()*3600 + t.Minute()*60 + t.Second() }

// Hours holds when calls may be placed, on the clock of the place.
type Hours struct {
	Days     Span  `yaml:"days"`
	Saturday *Span `yaml:"saturday"` // nil: the same as Days
	Sunday   *Span `yaml:"sunday"`
	// Why, Source and Verified are as in a [Rule]; they apply to hours as written in law.yaml.
	Why      string `yaml:"why"`
	Source   string `yaml:"source"`
	Verified string `yaml:"verified"`
}

// On returns the part of a weekday during which calls may be placed. For nil Hours it is the whole
// day.
func (h *Hours) On(day time.Weekday) Span {
	switch {
	case h == nil:
		return Span{To: 24 * 3600}
	case day == time.Saturday && h.Saturday != nil:
		return *h.Saturday
	case day == time.Sunday && h.Sunday != nil:
		return *h.Sunday
	}
	return h.Days
}

// Open reports whether a call may be placed at t, on the clock in t's location.
func (h *Hours) Open(t time.Time) bool {
	s, at := h.On(t.Weekday()), seconds(t)
	return s.From <= at && at < s.To
}

// with returns the hours that both h and other allow.
func (h *Hours) with(other *Hours) *Hours {
	if h == nil || other == nil {
		return cmp.Or(h, other)
	}
	both := func(day time.Weekday) Span {
		a, b := h.On(day), other.On(day)
		return Span{max(a.From, b.From), min(a.To, b.To)}
	}
	saturday, sunday := both(time.Saturday), both(time.Sunday)
	return &Hours{Days: both(time.Monday), Saturday: &saturday, Sunday: &sunday}
}
