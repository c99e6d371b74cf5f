package health

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health/extract"
	"github.com/naiber/naiber/personas/health/packs"
	"github.com/naiber/naiber/personas/health/reader"
)

var (
	dumpTo   = flag.String("dump", "", "write what a model is asked and has no recorded answer to this file")
	dumpAll  = flag.Bool("dump.all", false, "with -dump: also what rules settle")
	recordTo = flag.String("record", "", "ask the model that OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL name what has no recorded answer, and add its answers to this file")
)

// recording is a line of a file of recorded answers, or of questions without one.
type recording struct {
	Key      string          `json:"key"`
	Question string          `json:"question,omitempty"`
	Said     string          `json:"said,omitempty"`
	System   string          `json:"system,omitempty"`
	User     string          `json:"user,omitempty"`
	Schema   json.RawMessage `json:"schema,omitempty"`
	Answer   json.RawMessage `json:"answer,omitempty"`
}

// recordedModel gives the answers that a model gave to the same reply and question, under
// the same instructions. Where there is none it abstains.
type recordedModel struct {
	live    *llm.Client // asked for what is not recorded, where there is one
	answers map[string]json.RawMessage
	unknown []recording
	fresh   []recording
	asked   int
	// id and said are the reply that is being read.
	id, said string
}

func (m *recordedModel) Complete(context.Context, llm.Request) (llm.Result, error) {
	return llm.Result{}, llm.ErrAllModelsFailed
}

func (m *recordedModel) Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error {
	m.asked++
	line := m.line(req, schema)
	got := m.answers[line.Key]
	if got == nil && m.live != nil {
		if err := m.live.Structured(ctx, req, schema, &got); err != nil {
			return err
		}
		m.answers[line.Key] = got
		m.fresh = append(m.fresh, recording{Key: line.Key, Question: m.id, Said: m.said, Answer: got})
	}
	if got == nil {
		m.unknown = append(m.unknown, line)
		got = json.RawMessage(`{"verdict":"not_an_answer"}`)
	}
	return json.Unmarshal(got, out)
}

// line is a request by its key: a hash of the instructions, the question's id and the reply.
func (m *recordedModel) line(req llm.Request, schema llm.Schema) recording {
	system := req.Messages[0].Content
	instructions, _, _ := strings.Cut(system, "\n\nThe value: ")
	key := sha256.Sum256([]byte(instructions + "\x00" + m.id + "\x00" + m.said))
	return recording{
		Key: hex.EncodeToString(key[:8]), Question: m.id, Said: m.said, System: system, User: req.Messages[1].Content, Schema: schema.JSON,
	}
}

func newRecordedModel(b *testing.B) *recordedModel {
	b.Helper()
	m := &recordedModel{answers: map[string]json.RawMessage{}}
	files, err := filepath.Glob("testdata/heard/*.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var r recording
			if err := json.Unmarshal(line, &r); err != nil {
				b.Fatalf("%s: %s: %v", file, line, err)
			}
			m.answers[r.Key] = r.Answer
		}
	}
	if *recordTo != "" {
		m.live, err = llm.New(llm.Config{BaseURL: os.Getenv("OPENAI_BASE_URL"), APIKey: os.Getenv("OPENAI_API_KEY"), Models: strings.Split(os.Getenv("OPENAI_MODEL"), ",")}) //nolint:forbidigo // it configures the measurement, not the program
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(m.live.Close)
	}
	return m
}

// hearingWith is a hearing with a model.
func hearingWith(tb testing.TB, language string, model Model) *hearing {
	tb.Helper()
	h := hearingIn(tb, language)
	cfg := h.persona.cfg
	cfg.Model, cfg.ReadDeadline = model, time.Minute
	var err error
	if h.persona, err = New(cfg); err != nil {
		tb.Fatal(err)
	}
	return h
}

// writeLines adds lines to a file.
func writeLines(b *testing.B, file string, lines []recording) {
	b.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, l := range lines {
		if err := e.Encode(l); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
}

// labelled is a line "question | wanted | said | also" of a set of replies. Wanted is the
// answer, "refused", "skipped", "unclear" where the reply holds none, "end" where the
// person wants to end the call, or an answer with "+end"; also are answers to other
// questions.
type labelled struct {
	id, want, said string
	end            bool
	also           []string
}

func readLabelled(tb testing.TB, file string) (all []labelled) {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, "|")
		if len(f) != 4 || strings.HasPrefix(line, "#") {
			continue
		}
		l := labelled{id: strings.TrimSpace(f[0]), said: strings.TrimSpace(f[2])}
		l.want, l.end = strings.CutSuffix(strings.TrimSpace(f[1]), "+end")
		for also := range strings.SplitSeq(f[3], ",") {
			if also = strings.TrimSpace(also); also != "" {
				l.also = append(l.also, also)
			}
		}
		all = append(all, l)
	}
	return all
}

// tally counts what came of the replies of one file.
type tally struct {
	answers, settled, right    int
	confirmed, confirmedRight  int // once the person has said yes to what is right, and no to what is wrong
	refusals, refused, pressed int // pressed: taken for an answer
	none, taken, stored        int // stored: not even read back
	ends, ended, endsStored    int
	also, found                int
	readBacks                  int
}

