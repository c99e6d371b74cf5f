package transfer_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/forget"
	"github.com/naiber/naiber/memory/memtest"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/transfer"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/repairs"
)

// What is exported, and imported where nothing is known of it, exports the same to
// the byte, and is found as before.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	l.Limit(t, l.In, memories.NeverRaise, "the <war> & after", nil)
	l.MustKeep(t, memtest.Talk(l.In, "other talk", memtest.November, "Ein Satz mit \"Anführung\" & <Zeichen>.", "a: Ja?\nJa!")...)
	l.Tx(t, func(tx store.Tx) error {
		if _, err := l.Store.CloseMemoryFact(t.Context(), tx, l.In.Person, l.Facts["Margaret's brother Karl visited her."],
			l.Facts["Margaret has a terrier called Biscuit."], memtest.November.Add(time.Hour), memtest.November.Add(time.Hour)); err != nil {
			return err
		}
		due := time.Date(2026, time.December, 24, 0, 0, 0, 0, time.UTC)
		return l.Store.AddMemoryPromise(t.Context(), tx, memories.Promise{
			ID: uuid.New(), PersonID: l.In.Person, Text: "Birthday", Kind: "birthday", DueOn: &due, Recurrence: "FREQ=YEARLY", CallID: l.Call,
		})
	})
	repaired(t, l)
	file := l.MustExport(t, l.In)
	tables := kept(t, l)
	again := l.MustImport(t, l.In, file)
	if again.Unchanged != 10 || again.Added+again.Replaced+again.Left+again.BadLines != 0 {
		t.Errorf("imported over itself: %+v", again)
	}
	if diff := cmp.Diff(file, l.MustExport(t, l.In)); diff != "" {
		t.Error(diff)
	}
	l.Verified(t, l.MustForget(t, forget.Request{All: true}))
	l.Exec(t, "delete from memory_tombstones") // as on another machine
	im := l.MustImport(t, l.In, file)
	if im.Added != 10 || im.Lines != strings.Count(file, "\n")-1 {
		t.Errorf("imported %+v", im)
	}
	if diff := cmp.Diff(file, l.MustExport(t, l.In)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(tables, kept(t, l)); diff != "" {
		t.Error(diff)
	}
	l.MustIndex(t)
	if got := l.Ask(t, l.In, "Who chewed a shoe?").Hits; len(got) == 0 {
		t.Error("nothing is found of what was imported")
	}
}

// A file from before brings nothing back that was forgotten since, whatever it was
// kept as, and all the rest.
func TestImportSkipsWhatWasForgotten(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]func(l *memtest.Life) forget.Request{
		"everything": func(*memtest.Life) forget.Request { return forget.Request{All: true} },
		"a topic":    func(*memtest.Life) forget.Request { return forget.Request{Topic: "brother"} },
		"a turn":     func(l *memtest.Life) forget.Request { return forget.Request{Memories: l.Turns[:1]} },
		"a fact, but not the words": func(l *memtest.Life) forget.Request {
			return forget.Request{Fact: l.Facts["Margaret's brother Karl visited her."], KeepWords: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memtest.NewLife(t, memtest.New(t, nil))
			repaired(t, l)
			file := l.MustExport(t, l.In)
			gone := l.MustForget(t, request(l))
			left, tables := l.MustExport(t, l.In), kept(t, l)
			im := l.MustImport(t, l.In, file)
			if diff := cmp.Diff(left, l.MustExport(t, l.In)); diff != "" {
				t.Errorf("brought back or lost: %s", diff)
			}
			if diff := cmp.Diff(tables, kept(t, l)); diff != "" {
				t.Error(diff)
			}
			if im.Added != 0 || im.BadLines != 0 || im.Forgotten < strings.Count(file, "\n")-strings.Count(left, "\n") {
				t.Errorf("imported %+v", im)
			}
			l.Verified(t, gone)
		})
	}
}

// repaired has the person write about an appliance, and be sent a mail.
func repaired(t *testing.T, l *memtest.Life) {
	t.Helper()
	b, err := l.Store.BeginRepair(t.Context(), "kitchen", l.In.Person, "My brother's dishwasher <won't> start.", repairs.Limits{TTL: time.Hour, Lease: time.Minute, MaxMessages: 9})
	if err == nil {
		err = l.Store.AnswerRepair(t.Context(), b, repairs.Answer{Seq: b.Seq, Text: "Which model?", State: []byte(`{"symptoms":["Will not start"]}`), Tool: []byte(`{"toolName":"diagnose_repair","data":{"error":"no"}}`)})
	}
	if err == nil {
		err = l.Store.SnapshotRepair(t.Context(), l.Call, []byte(`{"productModel":"KDW482SS"}`))
	}
	if err != nil {
		t.Fatal(err)
	}
	l.Tx(t, func(tx store.Tx) error {
		at := memtest.November
		_, err := l.Store.AddMail(t.Context(), tx, mails.Mail{Key: "kitchen:3", PersonID: l.In.Person, To: "m@example.org", Subject: "Summary", HTML: "<p>It</p>", Text: "It", SentAt: &at, CreatedAt: at})
		return err
	})
}

