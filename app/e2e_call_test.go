package app_test

import (
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/naiber/naiber/store"
)

// A whole call: from the request for it to the summary in the database, and to
// the next start of the process, which finds it all again.
func TestWholeCall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{private: true})
	p := h.addPerson(nil)
	id := h.place(p)
	ring := h.ring()
	if ring.To != p.Phone || ring.From != houseNumber {
		t.Errorf("a telephone rings: %s from %s, want %s from %s", ring.To, ring.From, p.Phone, houseNumber)
	}
	set, err := ring.Answer()
	if err != nil {
		t.Fatal(err)
	}
	ada := listen(t, set)
	talkThrough(t, ada)
	c := h.settled(id)
	checkWholeCall(t, c, p)
	h.inPrivateDB(func(db *store.Store) { checkTimeline(t, db, id) })
	h.oneJob(id)

	if code, took := h.process.stop(t, syscall.SIGTERM); code != 0 || took > 10*time.Second {
		t.Errorf("SIGTERM: exit code %d after %v, want 0 soon", code, took)
	}
	h.open()
	again := h.call(id)
	if again.Summary != c.Summary || len(again.Transcript) != len(c.Transcript) || len(again.Turns) != len(c.Turns) {
		t.Errorf("after a restart the call is %+v, want %+v", again, c)
	}
	if code, _ := h.process.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("second SIGTERM: exit code %d, want 0", code)
	}
	if h.databaseRuns() {
		t.Error("the private database runs on after the process has ended")
	}
}

// talkThrough is Ada's side of the call: she tells of her garden, breaks in
// once, presses a key and says goodbye.
func talkThrough(t *testing.T, ada *elder) {
	t.Helper()
	first := ada.hears(t, "Ada", "Naiber", "artificial intelligence", "recorded")
	if !strings.Contains(first, "moment") {
		t.Errorf("the first message is %q, want it to ask whether the moment is good", first)
	}
	ada.answers(t, "Yes. I have been in the garden all morning, the roses are out.")
	ada.answers(t, "My son Tobias came on Sunday and we planted tomatoes.")
	ada.says(t, "And the cat slept in the wheelbarrow the whole afternoon.")
	ada.breaksIn(t, 3, "Wait, I hear the kettle. Let me tell you about the soup that I am cooking.")
	ada.listens(t) // what was left of the reply
	ada.listens(t)
	if err := ada.set.Press("7"); err != nil {
		t.Fatal(err)
	}
	ada.listens(t)
	ada.says(t, "Well, I must go now. Goodbye.")
	ada.listens(t)
	ada.waitsForEnd(t)
}

func checkWholeCall(t *testing.T, c callView, p person) {
	t.Helper()
	if c.UserID != p.ID || c.CallType != "general" || c.Direction != "outbound" || c.Status != "completed" ||
		c.Outcome != "reached" || c.EndedCause != "goodbye" || c.EndedBy != "naiber" || c.ConversationID == "" || c.CallSID == "" {
		t.Errorf("the call is %+v", c)
	}
	if c.FirstWordMS == nil || *c.FirstWordMS <= 0 {
		t.Errorf("first word after %v ms, want it known", c.FirstWordMS)
	}
	mine := c.said("user")
	for i, part := range []string{"roses", "Tobias", "wheelbarrow", "soup", "Goodbye"} {
		if !slices.ContainsFunc(mine, func(s string) bool { return strings.Contains(s, part) }) {
			t.Errorf("the transcript lacks what Ada said about %q (line %d): %q", part, i, mine)
		}
	}
	if !slices.IsSortedFunc(positions(mine, "roses", "Tobias", "wheelbarrow", "soup", "Goodbye"), func(a, b int) int { return a - b }) {
		t.Errorf("the transcript is out of order: %q", mine)
	}
	cut := 0
	for _, l := range c.Transcript {
		if l.Intended != "" {
			cut++
			if l.Role != "assistant" || !strings.HasPrefix(l.Intended, strings.TrimRight(l.Text, " .…")) || len(l.Text) >= len(l.Intended) {
				t.Errorf("cut short: heard %q of %q", l.Text, l.Intended)
			}
		}
	}
	if cut == 0 {
		t.Errorf("no line was cut short, want the one that Ada broke into: %+v", c.Transcript)
	}
	checkTurns(t, c)
	if len(c.Topics) == 0 || c.Topics[0]["label"] == "" || c.Topics[0]["mentions"] == nil {
		t.Errorf("topics %v, want some", c.Topics)
	}
}

