package council

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/quoted"
)

// The kinds of evidence.
const (
	KindLine   = "line"   // a line of a call
	KindAnswer = "answer" // an answer to a question of a health check
	KindTrend  = "trend"  // the trend of such answers
	KindMemory = "memory" // a fact that was learned
	KindDanger = "danger" // a danger that was told of in a call
)

// Evidence is one thing on record about a person. Voices cite it by its label.
type Evidence struct {
	Label  string    `json:"label"` // "C1:7", "A2", "T1", "M3", "D1"
	Kind   string    `json:"kind"`
	Text   string    `json:"text"`
	Who    string    `json:"who,omitempty"` // who said a line
	At     time.Time `json:"at,omitzero"`
	CallID string    `json:"callId,omitempty"`
	// Line is the line's number in the call, counted from 1.
	Line       int    `json:"line,omitempty"`
	QuestionID string `json:"questionId,omitempty"`
	MemoryID   string `json:"memoryId,omitempty"`
	// source is the ID of the call or fact with which the discussion is forgotten.
	source uuid.UUID
}

// Record is what is known about a person when a discussion begins. It is the same in all rounds,
// except that what must no longer be brought up is removed.
type Record struct {
	Person   string     `json:"person"` // what the person is called
	Language string     `json:"language"`
	Evidence []Evidence `json:"evidence"`
}

// sources returns the IDs of the calls and facts in the record.
func (r Record) sources() []uuid.UUID {
	var out []uuid.UUID
	for _, e := range r.Evidence {
		if e.source != uuid.Nil {
			out = append(out, e.source)
		}
	}
	return out
}

// Prompt returns the record as text for a voice, with what was said as quoted speech.
func (r Record) Prompt(loc *time.Location) string {
	var b strings.Builder
	fmt.Fprintf(&b, "THE RECORD of %s\n%s\n", quoted.Flat(r.Person), quoted.Label)
	heading := ""
	for _, e := range r.Evidence {
		h := map[string]string{
			KindLine: "CALL of " + e.At.In(loc).Format("Monday, 2 January 2006"), KindAnswer: "ANSWERS in health checks", KindTrend: "TRENDS",
			KindMemory: "WHAT IS REMEMBERED", KindDanger: "DANGER that was told of",
		}[e.Kind]
		if e.Kind == KindLine {
			h += " (" + e.CallID + ")"
		}
		if h != heading {
			heading = h
			b.WriteString("\n" + strings.ReplaceAll(h, " ("+e.CallID+")", "") + "\n")
		}
		who := ""
		if e.Who != "" {
			who = quoted.Flat(e.Who) + ": "
		}
		fmt.Fprintf(&b, "[%s] %s%s\n", e.Label, who, quoted.Fence(e.Text))
	}
	if len(r.Evidence) == 0 {
		b.WriteString("\nNothing is on record yet.\n")
	}
	return b.String()
}

// Limits of a person's record in a discussion.
const (
	recordCalls  = 6
	recordLines  = 60 // of each call, the last ones
	recordChecks = 4
	recordFacts  = 40
	recordRunes  = 400 // of one piece of evidence
)

// Library provides what is on record; *store.Store implements it.
type Library interface {
	Calls(ctx context.Context, f calls.CallFilter) ([]calls.Call, error)
	Transcript(ctx context.Context, id store.CallID) ([]calls.Utterance, error)
	HealthChecks(ctx context.Context, id store.PersonID, q checks.Query) ([]checks.Check, error)
	ConsentScopes(ctx context.Context, id store.PersonID) (map[people.Scope]bool, error)
	BarredTopics(ctx context.Context, person store.PersonID, question string, at time.Time) (memories.Barred, memories.Frame, error)
	KnownMemoryFacts(ctx context.Context, person store.PersonID, at time.Time, limit int, config string, without []string) ([]memories.Fact, error)
}

// Trends returns how a person's answers went, each in a sentence, with the id of its question.
type Trends func(ctx context.Context, p people.Person) (questions, sentences []string, err error)

// Raisable removes from texts those that must not be brought up with a person, keeping their order.
type Raisable func(ctx context.Context, id store.PersonID, texts []string) ([]string, error)

// Reader reads what is on record about people. All fields are required.
type Reader struct {
	Library  Library
	Trends   Trends
	Raisable Raisable
	Now      func() time.Time
}

// Read returns the record of a person, without what must not be brought up. It holds memories only
// with the person's consent to memory.
func (r Reader) Read(ctx context.Context, p people.Person) (Record, error) {
	rec := Record{Person: p.CallName(), Language: p.Language}
	scopes, err := r.Library.ConsentScopes(ctx, p.ID)
	if err != nil {
		return Record{}, err
	}
	for _, read := range []func(context.Context, people.Person) ([]Evidence, error){r.calls, r.answers, r.trends, r.facts(scopes[people.ScopeMemory])} {
		found, err := read(ctx, p)
		if err != nil {
			return Record{}, fmt.Errorf("record of %s: %w", p.ID, err)
		}
		for i := range found {
			found[i].Text = english.Shorten(english.OneLine(found[i].Text), recordRunes)
		}
		if found, err = r.Raisable.of(ctx, p.ID, found); err != nil {
			return Record{}, fmt.Errorf("record of %s: %w", p.ID, err)
		}
		rec.Evidence = append(rec.Evidence, found...)
	}
	return rec, nil
}