// add counts one reply that came to an outcome in the words of [TestReplies].
func (n *tally) add(l labelled, outcome string) {
	own, rest, _ := strings.Cut(outcome, " ")
	value := strings.TrimLeft(own, "~?")
	readBack := value != own && value != ""
	settled := own != "..."
	answered := settled && value != "refused" && value != "skipped" && value != "exit" && value != "distress" && value != "person"
	count := func(into *int, ok bool) {
		if ok {
			*into++
		}
	}
	count(&n.readBacks, readBack)
	switch l.want {
	case "unclear":
		n.none++
		count(&n.taken, answered)
		count(&n.stored, answered && !readBack)
	case "end":
		n.ends++
		count(&n.ended, value == "exit")
		count(&n.endsStored, answered && !readBack)
	case "refused", "skipped":
		n.refusals++
		count(&n.refused, value == l.want)
		count(&n.pressed, answered)
	default:
		right := value == l.want || l.end && value == "exit"
		n.answers++
		count(&n.settled, settled)
		count(&n.right, right)
		count(&n.confirmed, settled && (right || !readBack))
		count(&n.confirmedRight, right)
	}
	rest = " " + strings.NewReplacer("=~", "=", "=?", "=").Replace(rest) + " "
	for _, also := range l.also {
		n.also++
		count(&n.found, strings.Contains(rest, " "+also+" "))
	}
}

func share(n, of int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(cmp.Or(of, 1))) }

const heardColumns = "replies\tread by\tanswers\tsettled\tright\tafter read-back\tright\trefusals heard\tas answers\tno answer\ttaken\tstored\texits\tfound\tstored\tin passing\tmodel asked\tnot recorded\tread-backs"

func (n *tally) row(w *tabwriter.Writer, file, by string, asked, unknown int) {
	fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%s\t%d of %d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d of %d\t%d\t%d\t%d\n", file, by, n.answers,
		share(n.settled, n.answers), share(n.right, n.settled), share(n.confirmed, n.answers), share(n.confirmedRight, n.confirmed),
		n.refused, n.refusals, n.pressed, n.none, n.taken, n.stored, n.ends, n.ended, n.endsStored, n.found, n.also, asked, unknown, n.readBacks)
}

// BenchmarkHeard measures how replies are understood that were written by somebody who
// had not read the rules, by rules alone and by rules and a model whose answers were
// recorded. STRANGERS names the files; without it those of testdata/strangers are read.
// SHOW=1 prints what was not understood. See testdata/heard/README.md.
func BenchmarkHeard(b *testing.B) {
	files := strings.Fields(os.Getenv("STRANGERS")) //nolint:forbidigo // it configures the measurement, not the program
	if len(files) == 0 {
		files, _ = filepath.Glob("testdata/strangers/*.txt")
	}
	if len(files) == 0 {
		b.Skip("no replies: STRANGERS names no file")
	}
	model := newRecordedModel(b)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, heardColumns)
	for b.Loop() {
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".txt")
			replies := readLabelled(b, file)
			rules, both := hearingIn(b, languageOf(file)), hearingWith(b, languageOf(file), model)
			var alone, together tally
			asked, unknown := model.asked, len(model.unknown)
			for _, l := range replies {
				model.id, model.said = l.id, l.said
				got, before := rules.hear(b, l.id, l.said), model.asked
				alone.add(l, got)
				then := both.hear(b, l.id, l.said)
				together.add(l, then)
				if os.Getenv("SHOW") != "" && (then != got || !understood(l, then)) { //nolint:forbidigo // it configures the measurement, not the program
					fmt.Fprintf(os.Stdout, "%s | %s | %s -> %s -> %s\n", l.id, l.want, l.said, got, then)
				}
				if *dumpAll && model.asked == before {
					both.request(b, model, l)
				}
			}
			alone.row(w, name, "rules", 0, 0)
			together.row(w, name, "rules and model", model.asked-asked, len(model.unknown)-unknown)
		}
	}
	_ = w.Flush()                         // to a string
	fmt.Fprint(os.Stdout, table.String()) // a benchmark's log is cut short
	if *dumpTo != "" {
		writeLines(b, *dumpTo, model.unknown)
	}
	if *recordTo != "" {
		writeLines(b, *recordTo, model.fresh)
	}
}

// understood reports whether the outcome is what was wanted.
func understood(l labelled, outcome string) bool {
	own, _, _ := strings.Cut(outcome, " ")
	value := strings.TrimLeft(own, "~?")
	switch l.want {
	case "unclear":
		return value == "..." || value == "exit"
	case "end":
		return value == "exit"
	}
	return value == l.want || l.end && value == "exit"
}

// request asks the model for a reply that rules settle, so that it is known what it would
// say if they did not.
func (h *hearing) request(b *testing.B, m *recordedModel, l labelled) {
	b.Helper()
	s := h.state(b, l.id)
	if e := s.current(); e.Question.Type != packs.TypeText {
		ask := extract.Ask{
			Context: reader.Context{Now: heardAt, Locale: h.language}, Question: e.question(heardAt), Wording: s.Spoken, Said: l.said,
		}
		req, schema := ask.Request()
		var out json.RawMessage
		ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
		defer cancel()
		if err := m.Structured(ctx, req, schema, &out); err != nil {
			b.Fatal(err)
		}
	}
}
