package faults_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/app/sandbox/faults"
)

func TestEveryFaultIsDescribedAndHasAUsableDefault(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, info := range faults.All() {
		if seen[info.Name] {
			t.Errorf("%s is listed twice", info.Name)
		}
		seen[info.Name] = true
		if info.Description == "" || info.Where == "" || info.Default == "" {
			t.Errorf("%s is not described: %+v", info.Name, info)
		}
		if err := new(faults.Set).Set(info.Name, ""); err != nil {
			t.Errorf("%s with its default: %v", info.Name, err)
		}
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, fault, value string
		want               string // the value; "" for an error
		times              int    // how often Take gives it, up to 5
	}{
		{"switch", faults.RepeatedTurn, "", "on", 5},
		{"switch by any word", faults.RepeatedTurn, "yes", "yes", 5},
		{"count", faults.RateLimit, "3", "3", 3},
		{"count by default", faults.RateLimit, "on", "1", 1},
		{"time", faults.SlowModel, "250", "250", 5},
		{"time, twice", faults.SlowModel, "250*2", "250", 2},
		{"default time, once", faults.DroppedStream, "*1", "3000", 1},
		{"status", faults.ModelError, "503", "503", 5},
		{"not a time", faults.SlowModel, "soon", "", 0},
		{"negative time", faults.SlowModel, "-1", "", 0},
		{"not a count", faults.RateLimit, "0", "", 0},
		{"not a number of times", faults.SlowModel, "5*x", "", 0},
		{"not an error status", faults.ModelError, "200", "", 0},
		{"unknown", "earthquake", "", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s faults.Set
			err := s.Set(tt.fault, tt.value)
			if (err == nil) != (tt.want != "") {
				t.Fatalf("Set: %v", err)
			}
			times := 0
			for range 5 {
				if v, on := s.Take(tt.fault); on && v == tt.want {
					times++
				}
			}
			if times != tt.times {
				t.Errorf("taken %d times, want %d", times, tt.times)
			}
		})
	}
}

func TestSwitchOff(t *testing.T) {
	t.Parallel()
	var s faults.Set
	if err := s.Set(faults.SlowModel, "40"); err != nil {
		t.Fatal(err)
	}
	if d, on := s.TakeDuration(faults.SlowModel); !on || d != 40*time.Millisecond {
		t.Errorf("TakeDuration: %v %t", d, on)
	}
	if err := s.Set(faults.SlowModel, "off"); err != nil {
		t.Fatal(err)
	}
	if s.On(faults.SlowModel) {
		t.Error("still on")
	}
	if err := s.Set("earthquake", "off"); !errors.Is(err, faults.ErrUnknown) {
		t.Errorf("clear unknown: %v", err)
	}
}

func TestNilHasNone(t *testing.T) {
	t.Parallel()
	var s *faults.Set
	if s.On(faults.SlowModel) || s.States()[0].On {
		t.Error("a nil set has a fault")
	}
	if _, on := s.TakeDuration(faults.SlowModel); on {
		t.Error("a nil set has a fault")
	}
}

func TestAction(t *testing.T) {
	t.Parallel()
	var (
		s    faults.Set
		got  string
		runs int
	)
	s.Handle(faults.Restart, func(v string) { got, runs = v, runs+1 })
	if err := s.Set(faults.Restart, ""); err != nil {
		t.Fatal(err)
	}
	if runs != 1 || got != "now" {
		t.Errorf("ran %d times with %q", runs, got)
	}
	if s.On(faults.Restart) {
		t.Error("an action stays on")
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, method, body string
		code               int
		on                 string // the faults that are on afterwards, with values
	}{
		{"list", http.MethodGet, "", 200, "slow_model=5"},
		{"switch on", http.MethodPut, `{"429": 2, "repeated_turn": true}`, 200, "429=2 repeated_turn=on slow_model=5"},
		{"switch off", http.MethodPut, `{"slow_model": null}`, 200, ""},
		{"switch off by false", http.MethodPut, `{"slow_model": false}`, 200, ""},
		{"one mistake changes nothing", http.MethodPut, `{"429": 2, "slow_model": "x"}`, 422, "slow_model=5"},
		{"unknown", http.MethodPut, `{"earthquake": 1}`, 422, "slow_model=5"},
		{"unknown off", http.MethodPut, `{"earthquake": null}`, 422, "slow_model=5"},
		{"a list", http.MethodPut, `{"slow_model": [1]}`, 422, "slow_model=5"},
		{"not JSON", http.MethodPut, `slow`, 400, "slow_model=5"},
		{"too large", http.MethodPut, `{"slow_model": "` + strings.Repeat("5", 70<<10) + `"}`, 413, "slow_model=5"},
		{"wrong method", http.MethodDelete, "", 405, "slow_model=5"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s faults.Set
			if err := s.Set(faults.SlowModel, "5"); err != nil {
				t.Fatal(err)
			}
			rec := httptest.NewRecorder()
			s.Handler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), tt.method, "/faults", strings.NewReader(tt.body)))
			if rec.Code != tt.code {
				t.Errorf("status %d, want %d: %s", rec.Code, tt.code, rec.Body)
			}
			if !json.Valid(rec.Body.Bytes()) {
				t.Errorf("not JSON: %s", rec.Body)
			}
			var on []string
			for _, st := range s.States() {
				if st.On {
					on = append(on, st.Name+"="+st.Value)
				}
			}
			if got := strings.Join(on, " "); got != tt.on {
				t.Errorf("on: %q, want %q", got, tt.on)
			}
		})
	}
}

func FuzzSet(f *testing.F) {
	f.Add("slow_model", "20*3")
	f.Add("429", "1")
	f.Fuzz(func(t *testing.T, name, value string) {
		var s faults.Set
		err := s.Set(name, value)
		if s.On(name) && err != nil {
			t.Errorf("%q on in spite of %v", name, err)
		}
	})
}
