package faults

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrUnknown is returned for a name that is not in [All].
var ErrUnknown = errors.New("unknown fault")

// maxMillis bounds a fault's time, in milliseconds: an hour is longer than any call.
const maxMillis = 60 * 60 * 1000

// Set holds the faults that are on. The zero value has none, and neither has a nil *Set, of which
// all methods but Set and Handle may be called. It is safe for concurrent use.
type Set struct {
	mu      sync.Mutex // guards the fields below
	on      map[string]fault
	actions map[string]func(value string)
}

// fault is a fault that is on.
type fault struct {
	value string
	left  int // how many more times it happens; negative: until it is switched off
}

// off is the value that switches a fault off.
const off = "off"

// Set switches name on. The value "" or "on" stands for the fault's default, and "off" switches
// it off. A value may end in "*N", as in "2000*1": the fault then happens N times. A Count's
// value is that N itself.
//
// An error (ErrUnknown for the name, otherwise one that explains the value) changes nothing. The
// function of an Action has run when Set returns.
func (s *Set) Set(name, value string) error {
	info, f, err := parse(name, value)
	if err != nil {
		return err
	}
	s.mu.Lock()
	act := s.actions[name]
	if s.on == nil {
		s.on = make(map[string]fault)
	}
	switch {
	case f.value == off:
		delete(s.on, name)
	case info.Kind != Action:
		s.on[name] = f
	}
	s.mu.Unlock()
	if info.Kind == Action && act != nil && f.value != off {
		act(f.value)
	}
	return nil
}

// Handle sets the function that is called whenever the Action name is set.
func (s *Set) Handle(name string, f func(value string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.actions == nil {
		s.actions = make(map[string]func(string))
	}
	s.actions[name] = f
}

// Take reports whether name is on, and returns its value. It is called where the fault happens,
// and uses up one of its limited number of times.
func (s *Set) Take(name string) (value string, on bool) {
	if s == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, on := s.on[name]
	if f.left--; f.left == 0 {
		delete(s.on, name)
	} else if f.left > 0 {
		s.on[name] = f
	}
	return f.value, on
}

// TakeDuration is like [Set.Take], for a fault of kind Millis.
func (s *Set) TakeDuration(name string) (time.Duration, bool) {
	v, on := s.Take(name)
	ms, err := strconv.Atoi(v)
	return time.Duration(ms) * time.Millisecond, on && err == nil
}

// On is like [Set.Take], without the value.
func (s *Set) On(name string) bool {
	_, on := s.Take(name)
	return on
}

// State is a fault and whether it is on.
type State struct {
	Info

	On    bool   `json:"on"`
	Value string `json:"value,omitempty"`
	// Left is how many more times it will happen; 0 means until it is switched off.
	Left int `json:"left,omitempty"`
}

// States returns all faults with their state.
func (s *Set) States() []State {
	if s == nil {
		s = new(Set)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []State
	for _, info := range All() {
		f, on := s.on[info.Name]
		out = append(out, State{info, on, f.value, max(f.left, 0)})
	}
	return out
}

// parse parses a value for name.
func parse(name, value string) (Info, fault, error) {
	all := All()
	i := slices.IndexFunc(all, func(i Info) bool { return i.Name == name })
	if i < 0 {
		return Info{}, fault{}, fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	info, f := all[i], fault{left: -1}
	value, times, limited := strings.Cut(value, "*")
	if f.value = value; value == "" || value == "on" {
		f.value = info.Default
	}
	bounds, bounded := map[Kind][2]int{Count: {1, maxMillis}, Millis: {0, maxMillis}, Status: {400, 599}}[info.Kind]
	n, err := strconv.Atoi(f.value)
	switch {
	case f.value == off:
		return info, f, nil
	case bounded && (err != nil || n < bounds[0] || n > bounds[1]):
		return Info{}, fault{}, fmt.Errorf("%s: %q is not a number from %d to %d", name, f.value, bounds[0], bounds[1])
	case info.Kind == Count:
		f.left = n
	}
	if limited {
		if f.left, err = strconv.Atoi(times); err != nil || f.left < 1 {
			return Info{}, fault{}, fmt.Errorf("%s: %q is not a number of times", name, times)
		}
	}
	return info, f, nil
}
