package twilio

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

func callPage(calls ...map[string]any) http.HandlerFunc {
	return answerJSON(http.StatusOK, map[string]any{"calls": calls})
}

func TestPlaceCall(t *testing.T) {
	t.Parallel()
	now := time.Now().Add(time.Minute) // not before what is asked below, whenever that is
	ours := wireCallAt("CA1", testFrom, now)
	placed := answerJSON(http.StatusCreated, wireCallAt("CA2", testFrom, now))
	inbound := wireCallAt("CA3", testFrom, now)
	inbound["direction"] = "inbound"
	strangers := callPage(
		wireCallAt("CA9", "+15550109999", now),           // another of our numbers
		wireCallAt("CA8", testFrom, now.Add(-time.Hour)), // an earlier call
		inbound,
	)
	const post, get = http.MethodPost, http.MethodGet
	for _, tt := range []struct {
		name     string
		handlers []http.HandlerFunc
		want     CallSID
		class    Class
		methods  []string
	}{
		{"at once", []http.HandlerFunc{placed}, "CA2", ClassOther, []string{post}},
		{"refused", []http.HandlerFunc{answerError(400, 21211)}, "", ClassNumber, []string{post}},
		{"lost answer, call found", []http.HandlerFunc{hangUpOnClient, callPage(ours)}, "CA1", ClassOther, []string{post, get}},
		{"call shows up late", []http.HandlerFunc{hangUpOnClient, callPage(), strangers, callPage(ours)}, "CA1", ClassOther, []string{post, get, get, get}},
		{"never placed", []http.HandlerFunc{answerError(503, 0), strangers, strangers, strangers, placed}, "CA2", ClassOther, []string{post, get, get, get, post}},
		{"lost twice, then found", []http.HandlerFunc{hangUpOnClient, callPage(), callPage(), callPage(), hangUpOnClient, callPage(ours)}, "CA1", ClassOther, []string{post, get, get, get, post, get}},
		{"lost twice, never found", []http.HandlerFunc{
			hangUpOnClient, callPage(), callPage(), callPage(), hangUpOnClient, callPage(),
		}, "", ClassOutcomeUnknown, []string{post, get, get, get, post, get, get, get}},
		{"no look, no retry", []http.HandlerFunc{hangUpOnClient, answerError(401, 20003)}, "", ClassOutcomeUnknown, []string{post, get}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, s := serve(t, tt.handlers...)
			call, err := c.PlaceCall(t.Context(), testRequest)
			if call.SID != tt.want || (err == nil) != (tt.want != "") || ClassOf(err) != tt.class {
				t.Errorf("got %q, %v (%v); want %q (%v)", call.SID, err, ClassOf(err), tt.want, tt.class)
			}
			var methods []string
			for _, r := range s.requests() {
				methods = append(methods, r.method)
				if r.method == get && r.query.Get("To") != testTo {
					t.Errorf("looked for %v", r.query)
				}
			}
			if len(methods) != len(tt.methods) {
				t.Fatalf("requests %v, want %v", methods, tt.methods)
			}
			for i := range methods {
				if methods[i] != tt.methods[i] {
					t.Fatalf("requests %v, want %v", methods, tt.methods)
				}
			}
		})
	}
}

// TestPlaceCallMindsTheServersClock: with Twilio's clock ten minutes ahead, a
// call of five minutes ago looks recent to ours.
func TestPlaceCallMindsTheServersClock(t *testing.T) {
	t.Parallel()
	server := time.Now().Add(10 * time.Minute)
	at := func(h http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", server.UTC().Format(http.TimeFormat))
			h(w, r)
		}
	}
	old := at(callPage(wireCallAt("CA8", testFrom, server.Add(-5*time.Minute))))
	c, _ := serve(t, hangUpOnClient, old, old, old, answerJSON(http.StatusCreated, wireCallAt("CA2", testFrom, server)))
	if call, err := c.PlaceCall(t.Context(), testRequest); err != nil || call.SID != "CA2" {
		t.Errorf("got %q, %v", call.SID, err)
	}
}

func TestPlaceCallCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c, s := serve(t, hangUpOnClient, callPage())
	c.lookWait = time.Hour
	time.AfterFunc(time.Second, cancel) // long after both answers
	_, err := c.PlaceCall(ctx, testRequest)
	if !errors.Is(err, context.Canceled) || ClassOf(err) != ClassOutcomeUnknown {
		t.Errorf("err = %v", err)
	}
	if n := len(s.requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestFindCalls(t *testing.T) {
	t.Parallel()
	now := time.Now().Truncate(time.Second)
	c, s := serve(t, callPage(wireCallAt("CA2", testFrom, now), wireCallAt("CA1", testFrom, now.Add(-time.Minute)), map[string]any{}))
	calls, err := c.FindCalls(t.Context(), testTo, now.Add(-time.Second))
	if err != nil || len(calls) != 1 || calls[0].SID != "CA2" {
		t.Errorf("calls %v, err %v", calls, err)
	}
	if q := s.requests()[0].query; q.Get("PageSize") != "20" {
		t.Errorf("query %v", q)
	}
	if calls, err := c.FindCalls(t.Context(), testTo, time.Time{}); err != nil || len(calls) != 2 {
		t.Errorf("calls %v, err %v", calls, err)
	}
}