// kept are the rows of a person's memory, but for what is made of the rest and the
// time of writing.
func kept(t *testing.T, l *memtest.Life) []string {
	t.Helper()
	rows := l.Column(t, "select text || extra from memory_windows order by id")
	for table, key := range map[string]string{
		"memory_turns": "person_id", "memory_facts": "person_id", "memory_entities": "person_id", "memory_promises": "person_id", "memory_limits": "person_id",
		"memory_summaries": "person_id", "summaries": "person_id", "topics": "person_id", "memory_aliases": "", "memory_relations": "", "memory_fact_sources": "",
		"memory_entity_sources": "", "memory_fact_links": "",
		"repairs": "person_id", "repair_messages": "", "mails": "person_id",
	} {
		where := ""
		if key != "" {
			where = " where " + key + " = '" + l.In.Person.String() + "'"
		}
		drop := ""
		switch table {
		case "memory_turns", "memory_facts":
			drop = " - 'created_at'" // when it was kept
		case "topics":
			drop = " - 'id'" // a label is its own name
		}
		found := l.Column(t, "select (to_jsonb(x)"+drop+")::text from "+table+" x"+where)
		slices.Sort(found)
		for _, row := range found {
			rows = append(rows, table+" "+row)
		}
	}
	rows = append(rows, l.Column(t, "select 'mention ' || t.label || m.call_id || m.mentions || m.at from topic_mentions m join topics t on t.id = m.topic_id order by 1")...)
	slices.Sort(rows)
	return rows
}

// A file of somebody who lives in this house is refused, unless that is meant.
// Then it becomes a copy with ids of its own: nobody loses, and nothing is shared.
func TestImportOfSomebodyElses(t *testing.T) {
	t.Parallel()
	l := memtest.NewLife(t, memtest.New(t, nil))
	file := l.MustExport(t, l.In)
	other := memory.Scope{Person: l.Person(t, "Rose", people.ScopeMemory).ID}
	if _, err := l.Import(t.Context(), other.Person, strings.NewReader(file), transfer.Options{SkipBad: true}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("taken in without a word: %v", err)
	}
	if im := l.MustImport(t, other, file); im.Added != 8 || im.BadLines != 0 {
		t.Errorf("imported %+v", im)
	}
	if diff := cmp.Diff(file, l.MustExport(t, l.In)); diff != "" {
		t.Errorf("the first one's memory has changed: %s", diff)
	}
	copied := l.MustExport(t, other)
	if ofCalls := strings.Count(file, `"type":"call"`) + strings.Count(file, `"type":"topic"`); strings.Count(copied, "\n") != strings.Count(file, "\n")-ofCalls {
		t.Errorf("copy:\n%s\nof:\n%s", copied, file)
	}
	for _, id := range l.Turns {
		if strings.Contains(copied, id.String()) {
			t.Errorf("both have %s", id)
		}
	}
	if strings.Contains(copied, "callId") {
		t.Error("somebody has another's call")
	}
	if diff := cmp.Diff(copied, l.MustExport(t, other)); diff != "" {
		t.Error(diff)
	}
}

func TestImportPlainTurns(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	file := "\ufeff" + `{"text": "I like tea.", "at": "2026-11-03T15:00:00Z"}

{"text": "Do you?", "at": "2026-11-03T15:01:00+01:00", "speaker": "assistant", "conversation": "c"}
{"text": "Yes.", "at": "2026-11-03T15:02:00Z", "conversation": "c", "name": "Meg"}
{"text": "Yes.", "at": "2026-11-03T15:02:00Z", "conversation": "c", "name": "Meg"}
`
	if im := h.MustImport(t, in, file); im.Added != 4 || im.Lines != 4 {
		t.Errorf("imported %+v", im)
	}
	if im := h.MustImport(t, in, file); im.Added != 0 || im.Unchanged != 4 {
		t.Errorf("imported again: %+v", im)
	}
	want := []string{"Margaret: I like tea.", "nAIber: Do you?", "Meg: Yes.", "Meg: Yes."}
	got := h.Column(t, "select name || ': ' || text from memory_turns order by conversation = 'c', seq")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	h.Limit(t, in, memories.NeverStore, "coffee", nil)
	if im := h.MustImport(t, in, `{"text": "I like coffee.", "at": "2026-11-03T15:00:00Z"}`); im.Left != 1 || im.Added != 0 {
		t.Errorf("imported what is never to be stored: %+v", im)
	}
}

