package faults

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrUnknown is returned for a name that is not in [All].
var ErrUnknown = errors.New("unknown fault")

// maxMillis bounds a fault's time: an hour is longer than any call.
const maxMillis = 60 * 60 * 1000

// Set holds which faults are on. The zero value has none, and so has a nil
// *Set, of which everything but Set and Handle may be asked. It is safe for
// concurrent use.
type Set struct {
	mu      sync.Mutex // guards what follows
	on      map[string]fault
	actions map[string]func(value string)
}

// fault is one that is on.
type fault struct {
	value string
	left  int // how many times more; negative: until it is switched off
}

// Set switches name on. The value "" or "on" stands for the fault's default,
// and "off" switches it off. A value may end in "*N", as in "2000*1": it then
// happens N times. A Count's value is that N itself.
//
// An error (ErrUnknown for the name, otherwise one that explains the value)
// changes nothing. The function of an Action runs before Set returns.
func (s *Set) Set(name, value string) error {
	if value == "off" {
		return s.Clear(name)
	}
	info, f, err := parse(name, value)
	if err != nil {
		return err
	}
	s.mu.Lock()
	act := s.actions[name]
	if info.Kind != Action {
		if s.on == nil {
			s.on = make(map[string]fault)
		}
		s.on[name] = f
	}
	s.mu.Unlock()
	if info.Kind == Action && act != nil {
		act(f.value)
	}
	return nil
}

// Clear switches name off, on or not.
func (s *Set) Clear(name string) error {
	if _, ok := find(name); !ok {
		return fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.on, name)
	return nil
}

// Handle has f called whenever the Action name is set.
func (s *Set) Handle(name string, f func(value string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.actions == nil {
		s.actions = make(map[string]func(string))
	}
	s.actions[name] = f
}

// Lookup reports whether name is on, and its value. It does not use it up.
func (s *Set) Lookup(name string) (value string, on bool) {
	if s == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, on := s.on[name]
	return f.value, on
}

// Take is Lookup for the place where the fault happens: it uses up one of the
// times that it was to happen.
func (s *Set) Take(name string) (value string, on bool) {
	if s == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f, on := s.on[name]
	if !on {
		return "", false
	}
	if f.left--; f.left == 0 {
		delete(s.on, name)
	} else if f.left > 0 {
		s.on[name] = f
	}
	return f.value, true
}

// TakeDuration is Take for a fault of kind Millis.
func (s *Set) TakeDuration(name string) (time.Duration, bool) {
	v, on := s.Take(name)
	if !on {
		return 0, false
	}
	ms, err := strconv.Atoi(v)
	if err != nil {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}

// On is Take where the value does not matter.
func (s *Set) On(name string) bool {
	_, on := s.Take(name)
	return on
}

// State is a fault and whether it is on.
type State struct {
	Info

	On    bool   `json:"on"`
	Value string `json:"value,omitempty"`
	// Left is how many times more it will happen; 0 means until it is
	// switched off.
	Left int `json:"left,omitempty"`
}

// States lists all faults with their state.
func (s *Set) States() []State {
	infos := All()
	out := make([]State, len(infos))
	for i, info := range infos {
		out[i].Info = info
		if s == nil {
			continue
		}
		s.mu.Lock()
		if f, on := s.on[info.Name]; on {
			out[i].On, out[i].Value, out[i].Left = true, f.value, max(f.left, 0)
		}
		s.mu.Unlock()
	}
	return out
}

// parse reads a value for name.
func parse(name, value string) (Info, fault, error) {
	info, ok := find(name)
	if !ok {
		return Info{}, fault{}, fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	value, times, limited := strings.Cut(value, "*")
	if value == "" || value == "on" {
		value = info.Default
	}
	f := fault{value: value, left: -1}
	if limited {
		n, err := strconv.Atoi(times)
		if err != nil || n < 1 {
			return Info{}, fault{}, fmt.Errorf("%s: %q is not a number of times", name, times)
		}
		f.left = n
	}
	lowest, highest := 0, 0
	switch info.Kind {
	case Count:
		lowest, highest = 1, maxMillis
	case Millis:
		lowest, highest = 0, maxMillis
	case Status:
		lowest, highest = 400, 599
	case Switch, Action:
		return info, f, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < lowest || n > highest {
		return Info{}, fault{}, fmt.Errorf("%s: %q is not a number from %d to %d", name, value, lowest, highest)
	}
	if info.Kind == Count && !limited {
		f.left = n
	}
	return info, f, nil
}
