package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
)

// object is JSON that is written, or read where its shape does not matter.
type object = map[string]any

// callView is a call as the API shows it.
type callView struct {
	ID             string   `json:"id"`
	UserID         string   `json:"userId"`
	CallType       string   `json:"callType"`
	Direction      string   `json:"direction"`
	Status         string   `json:"status"`
	Outcome        string   `json:"outcome"`
	EndedCause     string   `json:"endedCause"`
	EndedBy        string   `json:"endedBy"`
	CallSID        string   `json:"callSid"`
	ConversationID string   `json:"conversationId"`
	AnsweredBy     string   `json:"answeredBy"`
	Reconnects     int      `json:"reconnects"`
	FirstWordMS    *int     `json:"firstWordMs"`
	Summary        string   `json:"summary"`
	Topics         []object `json:"topics"`
	Transcript     []struct {
		Role     string `json:"role"`
		Text     string `json:"text"`
		Intended string `json:"intended"`
	} `json:"transcript"`
	Turns []turnView `json:"turns"`
}

type turnView struct {
	Place   int     `json:"place"`
	Attempt int     `json:"attempt"`
	Kind    string  `json:"kind"`
	Heard   string  `json:"heard"`
	Reply   string  `json:"reply"`
	Outcome string  `json:"outcome"`
	Model   string  `json:"model"`
	TTFTMS  float64 `json:"ttftMs"`
	Filler  bool    `json:"filler"`
	Joined  int     `json:"joined"`
}

// said is what one side said, line by line.
func (c callView) said(role string) []string {
	var out []string
	for _, l := range c.Transcript {
		if l.Role == role {
			out = append(out, l.Text)
		}
	}
	return out
}

// speech is the turns in which the person said something.
func (c callView) speech() []turnView {
	return slices.DeleteFunc(slices.Clone(c.Turns), func(t turnView) bool { return t.Kind != "speech" })
}

// request asks the house for something and returns the status and the body,
// which it also decodes where into is given and the answer is a success.
func (h *house) request(method, path string, body, into any) (int, string) {
	h.t.Helper()
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			h.t.Fatal(err)
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, r)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+houseAPIToken)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatalf("%s %s: %v", method, path, err)
	}
	if into != nil && resp.StatusCode < 300 {
		if err := json.Unmarshal(text, into); err != nil {
			h.t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return resp.StatusCode, string(text)
}

// must is request for what must succeed.
func (h *house) must(method, path string, body, into any) {
	h.t.Helper()
	if code, text := h.request(method, path, body, into); code >= 300 {
		h.t.Fatalf("%s %s: %d %s", method, path, code, text)
	}
}

var phoneNumbers atomic.Int64

// newPhone is a telephone number that nobody has yet.
func newPhone() string { return "+155501" + strconv.FormatInt(10000+phoneNumbers.Add(1), 10) }

// person is somebody whom the house may phone.
type person struct{ ID, Phone string }

// addPerson adds somebody who has agreed to everything and may be phoned at any
// hour; with changes other than that.
func (h *house) addPerson(changes object) person {
	h.t.Helper()
	p := person{Phone: newPhone()}
	body := object{
		"name": "Ada Winter", "preferredName": "Ada", "phone": p.Phone, "timezone": "America/St_Johns",
		"notes": "Loves her garden in Kilbride.", "medications": []string{"warfarin"},
		"contacts":   []object{{"name": "Tobias Winter", "relation": "son"}},
		"consent":    object{"calls": true, "recording": true, "memory": true, "source": "signed form"},
		"quietHours": object{"start": "00:00", "end": "00:00"},
	}
	maps.Copy(body, changes)
	var out struct {
		ID string `json:"id"`
	}
	h.must(http.MethodPost, "/api/v1/people", body, &out)
	p.ID = out.ID
	return p
}

// place asks for a call to p and returns its id.
func (h *house) place(p person) string { return h.placeAs(p, "general") }

// placeAs asks for a call of a type.
func (h *house) placeAs(p person, callType string) string {
	h.t.Helper()
	var out struct {
		CallID, CallSID, Status string
	}
	code, text := h.request(http.MethodPost, "/call", object{"userId": p.ID, "callType": callType}, &out)
	if code != http.StatusAccepted || out.CallID == "" || out.CallSID == "" || out.Status == "" {
		h.t.Fatalf("POST /call: %d %s", code, text)
	}
	return out.CallID
}

// call is a call as it stands.
func (h *house) call(id string) callView {
	h.t.Helper()
	var c callView
	h.must(http.MethodGet, "/api/v1/calls/"+id, nil, &c)
	return c
}

// follow reads a call's timeline over the API until an event of the kind came.
func (h *house) follow(id, kind string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url+"/api/v1/calls/"+id+"/events", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+houseAPIToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatalf("follow call %s: %v", id, err)
	}
	defer func() { _ = resp.Body.Close() }()
	var seen []string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if k, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			seen = append(seen, k)
			if k == kind {
				return
			}
		}
	}
	h.t.Fatalf("no %s on the timeline of call %s: %v", kind, id, seen)
}

