package appliance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func TestNewSaysAllThatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := appliance.New(appliance.Config{})
	for _, want := range []string{"catalogue", "checkpoints", "log"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New: %v, want it to name %q", err, want)
		}
	}
}

// manyMachines is a catalogue with a model and a part for each of n sessions.
func manyMachines(n int) *shelf {
	s := &shelf{}
	for i := range n {
		p := small().parts[0]
		p.Model, p.Number, p.Name = fmt.Sprintf("KDW%03dXY", i), fmt.Sprintf("KP77%03d55", i), fmt.Sprintf("Board of %d", i)
		s.parts = append(s.parts, p)
	}
	return s
}

// Sessions at once know nothing of one another, whatever keeps their threads.
func TestSessionsDoNotMix(t *testing.T) {
	t.Parallel()
	const sessions = 200
	for name, open := range map[string]func(t *testing.T) appliance.Checkpoints{
		"memory": func(*testing.T) appliance.Checkpoints { return checkpoint.NewMemory(0) },
		"postgres": func(t *testing.T) appliance.Checkpoints {
			t.Helper()
			s, err := checkpoint.New(storetest.New(t), checkpoint.Config{Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "text")
			s.config.Catalogue, s.config.Checkpoints = manyMachines(sessions), open(t)
			s.open()
			var all sync.WaitGroup
			for i := range sessions {
				all.Go(func() {
					model, part, to := fmt.Sprintf("KDW%03dXY", i), fmt.Sprintf("KP77%03d55", i), fmt.Sprintf("p%d@example.com", i)
					var r appliance.Reply
					for seq, text := range []string{
						"My dishwasher won't start", "It is the " + model, "Does part " + part + " fit?", "Email me the summary at " + to,
					} {
						var err error
						r, err = s.persona.Chat(t.Context(), appliance.Written{Session: fmt.Sprint("session ", i), Seq: seq + 1, Text: text})
						if err != nil {
							t.Errorf("session %d: %v", i, err)
							return
						}
					}
					var st appliance.State
					if err := json.Unmarshal(r.State, &st); err != nil {
						t.Error(err)
					}
					if st.ProductModel != model || st.PartNumber != part || st.EmailAddress != to || len(st.Results) != 2 {
						t.Errorf("session %d knows %+v", i, st)
					}
				})
			}
			all.Wait()
			if len(s.post.mails) != sessions {
				t.Errorf("%d mails, want %d", len(s.post.mails), sessions)
			}
			for _, m := range s.post.mails {
				var i int
				if _, err := fmt.Sscanf(m.To, "p%d@example.com", &i); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(m.Body, fmt.Sprintf("KDW%03dXY", i)) || strings.Count(m.Body, "KDW") != 2 {
					t.Errorf("mail to %s:\n%s", m.To, m.Body)
				}
			}
		})
	}
}

var errCrash = errors.New("the process was killed")

// faulty is a store that fails where a test says so.
type faulty struct {
	*checkpoint.Memory

	before, after func() error
}

func (f *faulty) Put(ctx context.Context, thread string, h checkpoint.History, cp checkpoint.Checkpoint) error {
	if err := f.before(); err != nil {
		return err
	}
	if err := f.Memory.Put(ctx, thread, h, cp); err != nil {
		return err
	}
	return f.after()
}

