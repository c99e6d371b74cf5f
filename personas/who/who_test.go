package who

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
)

var ada = people.Person{ID: store.NewPersonID(), Name: "Ada Winter", PreferredName: "Ada", Phone: "+15550100123", Language: "en", Medications: []string{"warfarin"}}

// scene is one call to Ada.
type scene struct {
	t        *testing.T
	who      *Who
	persona  orchestration.Persona
	line     calls.Line
	messages []llm.Message
	ended    string
	raised   string
}

func (s *scene) Verify(_ context.Context, _ store.CallID, how calls.Verified) (calls.Line, error) {
	s.line.Call.Verified = how
	return s.line.Told(), nil
}

func (s *scene) Expected(context.Context, store.CallID) (people.Person, error) { return ada, nil }

func (s *scene) Meant(_ context.Context, line calls.Line) (string, error) {
	if line.Person.ID != ada.ID {
		return "", errors.New("it is told to nobody")
	}
	return "meant", nil
}

func (s *scene) Contacts(context.Context, store.PersonID) ([]people.Contact, error) {
	return []people.Contact{{Name: "Tobias Winter"}}, nil
}

func (s *scene) PeopleByPhone(context.Context, string) ([]people.Person, error) {
	return []people.Person{ada, {ID: store.NewPersonID(), Name: "Harold Winter"}}, nil
}

func newScene(t *testing.T, kind string) *scene {
	t.Helper()
	s := &scene{t: t, line: calls.Line{
		Call:   calls.Call{ID: store.NewCallID(), PersonID: ada.ID, Type: calls.CallType(kind), Direction: calls.Outbound, Phone: ada.Phone},
		Person: ada, ConversationID: "conv_1",
	}}
	var err error
	s.who, err = New(Config{
		Calls: s, Store: s, Presumed: []calls.CallType{calls.CallGeneral}, Log: slog.New(slog.DiscardHandler),
		Raise: func(_ context.Context, a alerts.New) {
			if a.PersonID != ada.ID || a.Quote == "" || a.Tier != alerts.SameDay {
				t.Errorf("raised %+v", a)
			}
			s.raised = a.Kind
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.persona = s.who.Hear(s.who.Answer(orchestration.PersonaFunc(func(_ context.Context, turn *orchestration.Turn, sp *orchestration.Speech) error {
		if turn.Line.Person.ID != ada.ID || turn.Line.Call.PersonID != ada.ID {
			t.Errorf("the persona gets a turn of nobody: %q", turn.Heard)
		}
		return sp.Say("persona")
	})))
	opening := "Good morning, Ada, it's Naiber again. How are you today?"
	if kind != string(calls.CallGeneral) {
		opening = "Good morning. This is Naiber. Am I speaking with Ada?"
	}
	s.messages = []llm.Message{{Role: llm.RoleAssistant, Content: opening}}
	return s
}

// says plays a turn.
func (s *scene) says(words string) string {
	s.t.Helper()
	turn := &orchestration.Turn{Line: s.line.Told(), Kind: calls.TurnSpeech, Heard: words, Place: len(s.messages) + 1, Since: len(s.messages) + 1}
	if turn.Line.Call.Withheld() != (turn.Line.Person.Name == "" && len(turn.Line.Person.Medications) == 0) {
		s.t.Errorf("the line tells %+v", turn.Line)
	}
	content := words
	switch {
	case words == "":
		turn.Kind, turn.Silences, content = calls.TurnSilence, 1, "..."
	case strings.HasPrefix(words, "["):
		turn.Kind, turn.Heard, turn.Keypad = calls.TurnKeypad, "", strings.Trim(words, "[]")
	}
	s.messages = append(s.messages, llm.Message{Role: llm.RoleUser, Content: content})
	turn.Messages = append(turn.Messages, s.messages...)
	sp := orchestration.NewSpeech()
	if err := s.persona.Reply(s.t.Context(), turn, sp); err != nil {
		s.t.Fatalf("%q: %v", words, err)
	}
	got := sp.Spoken()
	if got.Ended {
		s.ended = got.EndReason
	}
	s.messages = append(s.messages, llm.Message{Role: llm.RoleAssistant, Content: got.Text})
	return got.Text
}

func TestScenes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/scenes.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for text := range strings.SplitSeq(string(raw), "\n\n") {
		title, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
		kind, _, ok := strings.Cut(title, ": ")
		if !ok || strings.HasPrefix(title, "#") {
			continue
		}
		n++
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, kind)
			answer := ""
			for line := range strings.Lines(rest) {
				mark, words, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
				switch mark {
				case ">":
					answer = s.says(strings.TrimSpace(words))
				case "replaced>":
					s.messages = s.messages[:len(s.messages)-2]
					answer = s.says(words)
				case "<":
					if !strings.Contains(answer, words) {
						t.Fatalf("after %q: %q, want %q", s.messages[len(s.messages)-2].Content, answer, words)
					}
				case "=":
					if got := strings.TrimSpace(cmp.Or(s.ended, string(s.line.Call.Verified)) + " " + s.raised); got != words {
						t.Errorf("it comes to %q, want %q", got, words)
					}
				default:
					t.Fatalf("cannot read %q", line)
				}
			}
		})
	}
	if n < 20 {
		t.Errorf("only %d scenes were read", n)
	}
}

