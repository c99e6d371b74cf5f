package learn

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/quoted"
)

// chunkTurns is how many turns a model reads at once: about ten minutes of talk, and few
// enough that nothing in the middle is overlooked.
const chunkTurns = 40

// overlap is how many turns before a chunk are shown with it, which gives its first answer
// its question.
const overlap = 2

// source is what is learned from: a call, or a part of a written session.
type source struct {
	key          string           // a unique id, part of the ids of what is learned
	name         string           // "call …", "session …"
	conversation string           // the conversation of its turns in memory
	person       store.PersonID   // unknown if the session belongs to no person
	at           time.Time        // when it began
	call         store.CallID     // zero if it was written
	wrote        memories.Writing // zero if it was spoken
}

func spokenIn(c calls.Call) source {
	id := c.ID.String()
	return source{key: id, name: "call " + id, conversation: id, person: c.PersonID, at: c.CreatedAt, call: c.ID}
}

func writtenIn(w memories.Writing) source {
	id := w.Session.String()
	return source{
		key: id + "/" + w.Through.UTC().Format(time.RFC3339Nano), name: "session " + id, conversation: id, person: w.PersonID, at: w.Through, wrote: w,
	}
}

// written reports whether the source was written, not spoken.
func (o source) written() bool { return o.call == store.CallID{} }

// scope returns the scope of the source's memory: the person, or the session if it belongs
// to no person.
func (o source) scope() memory.Scope {
	if o.person.Known() {
		return memory.Scope{Person: o.person}
	}
	return memory.Scope{Session: o.wrote.Session}
}

// lesson is one try at learning from a call, or from what was written.
type lesson struct {
	*Learner
	of    source
	who   people.Person
	frame memories.Frame
	day   time.Time // when it took place, in the person's time zone
	done  map[string]bool
	lines []calls.Utterance // the transcript
	heard requests          // what the person said about being remembered
	turns []memories.Turn
	old   int // how many turns, at the beginning, are shown only as context
}

// step is one part of learning. do returns the function that writes its result in the
// transaction that marks the step as done, or nil if there is nothing to write.
type step struct {
	name string
	do   func(ctx context.Context) (write, error)
}

type write func(tx store.Tx) error

// lesson loads what a try needs. An error that wraps [memory.ErrNoConsent] says that the
// person does not allow being remembered.
func (l *Learner) lesson(ctx context.Context, of source) (s *lesson, err error) {
	s = &lesson{Learner: l, of: of}
	if of.person.Known() {
		if s.who, err = l.cfg.Store.Person(ctx, of.person); err != nil {
			return nil, err
		}
	}
	s.day = of.at.In(s.who.Location())
	if err := s.consented(ctx, nil); err != nil {
		return nil, err
	}
	if of.written() {
		s.done, err = l.cfg.Store.LearnedWriting(ctx, of.wrote)
	} else {
		s.done, err = l.cfg.Store.LearnedSteps(ctx, of.call)
	}
	if err != nil {
		return nil, err
	}
	if err := s.listen(ctx); err != nil {
		return nil, err
	}
	s.heard = listen(s.lines)
	return s, nil
}

// consented returns an error that wraps [memory.ErrNoConsent] if the person does not allow
// being remembered. Inside a transaction (tx may be nil), the consent is locked until its
// end.
func (s *lesson) consented(ctx context.Context, tx store.Tx) (err error) {
	s.frame, err = s.cfg.Store.FrameOf(ctx, tx, s.of.person)
	if err == nil && !s.frame.Consented {
		err = fmt.Errorf("remember %s: %w", s.of.person, memory.ErrNoConsent)
	}
	return err
}

// listen loads what was said, word for word. Written text is already in memory, if that is
// allowed.
func (s *lesson) listen(ctx context.Context) (err error) {
	if !s.of.written() {
		s.lines, err = s.cfg.Store.Transcript(ctx, s.of.call)
		return err
	}
	if err := s.read(ctx); err != nil {
		return err
	}
	for _, t := range s.turns[s.old:] {
		s.lines = append(s.lines, calls.Utterance{Role: t.Speaker, Text: t.Text, At: t.At})
	}
	return nil
}

// run runs a step unless it is already done.
func (s *lesson) run(ctx context.Context, st step) error {
	if s.done[st.name] {
		return nil
	}
	kind, _, _ := strings.Cut(st.name, "/")
	write, err := st.do(ctx)
	if err == nil {
		err = s.commit(ctx, st.name, write)
	}
	if err != nil {
		s.metrics.steps.WithLabelValues(kind, "failed").Inc()
		return fmt.Errorf("%s: %w", st.name, err)
	}
	s.done[st.name] = true
	s.metrics.steps.WithLabelValues(kind, "done").Inc()
	s.tell()
	return nil
}

// commit writes the result of a step, and marks it as done.
func (s *lesson) commit(ctx context.Context, name string, write write) error {
	err := s.locked(ctx, func(tx store.Tx) (err error) {
		var fresh bool
		if s.of.written() {
			fresh, err = s.cfg.Store.MarkLearnedWriting(ctx, tx, s.of.wrote, name)
		} else {
			fresh, err = s.cfg.Store.MarkLearned(ctx, tx, s.of.call, name)
		}
		if err != nil || !fresh {
			return err // another process came first
		}
		if write != nil {
			if err := write(tx); err != nil {
				return err
			}
		}
		return s.reach("before " + name)
	})
	if err != nil {
		return err
	}
	return s.reach("after " + name)
}