// TestCrash plays a session in which the process dies before and after its writes: what is
// known in the end is the same, and the mail is sent once.
func TestCrash(t *testing.T) {
	t.Parallel()
	messages := []string{
		"My WDT780SAEM1 dishwasher won't start", "Does PS3406971 fit, and then email me", "yes", "user@example.com", "thanks", "how do I install it",
	}
	hold := func(crash func() error) (appliance.State, *post) {
		s := newStage(t, "text")
		s.config.Checkpoints = &faulty{Memory: checkpoint.NewMemory(0), before: crash, after: crash}
		s.open()
		for i, text := range messages {
			for {
				s.open() // as another process would
				r, err := s.persona.Chat(t.Context(), appliance.Written{Session: "s", Seq: i + 1, Text: text})
				if err == nil {
					s.state = r.State
					break
				}
				if !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
			}
		}
		return s.known(), s.post
	}
	want, mails := hold(func() error { return nil })
	if len(mails.mails) != 1 || want.ProductModel != "WDT780SAEM1" || want.PartNumber != "PS3406971" {
		t.Fatalf("without a crash: %+v, %d mails", want, len(mails.mails))
	}
	again := 0
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 4))
		got, mails := hold(func() error {
			if rnd.IntN(3) == 0 {
				return errCrash
			}
			return nil
		})
		again += mails.asked - len(mails.mails)
		if diff := cmp.Diff(want, got, cmp.FilterPath(unexported, cmp.Ignore())); diff != "" || len(mails.mails) != 1 {
			t.Fatalf("seed %d: %d mails, state (-want +got):\n%s", seed, len(mails.mails), diff)
		}
	}
	if again == 0 {
		t.Error("no crash fell between the mail and the save: the test shows nothing")
	}
}

// unexported reports whether a path leads to what is not saved.
func unexported(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && f.Name()[0] >= 'a'
}

// The same message again is answered by the same words, even a model's, and a message
// that is replaced leaves nothing behind.
func TestChatAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t, "text")
	s.config.Model = &script{
		words:    []string{"I am sorry to hear that! What is the model number?", "Other words? What is the model number?"},
		readings: []json.RawMessage{json.RawMessage(`{"model":null,"part":null,"symptoms":[],"goal":null,"email":null}`)},
	}
	s.open()
	first := s.writes("My dishwasher leaks")
	if again := s.chat("My dishwasher leaks"); again.Text != first.Text || !strings.Contains(again.Text, "sorry to hear") {
		t.Errorf("first %q, then %q", first.Text, again.Text)
	}
	s.state = nil // as it was kept before the message
	s.chat("My dishwasher won't drain")
	if got := s.known().Symptoms; len(got) != 1 || got[0] != "Not draining" {
		t.Errorf("symptoms: %q", got)
	}
}

// A model that is too slow is not waited for: the fixed sentence is said.
func TestSlowModel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "call")
		s.config.Model = &script{slow: true}
		s.open()
		if got := s.says("My dishwasher leaks"); !strings.HasPrefix(got.Text, "What is the model number") {
			t.Errorf("said %q", got.Text)
		}
	})
}

// In a call a model's words are said sentence by sentence: where one strays, the fixed
// sentence follows those that were said.
func TestSpokenSentenceBySentence(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, words, want string }{
		{"good", "Oh dear, that is a nuisance. What is the model number?", "Oh dear, that is a nuisance. What is the model number?"},
		{"made up number", "Oh dear. It is part 4711. Shall we?", "Oh dear. What is the model number, which is usually on a label inside the door or on the back?"},
		{"link", "See www.example.com now.", "What is the model number, which is usually on a label inside the door or on the back?"},
		{"no question", "I am with you.", "I am with you. What is the model number, which is usually on a label inside the door or on the back?"},
		{"made up step", "First unscrew the panel. What is the model number?", "What is the model number, which is usually on a label inside the door or on the back?"},
		{"price in words", "It costs forty dollars. What is the model number?", "What is the model number, which is usually on a label inside the door or on the back?"},
		{"list", "* one\n* two?", "What is the model number, which is usually on a label inside the door or on the back?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "call")
			s.config.Model = &script{words: []string{tt.words}}
			s.open()
			got := s.says("My dishwasher leaks")
			if got.Text != tt.want {
				t.Errorf("said %q, want %q", got.Text, tt.want)
			}
		})
	}
}

// The instructions of the speaker can be read by machines, and the extractor is told what
// is known.
func TestPrompts(t *testing.T) {
	t.Parallel()
	s := newStage(t, "text")
	m := &script{words: []string{"x"}}
	s.config.Model = m
	s.open()
	r := s.writes("My WDT780SAEM1 has been behaving in an odd way lately, dear, and the plates that come out of it have a funny look about them")
	if len(m.asked) != 2 {
		t.Fatalf("the model was asked %d times, want twice; the reply was %q", len(m.asked), r.Text)
	}
	if !strings.Contains(m.asked[0], "ALWAYS null (already known: WDT780SAEM1)") {
		t.Errorf("extractor's prompt:\n%s", m.asked[0])
	}
	if !strings.HasPrefix(m.asked[1], "You help somebody with a household appliance.\n") || !strings.Contains(m.asked[1], "\nSAY: I can help you in four ways.") {
		t.Errorf("speaker's prompt:\n%s", m.asked[1])
	}
}