func checkTurns(t *testing.T, c callView) {
	t.Helper()
	keypad := 0
	for _, turn := range c.Turns {
		if turn.Outcome == "spoken" && (turn.TTFTMS <= 0 || turn.Reply == "") {
			t.Errorf("spoken turn without its time or words: %+v", turn)
		}
		if turn.Kind == "keypad" && strings.Contains(turn.Heard, "[keypad: 7]") {
			keypad++
		}
	}
	if keypad != 1 || len(c.speech()) < 5 {
		t.Errorf("turns: %d of a key, %d of speech; want 1 and 5 or more: %+v", keypad, len(c.speech()), c.Turns)
	}
}

func checkTimeline(t *testing.T, db *store.Store, id string) {
	t.Helper()
	kinds, _ := timeline(t, db, id)
	order := []string{
		"queued", "dialled", "answered", "stream_started", "conversation_started", "first_word", "turn", "interrupted", "keypad",
		"goodbye", "ended", "post_call_scheduled", "post_call_started", "summary", "post_call_done",
	}
	// Callbacks and our own steps come from different sides, so these may change places.
	kinds = settleOrder(kinds)
	if missing := inOrder(kinds, order...); missing != "" {
		t.Errorf("the timeline lacks %s in its place: %v", missing, kinds)
	}
	for _, once := range []string{"initiated", "ringing", "answered", "first_word", "ended", "summary", "topics", "post_call_done"} {
		if n := count(kinds, once); n != 1 {
			t.Errorf("%d × %s on the timeline, want 1: %v", n, once, kinds)
		}
	}
}

// settleOrder moves what Twilio reports to where it belongs: its callbacks may
// come before the answer to our own request.
func settleOrder(kinds []string) []string {
	rank := map[string]int{"queued": 0, "dialled": 1, "initiated": 2, "ringing": 3, "answered": 4}
	early := slices.Collect(func(yield func(string) bool) {
		for _, k := range kinds {
			if _, ok := rank[k]; ok && !yield(k) {
				return
			}
		}
	})
	slices.SortStableFunc(early, func(a, b string) int { return rank[a] - rank[b] })
	rest := slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { _, ok := rank[k]; return ok })
	return append(early, rest...)
}

// positions is where each part first stands among lines.
func positions(lines []string, parts ...string) []int {
	out := make([]int, len(parts))
	for i, p := range parts {
		out[i] = slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, p) })
	}
	return out
}

// A stop in mid-call lets the call end by itself, then ends.
func TestStopDrainsTheCall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	id := h.place(h.addPerson(nil))
	ada := h.answer()
	ada.hears(t, "Naiber")
	if err := h.process.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	h.process.says(t, "draining calls")
	ada.answers(t, "I can hear you very well today, my dear.")
	ada.says(t, "Goodbye then.")
	ada.listens(t)
	ada.waitsForEnd(t)
	select {
	case <-h.process.exited:
	case <-time.After(patience):
		t.Fatal("the process does not end after its last call")
	}
	if h.process.code != 0 {
		t.Errorf("exit code %d, want 0", h.process.code)
	}
	h.open()
	if c := h.ended(id); c.Outcome != "reached" || c.EndedCause != "goodbye" {
		t.Errorf("the call that was drained: %+v", c)
	}
	if code, text := h.request(http.MethodGet, "/healthz", nil, nil); code != http.StatusOK {
		t.Errorf("healthz: %d %s", code, text)
	}
}
