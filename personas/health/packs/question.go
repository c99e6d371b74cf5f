package packs

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/naiber/naiber/store/checks"
)

// Question is one question of a session. It contains all its words, so that a check that has begun
// continues with the same question even if the packs change.
type Question struct {
	Item

	Pack     string   `json:"pack"`
	Version  string   `json:"version"`
	Screen   bool     `json:"screen,omitempty"`   // part of an instrument; a call has at most one
	Verbatim bool     `json:"verbatim,omitempty"` // no model may reword it
	Intro    string   `json:"intro,omitempty"`    // only with the first question of its instrument
	Stem     string   `json:"stem,omitempty"`
	Options  string   `json:"options,omitempty"`
	Leads    []string `json:"leads,omitempty"`
}

// Wanted returns a question that a carer wants to be asked, in the carer's own words, in addition
// to those of the packs. Its answer is a text.
func (l *Library) Wanted(id, text, language string) Question {
	return Question{
		Item: Item{ID: id, Text: text, Short: text, Type: TypeText},
		Pack: checks.CarerPack, Version: "1.0.0", Verbatim: true, Leads: l.of(KindDaily, language)[0].Leads,
	}
}

// maxDecoded limits the questions in [decoded]: all those in the packs, for some hundreds of
// medicines.
const maxDecoded = 1024

// decoded holds questions by the JSON that they were decoded from. Each turn reads the saved check
// with all its questions, which are most of it and never change. The questions are shared and must
// not be modified.
var decoded = struct {
	sync.RWMutex

	by map[string]Question
}{by: map[string]Question{}}

// UnmarshalJSON decodes a question. It decodes the same JSON only once, for all checks.
func (q *Question) UnmarshalJSON(data []byte) error {
	decoded.RLock()
	known, ok := decoded.by[string(data)]
	decoded.RUnlock()
	if ok {
		*q = known
		return nil
	}
	type fields Question
	var read fields
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*q = Question(read)
	decoded.Lock()
	defer decoded.Unlock()
	if len(decoded.by) >= maxDecoded {
		clear(decoded.by)
	}
	decoded.by[string(data)] = *q
	return nil
}

func question(p Pack, it Item) Question {
	q := Question{Item: it, Pack: p.ID, Version: p.Version, Screen: p.instrument(), Verbatim: p.Verbatim, Stem: p.Stem, Leads: p.Leads}
	if it.Type == TypeChoice {
		q.Options = p.Options
	}
	return q
}

// Wording returns what to say at the given attempt, starting at 0. Each attempt differs from the
// previous one. In an instrument or a follow-up only the sentence in front varies; an instrument's
// stem, item and options are always the same.
func (q Question) Wording(attempt int) string {
	attempt = max(attempt, 0)
	if len(q.Alternatives) > 0 {
		said := append([]string{q.Text}, q.Alternatives...)
		return said[attempt%len(said)]
	}
	var parts []string
	if attempt > 0 && len(q.Leads) > 0 {
		parts = append(parts, q.Leads[(attempt-1)%len(q.Leads)])
	}
	if attempt == 0 && q.Intro != "" {
		parts = append(parts, q.Intro)
	}
	return strings.Join(append(parts, q.words()...), " ")
}

// words returns the instrument's own wording of the item.
func (q Question) words() []string {
	text := q.Text
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "?") {
		text += "?"
	}
	return slices.DeleteFunc([]string{q.Stem, text, q.Options}, func(part string) bool { return part == "" })
}

// NeedsReadBack reports whether the answer must be read back before it counts.
func (q Question) NeedsReadBack(v Value) bool { return q.Risky != nil && q.Risky.When.Matches(v) }

// ReadBack returns the sentence that reads the answer back, or "" if the answer is not risky.
func (q Question) ReadBack(v Value) string {
	if !q.NeedsReadBack(v) {
		return ""
	}
	return strings.ReplaceAll(q.Risky.ReadBack, "{value}", v.String())
}

// FollowUp returns the follow-ups that an answer calls for, at most two, as questions of their own.
// They have no follow-ups themselves.
func (q Question) FollowUp(v Value) []Question {
	var found []Question
	for i := range q.FollowUps {
		if f := &q.FollowUps[i]; f.When.Matches(v) {
			found = append(found, q.Following(f))
		}
	}
	return found
}

// Following returns one of q's follow-ups as a question of its own.
func (q Question) Following(f *FollowUp) Question {
	return Question{Item: f.item(), Pack: q.Pack, Version: q.Version, Verbatim: q.Verbatim, Screen: q.Screen, Leads: q.Leads}
}

// item returns the follow-up as an item of its own.
func (f FollowUp) item() Item {
	return Item{ID: f.ID, Text: f.Text, Short: f.Text, Type: f.Type, Higher: f.Higher, Alternatives: f.Again, Keypad: f.Keypad}
}
