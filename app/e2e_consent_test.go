package app_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// everywhere are the tables with a row that holds a text.
func (h *house) everywhere(text string) []string {
	h.t.Helper()
	var tables []string
	err := h.db.Pool().QueryRow(h.t.Context(), `select coalesce(array_agg(table_name), '{}') from information_schema.tables t
		where table_schema = 'public' and table_type = 'BASE TABLE' and (xpath('/row/found/text()', query_to_xml(
			format('select exists (select from %I r where r::text like %L) as found', table_name, '%' || $1::text || '%'), false, true, '')))[1]::text = 'true'`,
		text).Scan(&tables)
	if err != nil {
		h.t.Fatal(err)
	}
	slices.Sort(tables)
	return tables
}

// Whoever takes back in mid-call that their words are kept, from another process,
// has none kept that they say from then on; what was said before is offered for erasure.
func TestRecordingWithdrawnInMidCallKeepsNoMoreWords(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	p := h.addPerson(nil)
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "Naiber")
	ada.answers(t, "The roses are out this morning.")
	ada.answers(t, "And the beans too.")
	if found := h.everywhere("roses"); !slices.Contains(found, "utterances") || !slices.Contains(found, "call_events") {
		t.Fatalf("what is said before is in %v alone", found)
	}
	told := h.command("people", "revoke", p.ID, "recording", "--by", "Ada", "--how", "by letter")
	if !strings.Contains(told, "Kept from before: ") || !strings.Contains(told, "naiber people forget "+p.ID+" --all") {
		t.Errorf("the command said %q", told)
	}
	ada.answers(t, "The spare key lies under the doormat.")
	ada.answers(t, "Nobody else knows of it.")
	if found := h.everywhere("doormat"); len(found) > 0 {
		t.Errorf("during the call, what was said afterwards is in %v", found)
	}
	ada.says(t, "Well, I must go now. Goodbye.")
	ada.listens(t)
	ada.waitsForEnd(t)
	c := h.settled(id)
	if found := h.everywhere("doormat"); len(found) > 0 {
		t.Errorf("after the call, what was said afterwards is in %v", found)
	}
	if c.EndedCause != "goodbye" || !has(c.said("user"), "roses") {
		t.Errorf("ended by %s; what was said before is %q", c.EndedCause, c.said("user"))
	}
	h.command("people", "forget", p.ID, "--all", "--yes", "--verify")
	if found := h.everywhere("roses"); len(found) > 0 {
		t.Errorf("after the erasure, what was said before is in %v", found)
	}
}

// What is kept of a call in a care home, by what was agreed to.
func TestCareHomeKeepsWhatIsAgreedTo(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	for _, c := range []struct {
		name      string
		facility  bool
		scopes    []string
		says      string // in the first words
		disclosed string
		keeps     bool
	}{
		{"at home, recording", false, []string{"recording"}, "This call is recorded", "recorded", true},
		{"recording, agreed for the room", true, []string{"recording", "room"}, "This call is recorded", "recorded", true},
		{"transcript alone", true, []string{"recording", "transcript"}, "not recorded, but what we say is written down and kept", "written_down", true},
		{"recording, not agreed for the room", true, []string{"recording"}, "is not kept word for word", "not_kept", false},
		{"the room, not the person", true, []string{"room"}, "is not kept word for word", "not_kept", false},
	} {
		consent := object{"calls": true, "source": "signed form"}
		for _, s := range c.scopes {
			consent[s] = true
		}
		p := h.addPerson(object{"facility": c.facility, "consent": consent})
		id := h.place(p)
		ada := h.answer()
		ada.hears(t, c.says)
		word := "snapdragon" + strings.ReplaceAll(id, "-", "")[24:]
		ada.answers(t, "My "+word+" is out this morning.")
		ada.says(t, "Well, I must go now. Goodbye.")
		ada.listens(t)
		ada.waitsForEnd(t)
		view := h.settled(id)
		var told struct {
			Disclosed *struct {
				AI, Full  bool
				Recording string
			}
		}
		h.must(http.MethodGet, "/api/v1/calls/"+id, nil, &told)
		if d := told.Disclosed; d == nil || !d.AI || !d.Full || d.Recording != c.disclosed {
			t.Errorf("%s: disclosed %+v, want %s", c.name, d, c.disclosed)
		}
		if has(view.said("user"), word) != c.keeps {
			t.Errorf("%s: the transcript says %q", c.name, view.said("user"))
		}
		turns := 0
		for _, table := range h.everywhere(word) {
			if table == "turns" || table == "utterances" {
				turns++
			} else if !c.keeps {
				t.Errorf("%s: the words are in %s", c.name, table)
			}
		}
		if want := map[bool]int{true: 2}[c.keeps]; turns != want {
			t.Errorf("%s: the words are in %d of turns and utterances, want %d", c.name, turns, want)
		}
	}
}

// Whoever moves to a care home in mid-call is not kept from then on.
func TestMovedToACareHomeInMidCall(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{})
	p := h.addPerson(nil)
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "This call is recorded")
	ada.answers(t, "The roses are out this morning.")
	h.must(http.MethodPatch, "/api/v1/people/"+p.ID, object{"facility": true}, nil)
	ada.answers(t, "The spare key lies under the doormat.")
	ada.says(t, "Well, I must go now. Goodbye.")
	ada.listens(t)
	ada.waitsForEnd(t)
	h.settled(id)
	if found := h.everywhere("doormat"); len(found) > 0 {
		t.Errorf("what was said afterwards is in %v", found)
	}
}

// Whoever takes back in mid-call that they are remembered, from another process,
// is spoken with from then on as if nothing was known.
func TestMemoryWithdrawnInMidCallIsUsedNoMore(t *testing.T) {
	t.Parallel()
	h := openHouse(t, houseOptions{env: remembering})
	p := h.addPerson(nil)
	h.settled(tellsOfThomas(t, h, p))

	since := len(h.asked.all())
	id := h.place(p)
	ada := h.answer()
	ada.hears(t, "Naiber")
	ada.answers(t, "Good morning to you, it is a fine day.")
	if before := h.asked.all()[since:]; !has(before, "WHAT YOU REMEMBER", "Lisbon") {
		t.Fatalf("the call begins without memories:\n%s", strings.Join(before, "\n"))
	}
	if told := h.command("people", "revoke", p.ID, "memory", "--by", "Ada"); !strings.Contains(told, " facts") {
		t.Errorf("the command said %q", told)
	}
	since = len(h.asked.all())
	ada.answers(t, "Where does my grandson live now, do you remember?")
	ada.answers(t, "Never mind, tell me about the sea.")
	after := h.asked.all()[since:]
	if len(after) < 2 {
		t.Fatalf("the model was asked %d times", len(after))
	}
	for _, prompt := range after {
		for _, known := range []string{"Lisbon", "optician", "WHAT YOU REMEMBER", "RELEVANT MEMORIES"} {
			if strings.Contains(prompt, known) {
				t.Errorf("the model is still told of %s:\n%s", known, prompt)
			}
		}
	}
	ada.says(t, "I must go now. Goodbye.")
	ada.listens(t)
	ada.waitsForEnd(t)
	h.settled(id)
	if found := h.everywhere("tell me about the sea"); slices.Contains(found, "memory_turns") {
		t.Errorf("what was said afterwards is remembered, in %v", found)
	}
}
