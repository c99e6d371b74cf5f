// Package memtest provides a memory with its dependencies, for tests: a database, an
// embedder that knows a few words, and vectors that can be made to fail.
package memtest

import (
	"bytes"
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/keep"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/service"
	"github.com/naiber/naiber/memory/transfer"
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// November is 3 November 2026, 15:00 UTC, a Tuesday.
var November = time.Date(2026, time.November, 3, 15, 0, 0, 0, time.UTC)

var ErrAway = errors.New("away")

// Embedder is an embedding server that knows a few synonyms.
type Embedder struct {
	mu     sync.Mutex // guards the fields below
	err    error
	Refuse string // texts with it are refused
	Calls  int
	hangs  <-chan struct{} // if set, Embed waits for it
	waited int
}

func (e *Embedder) Hang(c <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hangs = c
}

// Hung returns how many calls waited.
func (e *Embedder) Hung() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waited
}

const EmbedderDims = 64

// meanings maps the stems of words to a synonym.
var meanings = map[string]string{"pupp": "dog", "terrier": "dog"}

// stop are the words that the embedder ignores.
var stop = english.Set(`a about after again all also am an and any are as at be because been but by can come could did do does
	don't for from get go going good got had has have he her here him his how i i'm if in is it it's its just know like
	little me mine much my no not now of oh ok on one or our out really say see she so some something still tell than
	that that's the their them then there they thing think this time to today too up us very was we well went were what
	when where which who why will with would yes you your talk talked last call ago days yesterday earlier takes lives`)

// wordsOf returns the stems of the words of s, without stop words.
func wordsOf(s string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	}) {
		w = strings.TrimSuffix(strings.Trim(w, "'"), "'s")
		if len(w) > 1 && !stop[w] {
			m[stem(w)] = true
		}
	}
	return m
}

func stem(w string) string {
	for _, end := range []string{"ing", "ies", "es", "ed", "s", "e", "y"} {
		if rest, ok := strings.CutSuffix(w, end); ok && len(rest) >= 3 {
			return rest
		}
	}
	return w
}

func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Calls++
	if e.err != nil {
		return nil, e.err
	}
	if e.hangs != nil {
		e.waited++
		select {
		case <-e.hangs:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var out [][]float32
	for _, t := range texts {
		if e.Refuse != "" && strings.Contains(t, e.Refuse) {
			return nil, errors.New("refused")
		}
		v := make([]float32, EmbedderDims)
		v[0] = 0.1
		for w := range wordsOf(t) {
			if m := meanings[w]; m != "" {
				w = m
			}
			h := fnv.New32a()
			_, _ = h.Write([]byte(w))
			v[h.Sum32()%EmbedderDims]++
		}
		out = append(out, v)
	}
	return out, nil
}

func (e *Embedder) Fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
}

// Vectors is a vector store that can be made to fail.
type Vectors struct {
	vectors.Store
	mu   sync.Mutex // guards err and asks
	err  error
	asks int
	// Wrote, if set, is called after each upsert, which returns its error.
	Wrote func() error
}

func (s *Vectors) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// Asked returns the number of calls.
func (s *Vectors) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks
}

func (s *Vectors) failing() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks++
	return s.err
}

func (s *Vectors) Ensure(ctx context.Context, dims int) error {
	if err := s.failing(); err != nil {
		return err
	}
	return s.Store.Ensure(ctx, dims)
}

func (s *Vectors) Upsert(ctx context.Context, points []vectors.Point) error {
	if err := s.failing(); err != nil {
		return err
	}
	if err := s.Store.Upsert(ctx, points); err != nil || s.Wrote == nil {
		return err
	}
	return s.Wrote()
}

func (s *Vectors) Search(ctx context.Context, q vectors.Query) ([]vectors.Hit, error) {
	if err := s.failing(); err != nil {
		return nil, err
	}
	return s.Store.Search(ctx, q)
}

func (s *Vectors) Delete(ctx context.Context, ids ...uuid.UUID) error {
	if err := s.failing(); err != nil {
		return err
	}
	return s.Store.Delete(ctx, ids...)
}

// House is a service with its dependencies.
type House struct {
	*service.Service
	Config   service.Config // of the service
	Store    *store.Store
	Embedder *Embedder
	Vectors  *Vectors
	Registry *prometheus.Registry
}

// New returns a House. adjust, if set, changes the config of its service.
func New(tb testing.TB, adjust func(*service.Config)) *House {
	tb.Helper()
	h := &House{Store: storetest.New(tb), Embedder: &Embedder{}, Registry: prometheus.NewRegistry()}
	shelf := vectors.NewPostgres(h.Store, vectors.PostgresConfig{})
	tb.Cleanup(func() { _ = shelf.Close() })
	h.Vectors = &Vectors{Store: shelf}
	cfg := service.Config{
		Store: h.Store, Vectors: h.Vectors, Embedder: h.Embedder, Model: "bag-of-words-1", IndexWait: 10 * time.Second, VectorWait: 10 * time.Second,
		Log: slog.New(slog.DiscardHandler), Metrics: h.Registry,
	}
	if adjust != nil {
		adjust(&cfg)
	}
	h.Serve(tb, cfg)
	return h
}

// Serve creates the service.
func (h *House) Serve(tb testing.TB, cfg service.Config) {
	tb.Helper()
	var err error
	if h.Service, err = service.New(cfg); err != nil {
		tb.Fatal(err)
	}
	h.Config = cfg
}

