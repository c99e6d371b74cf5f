package health_test

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/storetest"
)

var update = flag.Bool("update", false, "rewrite the last parts of each scene")

func TestMain(m *testing.M) { storetest.Main(m) }

// TestScenes plays each scene over a real database. A scene is a sentence on why
// it exists; "person" (optional), lines of "key: value"; "model" (optional), what a
// model answers, one a line; "elder", what happens, a line each; and what must
// come of it: "dialogue" and "answers".
//
// In "elder" a line is what the person says, or begins with one of the words of
// [acts].
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
			dialogue, answers := playScene(t, st, ar)
			if *update {
				setPart(ar, "dialogue", dialogue)
				setPart(ar, "answers", answers)
				if err := os.WriteFile(file, txtar.Format(ar), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(part(ar, "dialogue"), dialogue); diff != "" {
				t.Errorf("the dialogue went otherwise (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(part(ar, "answers"), answers); diff != "" {
				t.Errorf("other answers are on record (-want +got):\n%s", diff)
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

// acts are what may happen in a scene besides somebody speaking.
var acts = map[string]func(s *stage, arg string){
	"keys":      func(s *stage, arg string) { s.speak("", arg) },
	"silence":   (*stage).nothingYet,
	"again":     (*stage).again,    // the very same turn is sent once more
	"longer":    (*stage).longer,   // the last turn comes again with more words
	"twice":     (*stage).twice,    // a turn is sent twice at the same time
	"late":      (*stage).late,     // words from an earlier place arrive
	"cut":       (*stage).cut,      // of nAIber's last words only so many were heard
	"unspoken":  (*stage).unspoken, // the person speaks on; nAIber's last reply was not spoken
	"reconnect": (*stage).conversation,
	"hangup":    func(s *stage, _ string) { s.hangUp(); s.note("* the person is gone") },
	"finish":    func(s *stage, _ string) { s.finish(); s.note("* what follows a call is done") },
	"call":      (*stage).nextCall,
	"restart":   func(s *stage, _ string) { s.restart(); s.note("* the process is another one") },
	"model":     (*stage).model,
	"redis":     (*stage).redisIs,  // "down" or "up"
	"overtaken": (*stage).overtake, // the turn meets conflicts only
	"leaves":    (*stage).leave,    // says something and hangs up at once
}

// playScene plays a scene and returns what was said and what is on record.
func playScene(t *testing.T, st *store.Store, ar *txtar.Archive) (dialogue, answers string) {
	t.Helper()
	s := newStage(t, st, nil)
	for key, value := range pairs(part(ar, "person")) {
		switch key {
		case "conditions":
			s.person.Conditions = strings.Split(value, ", ")
		case "medications":
			s.person.Medications = strings.Split(value, ", ")
		case "language":
			s.person.Language = value
		case "threads":
			s.onRedis()
		case "at":
			s.since(value)
		case "screens":
			s.screensBefore(value)
		case "retries":
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			s.config.MaxRetry = n
		default:
			t.Fatalf("unknown key %q of the person", key)
		}
	}
	if script := part(ar, "model"); script != "" {
		s.config.Model = newStandIn(script)
	}
	s.call()
	for line := range strings.Lines(part(ar, "elder")) {
		s.act(strings.TrimSpace(line))
	}
	s.finish()
	return s.book.String(), s.results()
}

func pairs(text string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			m[key] = value
		}
	}
	return m
}

// newStandIn makes a model from lines of "word: …" and "read: {…}"; "down" is one
// that fails.
func newStandIn(script string) *standIn {
	m := &standIn{}
	for line := range strings.Lines(script) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "down":
			m.err = llm.ErrAllModelsFailed
		case "word":
			m.wordings = append(m.wordings, value)
		case "read":
			m.readings = append(m.readings, value)
		case "slow":
			m.slow = true
		}
	}
	return m
}

func (s *stage) act(line string) {
	s.tb.Helper()
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "* "), ": ")
	if do, ok := acts[name]; ok && strings.HasPrefix(line, "* ") {
		do(s, arg)
		return
	}
	if strings.HasPrefix(line, "* ") {
		s.tb.Fatalf("unknown act %q", line)
	}
	s.speak(line, "")
}

// speak has the person say something, or press keys, and notes the reply.
func (s *stage) speak(words, keys string) {
	s.tb.Helper()
	if s.over {
		s.note("(after the end)")
	}
	switch {
	case words != "":
		s.note("elder: %s", words)
	case keys != "":
		s.note("elder presses: %s", keys)
	default:
		s.note("elder says nothing")
	}
	t := s.turnOf(words, keys)
	s.answered(t, s.reply(t))
}

func (s *stage) again(string) {
	s.note("* the same turn again")
	t := *s.last
	t.ID, t.Attempt = store.NewTurnID(), t.Attempt+1
	got := s.reply(&t)
	s.note("naiber: %s", got.Text)
	s.told(got)
	if got.Text != s.said {
		s.note("  (other words than before)")
	}
}

func (s *stage) longer(words string) {
	s.note("* the turn comes again, longer")
	s.messages = s.messages[:s.last.Place-1] // without the words and the reply
	t := s.turnOf(words, "")
	t.Replaces, t.Attempt = true, s.last.Attempt+1
	s.note("elder: %s", words)
	s.answered(t, s.reply(t))
}

func (s *stage) twice(words string) {
	s.note("* the turn is sent twice at once")
	s.note("elder: %s", words)
	t := s.turnOf(words, "")
	var both sync.WaitGroup
	var got [2]orchestration.Spoken
	for i := range got {
		again := *t
		again.ID = store.NewTurnID()
		both.Go(func() { got[i] = s.reply(&again) })
	}
	both.Wait()
	if got[0].Text != got[1].Text {
		s.note("  (answered in two ways)")
	}
	s.answered(t, got[0])
}

func (s *stage) late(words string) {
	s.note("* words from an earlier place arrive late: %s", words)
	t := s.turnOf(words, "")
	t.Place, t.Late, t.At = t.Place-4, true, t.At.Add(-time.Minute)
	s.told(s.reply(t))
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
	s.note("* nAIber is cut short after: %s", last.Content)
	s.note("elder: %s", words)
	t := s.turnOf(words, "")
	t.Interrupted = true
	s.answered(t, s.reply(t))
}

// unspoken has the person speak on before nAIber could: the last reply is not in
// the history.
func (s *stage) unspoken(words string) {
	s.note("* that was not spoken, for the person speaks on: %s", words)
	s.messages = s.messages[:len(s.messages)-1]
	t := s.turnOf(words, "")
	t.Heard, t.Since = s.last.Heard+" "+words, s.last.Place
	s.answered(t, s.reply(t))
}

func (s *stage) conversation(string) {
	s.note("* the line breaks and is picked up again")
	s.converse(openingAgain)
}

// nextCall begins another call, some time later.
func (s *stage) nextCall(arg string) {
	d, err := time.ParseDuration(arg)
	if err != nil {
		s.tb.Fatal(err)
	}
	if s.line.Call.Live() {
		s.hangUp()
	}
	s.clock = s.clock.Add(d)
	s.note("* another call, %s later", arg)
	s.call()
}

func (s *stage) model(arg string) {
	m, ok := s.config.Model.(*standIn)
	if !ok {
		s.tb.Fatal("the scene has no model")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err = nil; arg == "down" {
		m.err = llm.ErrAllModelsFailed
	}
	m.slow = arg == "slow"
	s.note("* the model is %s", arg)
}