// locked runs write under the lock of the owner's memory, while there is consent: the lock
// order of all writers to a memory.
func (s *lesson) locked(ctx context.Context, write write) error {
	return s.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		if err := s.cfg.Store.LockMemory(ctx, tx, s.of.scope().Owners()[0]); err != nil {
			return err
		}
		if err := s.consented(ctx, tx); err != nil {
			return err
		}
		return write(tx)
	})
}

// tell calls Learnt, if it is set and the person is known.
func (s *lesson) tell() {
	if s.cfg.Learnt != nil && s.of.person.Known() {
		s.cfg.Learnt(s.of.person)
	}
}

func (s *lesson) reach(point string) error {
	if s.boundary == nil {
		return nil
	}
	return s.boundary(point)
}

// ask calls the model, and adds the name of the question to an error.
func (s *lesson) ask(ctx context.Context, t Task, out any) error {
	t.User = quoted.Label + "\n\n" + t.User
	if err := s.cfg.Model.Ask(ctx, t, out); err != nil {
		return fmt.Errorf("ask for %s: %w", t.Name, err)
	}
	return nil
}

// read loads the turns that were kept from the source.
func (s *lesson) read(ctx context.Context) (err error) {
	if !s.of.written() {
		s.turns, err = s.cfg.Store.MemoryConversation(ctx, s.of.person, s.of.conversation)
		return err
	}
	s.turns, err = s.cfg.Store.MemoryWriting(ctx, s.of.wrote, overlap)
	s.old = 0
	for s.old < len(s.turns) && !s.turns[s.old].At.After(s.of.wrote.After) {
		s.old++
	}
	return err
}

// chunk is what a model reads at once. The turns before index from are shown only as
// context.
type chunk struct {
	name  string
	turns []memories.Turn
	from  int
}

// chunks cuts the kept turns by their sequence numbers, which never change: a chunk is the
// same at the next try, whatever was forgotten in the meantime.
func (s *lesson) chunks() []chunk {
	var out []chunk
	for i := s.old; i < len(s.turns); {
		number := (s.turns[i].Seq - 1) / chunkTurns
		end := i
		for end < len(s.turns) && (s.turns[end].Seq-1)/chunkTurns == number {
			end++
		}
		from := max(0, i-overlap)
		out = append(out, chunk{name: strconv.Itoa(number + 1), turns: s.turns[from:end], from: i - from})
		i = end
	}
	return out
}

// topicsBarred returns the topics that the person does not want kept or raised, by rules.
func (s *lesson) topicsBarred(ctx context.Context, tx store.Tx, rules ...memories.LimitRule) ([]string, error) {
	return s.cfg.Store.MemoryLimitTopics(ctx, tx, []store.PersonID{s.of.person}, time.Now(), rules...)
}

// about reports for each text whether it mentions one of the topics.
func (s *lesson) about(ctx context.Context, tx store.Tx, texts []string, topics ...string) ([]bool, error) {
	return s.cfg.Store.MatchTopics(ctx, tx, s.frame.Config, texts, topics)
}

// keepable returns which of a model's findings may be kept: those that mention no topic
// that must never be kept, and that come from turns that still exist; if own is set, from
// one of the person's. of returns the text of a finding and its turns.
func keepable[T any](ctx context.Context, s *lesson, tx store.Tx, found []T, own bool, of func(T) (string, []uuid.UUID)) ([]T, error) {
	var ids []uuid.UUID
	texts := make([]string, len(found))
	for i, f := range found {
		text, turns := of(f)
		texts[i], ids = text, append(ids, turns...)
	}
	topics, err := s.topicsBarred(ctx, tx, memories.NeverStore)
	if err != nil {
		return nil, err
	}
	barred, err := s.about(ctx, tx, texts, topics...)
	if err != nil {
		return nil, err
	}
	left, err := s.cfg.Store.LockMemoryTurns(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	left = slices.DeleteFunc(left, func(t memories.Turn) bool { return own && t.Speaker != calls.RoleUser })
	var out []T
	for i, f := range found {
		_, turns := of(f)
		switch {
		case barred[i]:
			s.drop("never_store")
		case !slices.ContainsFunc(left, func(t memories.Turn) bool { return slices.Contains(turns, t.ID) }):
			s.drop("forgotten")
		default:
			out = append(out, f)
		}
	}
	return out, nil
}

func turnIDs(turns []memories.Turn) []uuid.UUID {
	ids := make([]uuid.UUID, len(turns))
	for i, t := range turns {
		ids[i] = t.ID
	}
	return ids
}

// space is the namespace of ids that are derived from content.
var space = uuid.MustParse("b8f2b0c4-0f5c-5a1e-8a53-3f4b7f6f2d11")

// idOf derives an id from parts. Equal parts give the same id.
func idOf(parts ...string) uuid.UUID {
	var b []byte
	for _, p := range parts {
		b = append(append(b, p...), 0)
	}
	return uuid.NewSHA1(space, b)
}
