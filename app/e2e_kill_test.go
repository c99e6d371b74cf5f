package app_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
)

// The process dies in mid-call and another one takes its place: the person
// hears an apology, and the conversation goes on where it was.
func TestKillInMidCall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{private: true})
	id := h.place(h.addPerson(nil))
	ada := h.answer()
	ada.hears(t, "My name is Naiber", "moment")
	ada.answers(t, "Yes. My canary Pavarotti sang this morning.")
	ada.answers(t, "And my sister Beatrice has sent me a postcard from Lisbon.")
	before := h.call(id)
	h.restart()
	apology := ada.hears(t, "sorry", "the line broke")
	if strings.Contains(apology, "My name is") || strings.Contains(apology, "artificial") {
		t.Errorf("after the break was heard %q, want an apology and no new greeting", apology)
	}
	asked := len(h.asked.all())
	ada.answers(t, "That is all right. I wanted to tell you about the harbour in winter.")
	if later := strings.Join(h.asked.all()[asked:], "\n"); !containsAll(later, "Pavarotti", "Beatrice", "harbour") {
		t.Error("the model was not told what had been said before the line broke")
	}
	ada.says(t, "Goodbye now.")
	ada.listens(t)
	ada.waitsForEnd(t)

	c := h.settled(id)
	mine := c.said("user")
	for _, part := range []string{"Pavarotti", "Beatrice", "harbour", "Goodbye"} {
		if n := len(slices.DeleteFunc(slices.Clone(mine), func(s string) bool { return !strings.Contains(s, part) })); n != 1 {
			t.Errorf("%q is in the transcript %d times, want once: %q", part, n, mine)
		}
	}
	if !slices.IsSorted(positions(mine, "Pavarotti", "Beatrice", "harbour", "Goodbye")) {
		t.Errorf("the transcript is out of order: %q", mine)
	}
	if c.ID != before.ID || c.CallSID != before.CallSID || c.Reconnects < 1 || c.Outcome != "reached" || c.EndedCause != "goodbye" {
		t.Errorf("the call is %+v, was %+v", c, before)
	}
	h.oneJob(id)
	h.inPrivateDB(func(db *store.Store) {
		kinds, _ := timeline(t, db, id)
		if missing := inOrder(kinds, "conversation_started", "turn", "reconnecting", "stream_started", "conversation_started", "turn", "ended"); missing != "" {
			t.Errorf("the timeline lacks %s in its place: %v", missing, kinds)
		}
		if n := count(kinds, "ended") + count(kinds, "post_call_done") + count(kinds, "first_word"); n != 3 {
			t.Errorf("ended, post_call_done and first_word are on the timeline %d times together, want once each: %v", n, kinds)
		}
	})
}

// The process dies in mid-call and comes back when the call is over: the call is
// settled at the start, and its words are not lost.
func TestKillAndComeBackTooLate(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	id := h.place(h.addPerson(nil))
	ada := h.answer()
	ada.hears(t, "My name is Naiber")
	ada.answers(t, "I have been mending the old clock in the hall.")
	await(h, "what Ada said", func() (callView, bool) {
		c := h.call(id)
		return c, len(c.said("user")) == 1 && len(c.said("assistant")) >= 2
	})
	h.process.kill()
	ada.set.HangUp()
	ada.waitsForEnd(t)
	await(h, "the last callback to be given up", func() (int, bool) { n := h.world.Phones().Live(); return n, n == 0 })
	h.open()
	c := h.settled(id)
	if c.Status != "completed" || c.Outcome != "reached" || c.EndedCause != "process_restart" && c.EndedCause != "hung_up" {
		t.Errorf("the orphaned call is %+v", c)
	}
	if !containsAll(strings.Join(c.said("user"), " "), "clock in the hall") {
		t.Errorf("the transcript has %q from Ada", c.said("user"))
	}
	h.oneJob(id)
	kinds, _ := timeline(t, h.db, id)
	if missing := inOrder(kinds, "turn", "ended", "post_call_scheduled", "post_call_done"); missing != "" {
		t.Errorf("the timeline lacks %s in its place: %v", missing, kinds)
	}
}

// The private database is killed in mid-call: it comes back by itself, and the
// call goes on.
func TestDatabaseKilledInMidCall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{private: true})
	id := h.place(h.addPerson(nil))
	ada := h.answer()
	ada.hears(t, "My name is Naiber", "moment")
	ada.answers(t, "Yes. My canary Pavarotti sang this morning.")
	state, err := os.ReadFile(filepath.Join(h.dir, "postgres", "cluster", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(state), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ada.answers(t, "And my sister Beatrice has sent me a postcard from Lisbon.")
	await(h, "the database", func() (int, bool) {
		code, _ := h.request(http.MethodGet, "/api/v1/calls/"+id, nil, nil)
		return code, code == http.StatusOK
	})
	t.Logf("the database was back after %v", time.Since(began))
	ada.answers(t, "I wanted to tell you about the harbour in winter.")
	ada.says(t, "Goodbye now.")
	ada.listens(t)
	ada.waitsForEnd(t)
	c := h.settled(id)
	if mine := strings.Join(c.said("user"), "\n"); !containsAll(mine, "Pavarotti", "harbour", "Goodbye") {
		t.Errorf("the transcript has %q", mine)
	}
	if c.Reconnects != 0 || c.Outcome != "reached" || c.EndedCause != "goodbye" {
		t.Errorf("the call is %+v", c)
	}
	h.oneJob(id)
}