// DegradedBy returns the value of the counter of degraded results for a reason.
func (h *House) DegradedBy(tb testing.TB, reason string) float64 {
	tb.Helper()
	families, err := h.Registry.Gather()
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "naiber_memory_degraded_total" && m.GetLabel()[0].GetValue() == reason {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

func (h *House) Person(tb testing.TB, name string, scopes ...people.Scope) people.Person {
	tb.Helper()
	var consents []people.Consent
	for _, s := range scopes {
		consents = append(consents, people.Consent{Scope: s, GivenBy: name, How: "by telephone"})
	}
	p, err := h.Store.CreatePerson(tb.Context(), people.Person{
		Name: name, PreferredName: name, Phone: "+15550100123", Timezone: "America/New_York", Language: "en",
	}, nil, consents)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func (h *House) Margaret(tb testing.TB) memory.Scope {
	tb.Helper()
	return memory.Scope{Person: h.Person(tb, "Margaret", people.ScopeMemory).ID}
}

// Talk returns turns of one conversation, a minute apart: those with the prefix "a: " are
// nAIber's, all others the person's.
func Talk(in memory.Scope, conversation string, at time.Time, said ...string) []memory.Turn {
	turns := make([]memory.Turn, len(said))
	for i, s := range said {
		speaker := calls.RoleUser
		if rest, ok := strings.CutPrefix(s, "a: "); ok {
			speaker, s = calls.RoleAssistant, rest
		}
		turns[i] = memory.Turn{
			Scope: in, Conversation: conversation, Seq: i + 1, Speaker: speaker, Text: s, At: at.Add(time.Duration(i) * time.Minute),
			Source: memories.FromCall, SourceKey: conversation + "/" + string(rune('a'+i)),
		}
	}
	return turns
}

func (h *House) MustKeep(tb testing.TB, turns ...memory.Turn) keep.Kept {
	tb.Helper()
	kept, err := h.Keep(tb.Context(), turns)
	if err != nil {
		tb.Fatal(err)
	}
	return kept
}

func (h *House) Ask(tb testing.TB, in memory.Scope, text string, adjust ...func(*search.Query)) search.Found {
	tb.Helper()
	q := search.Query{Scope: in, Text: text, Now: November}
	for _, a := range adjust {
		a(&q)
	}
	found, err := h.Search(tb.Context(), q)
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

func Texts(hits []search.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

// Column returns the first column of a query, which must be text.
func (h *House) Column(tb testing.TB, sql string, args ...any) []string {
	tb.Helper()
	return storetest.Column(tb, h.Store, sql, args...)
}

func (h *House) Exec(tb testing.TB, sql string, args ...any) {
	tb.Helper()
	if _, err := h.Store.Pool().Exec(tb.Context(), sql, args...); err != nil {
		tb.Fatal(err)
	}
}

func (h *House) Limit(tb testing.TB, in memory.Scope, rule memories.LimitRule, topic string, until *time.Time) {
	tb.Helper()
	h.Exec(tb, "insert into memory_limits (id, person_id, topic, rule, until, by) values (gen_random_uuid(), $1, $2, $3, $4, 'Margaret')",
		in.Person.UUID, topic, string(rule), until)
}

// CheckTerms compares the stored word counts with the windows.
func (h *House) CheckTerms(tb testing.TB) {
	tb.Helper()
	wrong := h.Column(tb, `with really as (
			select o, l, count(*) as n from memory_windows w, unnest(array[w.person_id, w.session_id, w.project_id]) o,
				unnest(tsvector_to_array(w.tsv) || ''::text) l where o is not null group by 1, 2)
		select coalesce(r.l, m.lexeme) from really r full join memory_terms m on m.owner_id = r.o and m.lexeme = r.l
		where r.n is distinct from m.windows`)
	if len(wrong) != 0 {
		tb.Errorf("counted wrongly: %q", wrong)
	}
}

// Meet stores an entity that a person mentioned, and its relation to another; no relation
// if label is empty.
func (h *House) Meet(tb testing.TB, in memory.Scope, name, kind, label string, to uuid.UUID, aliases ...string) uuid.UUID {
	tb.Helper()
	id := uuid.New()
	err := h.Store.InTx(tb.Context(), func(tx store.Tx) error {
		err := h.Store.SaveMemoryEntity(tb.Context(), tx, in.Person, memories.Entity{ID: id, Kind: kind, Name: name, Aliases: aliases}, November, nil)
		if err != nil || label == "" {
			return err
		}
		return h.Store.AddMemoryRelation(tb.Context(), tx, memories.Relation{ID: uuid.New(), From: id, To: to, Label: label, Since: November})
	})
	if err != nil {
		tb.Fatal(err)
	}
	return id
}

// MustExport returns the export of a person.
func (h *House) MustExport(tb testing.TB, in memory.Scope) string {
	tb.Helper()
	var b bytes.Buffer
	n, err := h.Export(tb.Context(), in.Person, &b, November)
	if err != nil {
		tb.Fatal(err)
	}
	if lines := strings.Count(b.String(), "\n"); lines != n+1 {
		tb.Errorf("%d lines after a header, and %d are told of", lines-1, n)
	}
	return b.String()
}

// MustImport imports a file, even of another person.
func (h *House) MustImport(tb testing.TB, in memory.Scope, file string) transfer.Imported {
	tb.Helper()
	im, err := h.Import(tb.Context(), in.Person, strings.NewReader(file), transfer.Options{OfAnother: true})
	if err != nil {
		tb.Fatal(err)
	}
	return im
}
