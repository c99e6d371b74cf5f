package service

import (
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
	"github.com/naiber/naiber/memory/vectors"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// november is a Tuesday.
var november = time.Date(2026, time.November, 3, 15, 0, 0, 0, time.UTC)

var errAway = errors.New("away")

// embedder is an embedding server that knows a few words of the same meaning.
type embedder struct {
	mu     sync.Mutex // guards what follows
	err    error
	refuse string // texts with it are refused
	calls  int
	hangs  <-chan struct{} // if set, whoever asks waits for it
	waited int
}

func (e *embedder) hang(c <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hangs = c
}

// hung counts who waited.
func (e *embedder) hung() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waited
}

const embedderDims = 64

// meanings of words, by their stems.
var meanings = map[string]string{"pupp": "dog", "terrier": "dog"}

// stop are words that mean nothing to the embedder.
var stop = english.Set(`a about after again all also am an and any are as at be because been but by can come could did do does
	don't for from get go going good got had has have he her here him his how i i'm if in is it it's its just know like
	little me mine much my no not now of oh ok on one or our out really say see she so some something still tell than
	that that's the their them then there they thing think this time to today too up us very was we well went were what
	when where which who why will with would yes you your talk talked last call ago days yesterday earlier takes lives`)

// wordsOf returns the words of s that mean something, without their endings.
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

func (e *embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
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
		if e.refuse != "" && strings.Contains(t, e.refuse) {
			return nil, errors.New("refused")
		}
		v := make([]float32, embedderDims)
		v[0] = 0.1
		for w := range wordsOf(t) {
			if m := meanings[w]; m != "" {
				w = m
			}
			h := fnv.New32a()
			_, _ = h.Write([]byte(w))
			v[h.Sum32()%embedderDims]++
		}
		out = append(out, v)
	}
	return out, nil
}

func (e *embedder) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
}

// shaky is a vector store that can be told to fail.
type shaky struct {
	vectors.Store
	mu   sync.Mutex // guards err and asks
	err  error
	asks int
	// wrote, if set, is called after each upsert; its error ends the call.
	wrote func() error
}

func (s *shaky) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// asked counts what was asked of it.
func (s *shaky) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks
}

func (s *shaky) failing() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asks++
	return s.err
}

func (s *shaky) Ensure(ctx context.Context, dims int) error {
	if err := s.failing(); err != nil {
		return err
	}
	return s.Store.Ensure(ctx, dims)
}

func (s *shaky) Upsert(ctx context.Context, points []vectors.Point) error {
	if err := s.failing(); err != nil {
		return err
	}
	if err := s.Store.Upsert(ctx, points); err != nil || s.wrote == nil {
		return err
	}
	return s.wrote()
}

func (s *shaky) Search(ctx context.Context, q vectors.Query) ([]vectors.Hit, error) {
	if err := s.failing(); err != nil {
		return nil, err
	}
	return s.Store.Search(ctx, q)
}

func (s *shaky) Delete(ctx context.Context, ids ...uuid.UUID) error {
	if err := s.failing(); err != nil {
		return err
	}
	return s.Store.Delete(ctx, ids...)
}

// house is a service with all that is around it.
type house struct {
	*Service
	cfg   Config // of the service
	st    *store.Store
	emb   *embedder
	shelf *shaky
	reg   *prometheus.Registry
}

func newHouse(t *testing.T, adjust func(*Config)) *house {
	t.Helper()
	h := &house{st: storetest.New(t), emb: &embedder{}, reg: prometheus.NewRegistry()}
	shelf := vectors.NewPostgres(h.st, vectors.PostgresConfig{})
	t.Cleanup(func() { _ = shelf.Close() })
	h.shelf = &shaky{Store: shelf}
	cfg := Config{
		Store: h.st, Vectors: h.shelf, Embedder: h.emb, Model: "bag-of-words-1", IndexWait: 10 * time.Second, VectorWait: 10 * time.Second,
		Log: slog.New(slog.DiscardHandler), Metrics: h.reg,
	}
	if adjust != nil {
		adjust(&cfg)
	}
	h.serve(t, cfg)
	return h
}

// serve makes the service.
func (h *house) serve(t *testing.T, cfg Config) {
	t.Helper()
	var err error
	if h.Service, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	h.cfg = cfg
}

// degradedBy is what the registry says was done degraded.
func (h *house) degradedBy(t *testing.T, reason string) float64 {
	t.Helper()
	families, err := h.reg.Gather()
	if err != nil {
		t.Fatal(err)
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

func (h *house) person(t *testing.T, name string, scopes ...people.Scope) people.Person {
	t.Helper()
	var consents []people.Consent
	for _, s := range scopes {
		consents = append(consents, people.Consent{Scope: s, GivenBy: name, How: "by telephone"})
	}
	p, err := h.st.CreatePerson(t.Context(), people.Person{
		Name: name, PreferredName: name, Phone: "+15550100123", Timezone: "America/New_York", Language: "en",
	}, nil, consents)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (h *house) margaret(t *testing.T) memory.Scope {
	t.Helper()
	return memory.Scope{Person: h.person(t, "Margaret", people.ScopeMemory).ID}
}

// talk makes turns of one conversation, a minute apart: "a: " begins what nAIber
// said, anything else is the person's.
func talk(in memory.Scope, conversation string, at time.Time, said ...string) []memory.Turn {
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

func (h *house) keep(t *testing.T, turns ...memory.Turn) keep.Kept {
	t.Helper()
	kept, err := h.Keep(t.Context(), turns)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

func (h *house) ask(t *testing.T, in memory.Scope, text string, adjust ...func(*search.Query)) search.Found {
	t.Helper()
	q := search.Query{Scope: in, Text: text, Now: november}
	for _, a := range adjust {
		a(&q)
	}
	found, err := h.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func texts(hits []search.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

// column reads one column of text.
func (h *house) column(t *testing.T, sql string, args ...any) []string {
	t.Helper()
	rows, err := h.st.Pool().Query(t.Context(), sql, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func (h *house) do(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := h.st.Pool().Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func (h *house) limit(t *testing.T, in memory.Scope, rule memories.LimitRule, topic string, until *time.Time) {
	t.Helper()
	h.do(t, "insert into memory_limits (id, person_id, topic, rule, until, by) values (gen_random_uuid(), $1, $2, $3, $4, 'Margaret')",
		in.Person.UUID, topic, string(rule), until)
}