// A mail says nothing in a model's words that was not found, and is cleaned.
func TestSummary(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, words, want string }{
		{"the model's", "## Your dishwasher\n- It would **not** start.\n- See [the part](https://x.example/y) PS3406971, $249.99\n```json\n{\"a\": 1}\n```\n", "## Your dishwasher\n- It would not start.\n- See the part PS3406971, $249.99"},
		{"made up", "The Turbo 9000 costs $5.", "Here is what we found out together."},
		{"nothing left", "{\"summary\": \"x\"}", "Here is what we found out together."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "text")
			s.config.Model = &script{words: []string{"Look at this.", tt.words}}
			s.open()
			s.writes("My WDT780SAEM1 won't start")
			s.writes("email me at user@example.com")
			if len(s.post.mails) != 1 || !strings.HasPrefix(s.post.mails[0].Body, tt.want) {
				t.Errorf("mails: %+v", s.post.mails)
			}
		})
	}
}

// Every way in which nobody can be reached leaves something to say.
func TestChatFails(t *testing.T) {
	t.Parallel()
	s := newStage(t, "text")
	s.config.Checkpoints = &faulty{Memory: checkpoint.NewMemory(0), before: func() error { return errCrash }}
	s.open()
	if _, err := s.persona.Chat(t.Context(), appliance.Written{Session: "s", Seq: 1, Text: "hello"}); !errors.Is(err, errCrash) {
		t.Errorf("got %v, want the store's error", err)
	}
	r, err := s.persona.Chat(t.Context(), appliance.Written{Session: "s", Seq: 1, Text: "I smell gas"})
	if err != nil || !strings.Contains(r.Text, "leave the house, and ring 911") {
		t.Errorf("danger: %q, %v: want an answer though nothing can be saved", r.Text, err)
	}
}

// A snapshot that cannot be read begins the session over.
func TestChatUnreadableSnapshot(t *testing.T) {
	t.Parallel()
	s := newStage(t, "text")
	s.open()
	r, err := s.persona.Chat(t.Context(), appliance.Written{Session: "s", Seq: 7, Text: "My WDT780SAEM1 won't start", State: json.RawMessage(`{"symptoms":7}`)})
	if err != nil || r.Tool == nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestThreadName(t *testing.T) {
	t.Parallel()
	id := store.NewPersonID()
	if got := appliance.ThreadName(id, "x"); !strings.HasPrefix(got, appliance.ThreadName(id, "")) {
		t.Errorf("%q does not begin with all of the person's", got)
	}
}

// Danger that the rules do not know is heard by a model, also in place of an answer, and
// met with the same fixed words; what it calls danger beyond the known kinds is none.
func TestDangerByModel(t *testing.T) {
	t.Parallel()
	const words = "When I hold on to this thing a funny feeling goes all the way up to my ears."
	for _, mode := range []string{"text", "call"} {
		for danger, want := range map[string]bool{`"shock"`: true, `"earthquake"`: false, `null`: false} {
			s := newStage(t, mode)
			reading := json.RawMessage(`{"model":null,"part":null,"symptoms":[],"goal":null,"email":null,"danger":` + danger + `}`)
			s.config.Model = &script{readings: []json.RawMessage{reading, reading}}
			s.open()
			say := func(words string) string {
				if mode == "text" {
					return s.writes(words).Text
				}
				return s.says(words).Text
			}
			for _, before := range []string{"", "The dishwasher leaks and its model is KDW482SX"} { // the second asks a number back
				if before != "" {
					say(before)
				}
				if got := say(words); strings.Contains(got, "don't touch the machine") != want {
					t.Errorf("%s, danger %s after %q: got %q", mode, danger, before, got)
				}
			}
		}
	}
}