// of removes evidence on topics that must not be brought up.
func (r Raisable) of(ctx context.Context, id store.PersonID, found []Evidence) ([]Evidence, error) {
	texts := make([]string, len(found))
	for i := range found {
		texts[i] = found[i].Text
	}
	kept, err := r(ctx, id, texts)
	if err != nil {
		return nil, err
	}
	var out []Evidence
	for _, e := range found { // kept is texts without some, in order
		if len(kept) > 0 && kept[0] == e.Text {
			out, kept = append(out, e), kept[1:]
		}
	}
	return out, nil
}

// calls reads the last lines of the last calls, and the dangers told of in them.
func (r Reader) calls(ctx context.Context, p people.Person) ([]Evidence, error) {
	list, err := r.Library.Calls(ctx, calls.CallFilter{PersonID: p.ID, Limit: recordCalls})
	if err != nil {
		return nil, err
	}
	var out, dangers []Evidence
	for i, c := range list {
		lines, err := r.Library.Transcript(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		for n, l := range lines {
			if n < len(lines)-recordLines || l.Text == "" {
				continue
			}
			who := "nAIber"
			if l.Role == calls.RoleUser {
				who = p.CallName()
			}
			out = append(out, Evidence{
				Label: fmt.Sprintf("C%d:%d", i+1, n+1), Kind: KindLine, Text: l.Text, Who: who, At: c.CreatedAt, CallID: c.ID.String(), Line: n + 1, source: c.ID.UUID,
			})
		}
		if c.Danger != nil {
			dangers = append(dangers, Evidence{
				Label: fmt.Sprintf("D%d", len(dangers)+1), Kind: KindDanger, Text: c.Danger.Kind, At: c.Danger.At, CallID: c.ID.String(), source: c.ID.UUID,
			})
		}
	}
	return append(out, dangers...), nil
}

// answers reads the answers of the last health checks.
func (r Reader) answers(ctx context.Context, p people.Person) ([]Evidence, error) {
	list, err := r.Library.HealthChecks(ctx, p.ID, checks.Query{Limit: recordChecks})
	if err != nil {
		return nil, err
	}
	var out []Evidence
	for _, hc := range list {
		for _, a := range hc.Answers {
			if a.At.IsZero() || a.Carried {
				continue
			}
			text := fmt.Sprintf("%s, %s: %s", a.At.In(p.Location()).Format("2 January"), a.Question, a.Status)
			if a.Value != nil {
				text = fmt.Sprintf("%s, %s: %s %s", a.At.In(p.Location()).Format("2 January"), a.Question, strings.Trim(string(a.Value), `"`), a.Unit)
			}
			if a.Quote != "" {
				text = strings.TrimSpace(text) + " (in their words: " + a.Quote + ")"
			}
			out = append(out, Evidence{
				Label: fmt.Sprintf("A%d", len(out)+1), Kind: KindAnswer, Text: text, At: a.At, CallID: hc.CallID.String(), QuestionID: a.QuestionID, source: hc.CallID.UUID,
			})
		}
	}
	return out, nil
}

// trends reads how the answers went.
func (r Reader) trends(ctx context.Context, p people.Person) ([]Evidence, error) {
	questions, sentences, err := r.Trends(ctx, p)
	var out []Evidence
	for i, s := range sentences {
		out = append(out, Evidence{Label: fmt.Sprintf("T%d", i+1), Kind: KindTrend, Text: s, QuestionID: questions[i], At: r.Now()})
	}
	return out, err
}

// facts returns a reader of what was learned, which finds nothing unless allowed.
func (r Reader) facts(allowed bool) func(context.Context, people.Person) ([]Evidence, error) {
	return func(ctx context.Context, p people.Person) ([]Evidence, error) {
		if !allowed {
			return nil, nil
		}
		barred, frame, err := r.Library.BarredTopics(ctx, p.ID, "", r.Now())
		if err != nil {
			return nil, err
		}
		facts, err := r.Library.KnownMemoryFacts(ctx, p.ID, r.Now(), recordFacts, frame.Config, barred.All())
		var out []Evidence
		for i, f := range facts {
			out = append(out, Evidence{Label: fmt.Sprintf("M%d", i+1), Kind: KindMemory, Text: f.Text, At: f.LearnedAt, MemoryID: f.ID.String(), source: f.ID})
		}
		return out, err
	}
}
