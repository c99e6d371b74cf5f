package api

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// Whoever changes one thing takes nothing back that others change at the same time.
func TestConcurrentPatchesLoseNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	me := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	want := map[string]string{
		"name": "Ada Lovelace", "preferredName": "Ada", "phone": "+15550100199", "timezone": "Europe/Berlin", "language": "de",
		"address": "12 St James's Square", "notes": "Likes whist", "conditions.0": "diabetes", "medications.0": "insulin", "quietHours.start": "21:00",
	}
	bodies := []string{`{"conditions":["diabetes"]}`, `{"medications":["insulin"]}`, `{"quietHours":{"start":"21:00","end":"09:00"}}`}
	for _, field := range []string{"name", "preferredName", "phone", "timezone", "language", "address", "notes"} {
		bodies = append(bodies, fmt.Sprintf(`{%q:%q}`, field, want[field]))
	}
	var all sync.WaitGroup
	for range 2 {
		for _, body := range bodies {
			all.Go(func() { r.ok(http.StatusOK, http.MethodPatch, me, body) })
		}
	}
	all.Wait()
	got := r.ok(http.StatusOK, http.MethodGet, me, "")
	for field, value := range want {
		if is := got.get(field).String(); is != value {
			t.Errorf("%s = %q, want %q", field, is, value)
		}
	}
}

func TestPatchIfMatch(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	me := "/api/v1/people/" + r.person("Ada King", "+15550100123")
	first := r.ok(http.StatusOK, http.MethodGet, me, "").header.Get("ETag")
	second := r.ok(http.StatusOK, http.MethodPatch, me, `{"notes":"one"}`, "If-Match", first).header.Get("ETag")
	if first == "" || second == first {
		t.Fatalf("ETag %q became %q", first, second)
	}
	r.problem(http.StatusPreconditionFailed, http.MethodPatch, me, `{"notes":"two"}`, "If-Match", first)
	if got := r.ok(http.StatusOK, http.MethodGet, me, ""); got.get("notes").String() != "one" || got.header.Get("ETag") != second {
		t.Errorf("after the refusal: %s, %s", got.get("notes"), got.header.Get("ETag"))
	}
	for _, known := range []string{"*", `"other", `, ""} {
		tag := known
		if known != "*" {
			tag += second
		}
		second = r.ok(http.StatusOK, http.MethodPatch, me, `{"notes":"three"}`, "If-Match", tag).header.Get("ETag")
	}
}