// unreached is a database that is not there, or that answers nothing.
type unreached struct {
	*scene
	hangs bool
}

var errUnreached = errors.New("unreached")

func (u unreached) Verify(context.Context, store.CallID, calls.Verified) (calls.Line, error) {
	return calls.Line{}, errUnreached
}

func (u unreached) Expected(ctx context.Context, id store.CallID) (people.Person, error) {
	if u.hangs {
		return u.scene.Expected(ctx, id)
	}
	return people.Person{}, errUnreached
}

func (u unreached) Contacts(ctx context.Context, _ store.PersonID) ([]people.Contact, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// What is heard reaches the rules for danger whatever the database does, and nobody is then the person.
func TestHearFailsNoTurn(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		verified calls.Verified
		words    string
		hangs    bool
	}{
		"nobody knows whose call it is": {"", "Help, I have fallen.", false},
		"the database hangs":            {"", "Help, I have fallen.", true},
		"it is not kept who it is":      {"", "Yes, this is Ada. Help, I have fallen.", true},
		"it is not kept who it is not":  {calls.Presumed, "I'm not Ada. Help, she has fallen.", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, "health_check")
			u := unreached{s, of.hangs}
			s.who.cfg.Calls, s.who.cfg.Store = u, u
			s.line.Call.Verified = of.verified
			turn := &orchestration.Turn{Line: s.line.Told(), Kind: calls.TurnSpeech, Heard: of.words, Messages: s.messages, Place: 1, Since: 1}
			heard := false
			err := s.who.Hear(orchestration.PersonaFunc(func(_ context.Context, turn *orchestration.Turn, _ *orchestration.Speech) error {
				heard = true
				if !turn.Line.Call.Withheld() || turn.Line.Person.Name != "" || turn.Line.Call.Whose() != ada.ID {
					t.Errorf("the line tells %+v", turn.Line)
				}
				return nil
			})).Reply(t.Context(), turn, orchestration.NewSpeech())
			if err != nil || !heard {
				t.Errorf("heard: %t, %v", heard, err)
			}
		})
	}
}

// Late turns and inbound calls change nothing.
func TestHearLeavesAlone(t *testing.T) {
	t.Parallel()
	s := newScene(t, "general")
	turn := &orchestration.Turn{Line: s.line.Told(), Kind: calls.TurnSpeech, Heard: "Yes, speaking.", Late: true}
	if _, news, err := s.who.hear(t.Context(), turn); news || err != nil {
		t.Errorf("a late turn is news: %t, %v", news, err)
	}
	turn.Late, turn.Line.Call.Direction = false, calls.Inbound
	if _, news, err := s.who.hear(t.Context(), turn); news || err != nil {
		t.Errorf("a caller is found to be the person: %t, %v", news, err)
	}
}

// Who asks who calls, having said who they are, hears that and what the call is for, not once
// more the question that they have answered.
func TestIntroduction(t *testing.T) {
	t.Parallel()
	const (
		first   = "Good morning. This is Naiber. I'm a computer, not a person. Am I speaking with Mrs. Winter?"
		purpose = "Thank you, Mrs. Winter. I'd like to ask you a few short questions. Is this a good moment?"
		usual   = "Hello Mrs. Winter, this is Naiber. Is this a good moment?"
	)
	for want, lines := range map[string][]string{
		"Good morning. This is Naiber. I'm a computer, not a person. " + purpose: {first, "> Hm?", first, "> Wait.", "I'll wait.", "> Yes.", purpose, "> Who is this?"},
		first: {first, "> Yes."},
		usual: {usual, "> Hm?", "Are you still there?", "> Who is this?"},
		"":    {"> Hello?"},
	} {
		var messages []llm.Message
		for _, line := range lines {
			m := llm.Message{Role: llm.RoleAssistant, Content: line}
			if said, theirs := strings.CutPrefix(line, "> "); theirs {
				m = llm.Message{Role: llm.RoleUser, Content: said}
			}
			messages = append(messages, m)
		}
		if got := Introduction(messages, "Mrs. Winter"); got != want {
			t.Errorf("after %q: %q, want %q", lines, got, want)
		}
	}
}