// Many turns are kept in batches, with one line to blame.
func TestImportInBulk(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	const importBatch = 2000 // turns
	var b strings.Builder
	for i := range 2*importBatch + 1 {
		fmt.Fprintf(&b, `{"text": "We spoke of thing %d.", "at": "2026-11-03T15:00:00Z", "conversation": "talk %d"}`+"\n", i, i/40)
	}
	read := 0
	im, err := h.Import(t.Context(), in.Person, strings.NewReader(b.String()), transfer.Options{Progress: func(n int) { read = n }})
	if err != nil || im.Added != 2*importBatch+1 || read != 2*importBatch {
		t.Errorf("imported %+v, %v; told of %d lines", im, err, read)
	}
	set := search.DefaultSettings()
	set.VectorWeight = 0
	if got := memtest.Texts(h.Ask(t, in, "thing 4000", func(q *search.Query) { q.Settings = &set }).Hits); len(got) == 0 || !strings.Contains(strings.Join(got, " "), "thing 4000.") {
		t.Errorf("found %q", got)
	}
}

// A bad line is named and nothing changes, or it alone is left out.
func TestImportBadLines(t *testing.T) {
	t.Parallel()
	h := memtest.New(t, nil)
	in := h.Margaret(t)
	taken := h.MustKeep(t, memtest.Talk(memory.Scope{Person: h.Person(t, "Rose", people.ScopeMemory).ID}, "hers", memtest.November, "I am Rose.")...).IDs[0]
	const good = `{"text": "I like tea.", "at": "2026-11-03T15:00:00Z"}`
	id := uuid.NewString()
	for name, line := range map[string]string{
		"no json":                 `{"text": `,
		"no object":               `[1]`,
		"two objects":             good + good,
		"a field of nobody":       `{"text": "x", "at": "2026-11-03T15:00:00Z", "mood": 1}`,
		"no text":                 `{"at": "2026-11-03T15:00:00Z"}`,
		"no time":                 `{"text": "x"}`,
		"a time that is none":     `{"text": "x", "at": "yesterday"}`,
		"an unknown speaker":      `{"text": "x", "at": "2026-11-03T15:00:00Z", "speaker": "nurse"}`,
		"somebody else's id":      `{"text": "x", "at": "2026-11-03T15:00:00Z", "id": "` + taken.String() + `"}`,
		"an unknown type":         `{"type": "rumour"}`,
		"a header in the middle":  `{"type": "header", "format": "naiber-memory", "version": 1, "exportedAt": "2026-11-03T15:00:00Z", "userId": "` + id + `"}`,
		"a fact without id":       `{"type": "fact", "text": "x", "kind": "like", "confidence": 1, "learnedAt": "2026-11-03T15:00:00Z", "sources": []}`,
		"a fact of no kind":       `{"type": "fact", "id": "` + id + `", "text": "x", "kind": "odd", "confidence": 1, "learnedAt": "2026-11-03T15:00:00Z", "sources": []}`,
		"a relation of strangers": `{"type": "relation", "id": "` + id + `", "from": "` + id + `", "to": "` + id + `", "label": "x", "createdAt": "2026-11-03T15:00:00Z"}`,
		"too long":                `{"text": "` + strings.Repeat("x", 50_001) + `", "at": "2026-11-03T15:00:00Z"}`,
	} {
		file := good + "\n" + line + "\n"
		_, err := h.Import(t.Context(), in.Person, strings.NewReader(file), transfer.Options{})
		if bad, ok := errors.AsType[*transfer.LineError](err); !ok || bad.Line != 2 {
			t.Errorf("%s: %v", name, err)
		}
		if got := h.Column(t, "select text from memory_turns where person_id = $1", in.Person.UUID); len(got) != 0 {
			t.Errorf("%s: kept %q", name, got)
		}
		im, err := h.Import(t.Context(), in.Person, strings.NewReader(file), transfer.Options{SkipBad: true})
		if err != nil || im.Added != 1 || im.BadLines != 1 || im.Bad[0].Line != 2 {
			t.Errorf("%s left out: %+v, %v", name, im, err)
		}
		h.Exec(t, "delete from memory_turns where person_id = $1", in.Person.UUID)
		h.Exec(t, "delete from memory_tombstones")
	}
	old := `{"type": "header", "format": "naiber-memory", "version": 7, "exportedAt": "2026-11-03T15:00:00Z", "userId": "` + id + `"}`
	if _, err := h.Import(t.Context(), in.Person, strings.NewReader(old), transfer.Options{SkipBad: true}); !errors.Is(err, memory.ErrInvalid) {
		t.Errorf("a later version: %v", err)
	}
	if _, err := h.Import(t.Context(), h.Person(t, "No", people.ScopeCalls).ID, strings.NewReader(good), transfer.Options{}); !errors.Is(err, memory.ErrNoConsent) {
		t.Errorf("without consent: %v", err)
	}
	if _, err := h.Export(t.Context(), store.NewPersonID(), &bytes.Buffer{}, memtest.November); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("export of nobody: %v", err)
	}
}
