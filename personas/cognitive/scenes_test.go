package cognitive_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

var update = flag.Bool("update", false, "rewrite the last parts of each scene")

func TestMain(m *testing.M) { storetest.Main(m) }

// TestScenes plays each scene over a real database. A scene is a sentence on why it exists;
// "tasks" (optional), the ids of the tasks; "elder", what happens, a line each; and what
// must come of it: "dialogue" and "record".
//
// In "elder" a line is what the person says, after "@7 " so many seconds after nAIber, else
// 3; or it begins with one of the words of [acts].
func TestScenes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	st := storetest.New(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := newStage(t, st, strings.Fields(part(ar, "tasks"))...)
			s.call()
			for line := range strings.Lines(part(ar, "elder")) {
				s.act(strings.TrimSpace(line))
			}
			s.finish()
			got := map[string]string{"dialogue": s.book.String(), "record": s.record()}
			for _, name := range []string{"dialogue", "record"} {
				if *update {
					setPart(ar, name, got[name])
				} else if diff := cmp.Diff(part(ar, name), got[name]); diff != "" {
					t.Errorf("another %s (-want +got):\n%s", name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func part(ar *txtar.Archive, name string) string {
	for _, f := range ar.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func setPart(ar *txtar.Archive, name, text string) {
	for i := range ar.Files {
		if ar.Files[i].Name == name {
			ar.Files[i].Data = []byte(text)
			return
		}
	}
	ar.Files = append(ar.Files, txtar.File{Name: name, Data: []byte(text)})
}

// silenceSeconds is after how long the voice service asks for a turn though nobody spoke.
const silenceSeconds = 8

// acts are what may happen in a scene besides somebody speaking.
var acts = map[string]func(s *stage, arg string){
	"silence": func(s *stage, _ string) { s.speak("", silenceSeconds) },
	"again":   (*stage).again,  // the very same turn is sent once more
	"longer":  (*stage).longer, // the last turn comes again with more words
	"late":    (*stage).late,   // words from an earlier place arrive
	"cut":     (*stage).cut,    // of nAIber's last words only so many were heard
	"reconnect": func(s *stage, _ string) {
		s.note("* the line breaks and is picked up again")
		s.converse(openingAgain)
	},
	"unspoken": (*stage).unspoken, // the person speaks on; nAIber's last reply was not spoken
	"safety":   (*stage).safety,   // a red flag is answered by others
	"keys":     func(s *stage, keys string) { s.speak("[keypad: "+keys+"]", 3) },
	"restart":  func(s *stage, _ string) { s.restart(); s.note("* the process is another one") },
	"hangup":   func(s *stage, _ string) { s.hangUp(); s.note("* the person is gone") },
	"ready":    func(s *stage, _ string) { s.ready() },
}

// ready plays the time before the tasks.
func (s *stage) ready() {
	for _, words := range []string{"Yes, it is", "Yellow, twelve", "No, nothing, I'm fine"} {
		s.speak(words, 3)
	}
}

func (s *stage) act(line string) {
	s.tb.Helper()
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	if rest, ok := strings.CutPrefix(line, "* "); ok {
		name, arg, _ := strings.Cut(rest, ": ")
		do := acts[name]
		if do == nil {
			s.tb.Fatalf("unknown act %q", line)
		}
		do(s, arg)
		return
	}
	seconds := 3.0
	if rest, ok := strings.CutPrefix(line, "@"); ok {
		var at string
		var err error
		at, line, _ = strings.Cut(rest, " ")
		if seconds, err = strconv.ParseFloat(at, 64); err != nil {
			s.tb.Fatal(err)
		}
	}
	s.speak(line, seconds)
}

// unspoken has the person speak on before nAIber could: the last reply is not in the
// history.
func (s *stage) unspoken(words string) {
	s.note("* that was not spoken, for the person speaks on: %s", words)
	s.messages = s.messages[:len(s.messages)-1]
	t := s.turnOf(words, 1)
	s.answered(t, s.reply(t))
}

// safety has others answer what the person says: the persona does not see that turn.
func (s *stage) safety(words string) {
	s.note("* safety answers: %s", words)
	s.messages = s.turnOf(words, 2).Messages
	s.hear("I'm worried about what you tell me. Are you hurt? If so, hang up and ring 999.")
}

func (s *stage) again(string) {
	s.note("* the same turn again")
	t := *s.last
	t.ID, t.Attempt = store.NewTurnID(), t.Attempt+1
	if got := s.reply(&t); got.Text != s.said.Text || got.Skipped != s.said.Skipped {
		s.tb.Errorf("the same turn again: %+v, before %+v", got, s.said)
	}
}

func (s *stage) longer(words string) {
	s.note("* the turn comes again, longer: %s", words)
	s.messages = s.messages[:s.last.Place-1] // without the words and the reply
	t := s.turnOf(words, 1)
	t.Replaces, t.Attempt = true, s.last.Attempt+1
	s.answered(t, s.reply(t))
}

func (s *stage) late(words string) {
	s.note("* words from an earlier place arrive late: %s", words)
	t := s.turnOf(words, 1)
	t.Place, t.Late, t.At = t.Place-4, true, t.At.Add(-time.Minute)
	s.reply(t)
}

// cut makes the next turn one that interrupted nAIber after so many words.
func (s *stage) cut(arg string) {
	count, words, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(count)
	if err != nil {
		s.tb.Fatal(err)
	}
	last := &s.messages[len(s.messages)-1]
	last.Content = strings.Join(strings.Fields(last.Content)[:n], " ") + "..."
	s.note("* nAIber is cut short after %d words; elder: %s", n, words)
	t := s.turnOf(words, 0)
	t.Interrupted = true
	s.answered(t, s.reply(t))
}
