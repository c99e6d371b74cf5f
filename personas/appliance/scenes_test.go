package appliance_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/store"
)

var update = flag.Bool("update", false, "rewrite the last part of each scene")

// TestScenes plays each scene. A scene is a sentence on why it exists; "set", lines of
// "key: value"; "person", what is said or done, a line each; and what must come of it.
func TestScenes(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenes/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenes: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			part := func(name string) *txtar.File {
				i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == name })
				if i < 0 {
					ar.Files = append(ar.Files, txtar.File{Name: name})
					i = len(ar.Files) - 1
				}
				return &ar.Files[i]
			}
			got := play(t, string(part("set").Data), string(part("person").Data))
			if *update {
				part("dialogue").Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(part("dialogue").Data), got); diff != "" {
				t.Errorf("the dialogue went otherwise (-want +got):\n%s", diff)
			}
		})
	}
}

func play(t *testing.T, set, person string) string {
	t.Helper()
	keys := map[string]string{"mode": "text"}
	var model *script
	for line := range strings.Lines(set) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "word", "read":
			if model == nil {
				model = &script{}
			}
			if key == "word" {
				model.words = append(model.words, strings.ReplaceAll(value, `\n`, "\n"))
			} else {
				model.readings = append(model.readings, json.RawMessage(value))
			}
		default:
			keys[key] = value
		}
	}
	s := newStage(t, keys["mode"])
	s.language = keys["language"]
	if model != nil {
		s.config.Model = model
	}
	if list := keys["contacts"]; list != "" {
		var c carers
		for entry := range strings.SplitSeq(list, ", ") {
			name, address, _ := strings.Cut(entry, "=")
			c = append(c, appliance.Address{Name: name, Email: address})
		}
		s.config.Contacts = c
	}
	s.open()
	for line := range strings.Lines(person) {
		line = strings.TrimSpace(line)
		if act, ok := strings.CutPrefix(line, "* "); ok {
			s.act(act)
		} else if line != "" {
			s.speak(line)
		}
	}
	for _, m := range s.post.mails {
		s.note("mail to %s: %s\n%s", m.To, m.Title, m.Body)
		for _, l := range append(m.Videos, m.Images...) {
			s.note("%s: %s", l.Title, l.URL)
		}
	}
	return s.book.String()
}

func (s *stage) speak(line string) {
	s.tb.Helper()
	s.note("person: %s", line)
	if s.mode != "text" {
		s.says(line)
	} else {
		s.told(s.writes(line))
	}
	s.summary()
}

func (s *stage) told(r appliance.Reply) {
	s.note("naiber: %s", r.Text)
	if r.Tool != nil {
		raw, err := json.Marshal(r.Tool)
		if err != nil {
			s.tb.Fatal(err)
		}
		s.note("  %s", raw)
	}
}

// summary notes what is known now.
func (s *stage) summary() {
	s.tb.Helper()
	st := s.peek()
	known := []string{st.ProductModel, st.PartNumber, strings.Join(st.Symptoms, "; "), string(st.GoalType), st.EmailAddress}
	for i, name := range []string{"model", "part", "symptoms", "goal", "email"} {
		if known[i] != "" {
			known[i] = name + "=" + known[i]
		}
	}
	for _, g := range st.Queue {
		known = append(known, "then="+string(g))
	}
	if st.Asked != nil {
		known = append(known, "asked="+string(st.Asked.Kind))
	}
	if st.Active {
		known = append(known, "active")
	}
	s.note("  [%s]", strings.Join(slices.DeleteFunc(known, func(k string) bool { return k == "" }), ", "))
}

// act does what happens besides somebody speaking.
func (s *stage) act(act string) {
	s.tb.Helper()
	name, arg, _ := strings.Cut(act, ": ")
	s.note("* %s", act)
	switch name {
	case "again": // the same comes once more
		if s.mode == "text" {
			s.told(s.chat(s.lastText))
			break
		}
		again := *s.last
		again.ID, again.Attempt = store.NewTurnID(), again.Attempt+1
		s.note("naiber: %s", s.reply(&again).Text)
	case "longer": // the last turn comes again with more words
		s.messages = s.messages[:s.last.Place-1]
		t := s.turn(arg, "")
		t.Replaces, t.Attempt = true, s.last.Attempt+1
		s.answered(t)
	case "late":
		t := s.turn(arg, "")
		t.Place, t.Late = t.Place-4, true
		s.note("naiber: %s", s.reply(t).Text)
	case "unspoken": // the person speaks on; the last reply was not spoken
		s.messages = s.messages[:len(s.messages)-1]
		t := s.turn(arg, "")
		t.Heard, t.Since = s.last.Heard+" "+arg, s.last.Place
		s.answered(t)
	case "cut":
		t := s.turn(arg, "")
		t.Interrupted = true
		s.answered(t)
	case "keys":
		s.answered(s.turn("", arg))
	case "restart": // another process
		s.open()
	case "expired": // the thread is gone, and the session is not
		if err := s.config.Checkpoints.Delete(s.tb.Context(), appliance.ThreadName(store.PersonID{}, s.session)); err != nil {
			s.tb.Fatal(err)
		}
	case "reconnect":
		s.line.ConversationID = "conv_2"
		s.messages = []llm.Message{{Role: llm.RoleAssistant, Content: "The line broke for a moment. Where were we?"}}
	case "catalogue":
		s.shelf.down = map[string]error{"down": errDown, "up": nil}[arg]
	case "mail":
		s.post.fails = map[string]error{"down": errDown, "none": appliance.ErrNoMail, "up": nil}[arg]
	default:
		s.tb.Fatalf("unknown act %q", act)
	}
	s.summary()
}

var errDown = &downError{}

type downError struct{}

func (*downError) Error() string { return "it is down" }

