package learn

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/quoted"
)

// chunkTurns is how many turns a model reads at once: some ten minutes of talk,
// and few enough that nothing in the middle is passed over.
const chunkTurns = 40

// overlap is how many turns before a chunk are shown with it, so that its first
// answer has its question.
const overlap = 2

// lesson is one try at learning from a call, or from what was written.
type lesson struct {
	*Learner
	of    source
	who   people.Person
	frame memories.Frame
	day   time.Time // when it was, where the person lives
	done  map[string]bool
	lines []calls.Utterance // the transcript
	heard requests          // what the person said about being remembered
	turns []memories.Turn
	old   int // how many turns, at the beginning, are only there to be understood by
}

// step is one part of learning. do hands what it writes to commit.
type step struct {
	name string
	do   func(ctx context.Context, c commit) error
}

// commit runs write in the transaction that marks the step as done.
type commit func(ctx context.Context, write func(tx store.Tx) error) error

// nothing is what a step writes that has nothing to write.
func nothing(store.Tx) error { return nil }

// lesson reads what is there. An error wrapping [memory.ErrNoConsent] says that
// the person does not allow being remembered.
func (l *Learner) lesson(ctx context.Context, of source) (*lesson, error) {
	var who people.Person
	var err error
	if of.person.Known() {
		if who, err = l.cfg.Store.Person(ctx, of.person); err != nil {
			return nil, err
		}
	}
	s := &lesson{Learner: l, of: of, who: who, day: of.at.In(who.Location())}
	if s.frame, err = l.cfg.Store.FrameOf(ctx, nil, of.person); err != nil {
		return nil, err
	}
	if !s.frame.Consented {
		return nil, fmt.Errorf("remember %s: %w", of.person, memory.ErrNoConsent)
	}
	if s.done, err = of.done(ctx, l.cfg.Store); err != nil {
		return nil, err
	}
	if err := s.listen(ctx); err != nil {
		return nil, err
	}
	s.heard = listen(s.lines)
	return s, nil
}

// listen reads what was said, word for word. What was written stands in memory
// already, where that is allowed.
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

func (s *lesson) scope() memory.Scope { return memory.Scope{Person: s.of.person} }

// run does a step that is not done yet.
func (s *lesson) run(ctx context.Context, st step) error {
	if s.done[st.name] {
		return nil
	}
	err := st.do(ctx, func(ctx context.Context, write func(tx store.Tx) error) error {
		err := s.cfg.Store.InTx(ctx, func(tx store.Tx) error {
			// The order of locks is that of all who write to a memory: owner, consent.
			if err := s.cfg.Store.LockMemory(ctx, tx, s.of.owner()); err != nil {
				return err
			}
			frame, err := s.cfg.Store.FrameOf(ctx, tx, s.of.person)
			if err != nil {
				return err
			}
			if !frame.Consented {
				return fmt.Errorf("remember %s: %w", s.of.person, memory.ErrNoConsent)
			}
			fresh, err := s.of.mark(ctx, s.cfg.Store, tx, st.name)
			if err != nil || !fresh {
				return err // somebody else came first
			}
			if err := write(tx); err != nil {
				return err
			}
			return s.reach("before " + st.name)
		})
		if err != nil {
			return err
		}
		return s.reach("after " + st.name)
	})
	if err != nil {
		s.metrics.steps.WithLabelValues(kindOf(st.name), "failed").Inc()
		return fmt.Errorf("%s: %w", st.name, err)
	}
	s.done[st.name] = true
	s.metrics.steps.WithLabelValues(kindOf(st.name), "done").Inc()
	if s.cfg.Learnt != nil && s.of.person.Known() {
		s.cfg.Learnt(s.of.person)
	}
	return nil
}

func (s *lesson) reach(point string) error {
	if s.boundary == nil {
		return nil
	}
	return s.boundary(point)
}

// ask asks the model, and says which question failed.
func (s *lesson) ask(ctx context.Context, t Task, out any) error {
	t.User = quoted.Label + "\n\n" + t.User
	if err := s.cfg.Model.Ask(ctx, t, out); err != nil {
		return fmt.Errorf("ask for %s: %w", t.Name, err)
	}
	return nil
}

// read reads back what was kept of it.
func (s *lesson) read(ctx context.Context) (err error) {
	if !s.of.written() {
		s.turns, err = s.cfg.Store.MemoryConversation(ctx, s.of.person, s.of.conversation())
		return err
	}
	s.turns, err = s.cfg.Store.MemoryWriting(ctx, s.of.wrote, overlap)
	s.old = 0
	for s.old < len(s.turns) && !s.turns[s.old].At.After(s.of.wrote.After) {
		s.old++
	}
	return err
}

// chunk is what a model reads at once. The turns before shown from are there only
// to be understood by.
type chunk struct {
	name  string
	turns []memories.Turn
	from  int
}

// chunks cuts what was kept by its places, which never change: so a chunk is
// the same one at the next try, whatever was forgotten meanwhile.
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

// topicsBarred returns the topics that a person does not want kept, or raised.
func (s *lesson) topicsBarred(ctx context.Context, tx store.Tx, rules ...memories.LimitRule) ([]string, error) {
	return s.cfg.Store.MemoryLimitTopics(ctx, tx, []store.PersonID{s.of.person}, time.Now(), rules...)
}

// barred reports of each text whether it speaks of what is not to be kept.
func (s *lesson) barred(ctx context.Context, tx store.Tx, texts []string) ([]bool, error) {
	topics, err := s.topicsBarred(ctx, tx, memories.NeverStore)
	if err != nil {
		return nil, err
	}
	return s.cfg.Store.MatchTopics(ctx, tx, s.frame.Config, texts, topics)
}

// space is the namespace of ids that are made from what they stand for.
var space = uuid.MustParse("b8f2b0c4-0f5c-5a1e-8a53-3f4b7f6f2d11")

// idOf makes an id from what it stands for: the same every time.
func idOf(parts ...string) uuid.UUID {
	var b []byte
	for _, p := range parts {
		b = append(append(b, p...), 0)
	}
	return uuid.NewSHA1(space, b)
}