// ended waits until a call has ended.
func (h *house) ended(id string) callView {
	h.t.Helper()
	h.follow(id, "ended")
	return h.call(id)
}

// settled waits until the work after a call is done too, and every turn has its result.
func (h *house) settled(id string) callView {
	h.t.Helper()
	h.follow(id, "post_call_done")
	return await(h, "the last turn of call "+id, func() (callView, bool) {
		c := h.call(id)
		return c, !slices.ContainsFunc(c.Turns, func(t turnView) bool { return t.Outcome == "" })
	})
}

// await asks until the answer is right.
func await[T any](h *house, what string, ask func() (T, bool)) T {
	h.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		got, ok := ask()
		if ok {
			return got
		}
		select {
		case <-again.C:
		case <-limit.C:
			h.t.Fatalf("waited in vain for %s; last: %+v", what, got)
		}
	}
}

// timeline is the kinds of a call's events in order, and the events.
func timeline(t *testing.T, db *store.Store, id string) ([]string, []calls.Event) {
	t.Helper()
	call, err := store.ParseCallID(id)
	if err != nil {
		t.Fatal(err)
	}
	events, err := db.EventsAfter(t.Context(), call, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make([]string, len(events))
	for i, e := range events {
		kinds[i] = e.Kind
	}
	return kinds, events
}

// count is how often want is among kinds.
func count(kinds []string, want string) int {
	n := 0
	for _, k := range kinds {
		if k == want {
			n++
		}
	}
	return n
}

// inOrder reports the first of want that is not among kinds behind the one
// before it.
func inOrder(kinds []string, want ...string) string {
	for _, w := range want {
		i := slices.Index(kinds, w)
		if i < 0 {
			return w
		}
		kinds = kinds[i+1:]
	}
	return ""
}

// jobsOf are the jobs of a call, as `naiber jobs list` shows them.
func (h *house) jobsOf(id string) []jobs.Job {
	h.t.Helper()
	var list []struct {
		jobs.Job
		Args json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal([]byte(h.command("jobs", "list", "--json")), &list); err != nil {
		h.t.Fatalf("jobs list: %v", err)
	}
	var of []jobs.Job
	for _, j := range list {
		if strings.Contains(string(j.Args), id) {
			of = append(of, j.Job)
		}
	}
	return of
}

// oneJob checks that a call has exactly one job, and that it is done.
func (h *house) oneJob(id string) {
	h.t.Helper()
	got := await(h, "the job of call "+id, func() ([]jobs.Job, bool) {
		list := h.jobsOf(id)
		return list, len(list) > 0 && list[0].State == "completed"
	})
	if len(got) != 1 || got[0].Kind != "post_call" {
		h.t.Errorf("jobs of the call: %+v, want one post_call", got)
	}
}
