package evaluation

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/store/calls"
)

// locomoFile names the environment's variable with the path of locomo10.json. Its
// licence is CC BY-NC, so that nothing of it belongs into the project.
const locomoFile = "LOCOMO"

// locomo are the kinds of questions of that set, by their numbers there, from 1.
// Those of a fifth have no answer.
var locomo = []Kind{"several hops", "a time", "open", "single hop"}

// BenchmarkLocomo asks the questions of a public set of ten long conversations
// between two people, and prints how many of the turns that answer them are found.
// Searches are tuned on the first half of them only:
//
//	LOCOMO=locomo10.json go test ./memory/evaluation -run '^$' -bench Locomo/first -benchtime 1x
func BenchmarkLocomo(b *testing.B) {
	path := os.Getenv(locomoFile) //nolint:forbidigo // it configures the measurement, not the program
	if path == "" {
		b.Skipf("%s names no locomo10.json: see docs/benchmarks.md", locomoFile)
	}
	all := loadLocomo(b, path)
	for i, name := range []string{"first", "second"} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				locomoReport(b, all[i*len(all)/2:(i+1)*len(all)/2])
			}
		})
	}
}

func locomoReport(b *testing.B, people []Elder) {
	b.Helper()
	h := newHome(b, people, embedder(b), how{})
	ways := variants
	if os.Getenv(embedderURL) == "" { //nolint:forbidigo // likewise; the sandbox's knows the words of its own calls only
		ways = ways[:1]
	}
	var out strings.Builder
	out.WriteString("\n| search | recall@5 | recall@10 | recall@20 |")
	for _, kind := range locomo {
		fmt.Fprintf(&out, " %s@5 | @10 | @20 |", kind)
	}
	out.WriteString("\n" + strings.Repeat("|---", 4+3*len(locomo)) + "|\n")
	for _, v := range ways {
		var tallies []Tally
		for _, k := range []int{5, 10, 20} {
			tallies = append(tallies, h.ask(b, settings(k, v.keyword, v.vector), nil))
		}
		fmt.Fprintf(&out, "| %s |", v.name)
		for _, kinds := range append([][]Kind{nil}, slices.Collect(slices.Chunk(locomo, 1))...) {
			for _, t := range tallies {
				fmt.Fprintf(&out, " %.3f |", t.Recall(kinds...))
			}
		}
		out.WriteString("\n")
	}
	fmt.Fprint(os.Stdout, out.String())
}

// recorded is one conversation as the set has it.
type recorded struct {
	Conversation map[string]json.RawMessage `json:"conversation"`
	Questions    []struct {
		Question string   `json:"question"`
		Evidence []string `json:"evidence"`
		Category int      `json:"category"`
	} `json:"qa"`
}

// loadLocomo reads the conversations as calls of the first speaker with the second.
func loadLocomo(tb testing.TB, path string) []Elder {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var all []recorded
	if err := json.Unmarshal(text, &all); err != nil {
		tb.Fatal(err)
	}
	people := make([]Elder, len(all))
	for i, c := range all {
		people[i] = c.elder(tb)
	}
	return people
}

func (c recorded) elder(tb testing.TB) Elder {
	tb.Helper()
	e := Elder{Zone: "UTC"}
	c.get(tb, "speaker_a", &e.Name)
	e.CallName = e.Name
	said := map[string]bool{}
	for n := 1; ; n++ {
		key := fmt.Sprintf("session_%d", n)
		var day string
		if !c.get(tb, key+"_date_time", &day) {
			break
		}
		at, err := time.Parse("3:04 pm on 2 January, 2006", strings.TrimSpace(day))
		if err != nil {
			tb.Fatal(err)
		}
		var lines []struct {
			Speaker string `json:"speaker"`
			ID      string `json:"dia_id"`
			Text    string `json:"text"`
		}
		if !c.get(tb, key, &lines) { // some have a date alone
			continue
		}
		talk := Call{At: at}
		for _, l := range lines {
			role := calls.RoleUser
			if l.Speaker != e.Name {
				role = calls.RoleAssistant
			}
			said[l.ID] = true
			talk.Turns = append(talk.Turns, Turn{Tag: l.ID, Role: role, Name: l.Speaker, Text: l.Text, At: at})
		}
		e.Calls = append(e.Calls, talk)
		e.Asked = at.Add(time.Hour)
	}
	for _, q := range c.Questions {
		gold := dialogue.FindAllString(strings.Join(q.Evidence, " "), -1)
		gold = slices.DeleteFunc(gold, func(id string) bool { return !said[id] }) // a few name turns that there are not
		if q.Category <= len(locomo) && len(gold) > 0 {
			slices.Sort(gold)
			e.Questions = append(e.Questions, Question{Kind: locomo[q.Category-1], Text: q.Question, Gold: slices.Compact(gold)})
		}
	}
	return e
}

// get reads what is under a key, and reports whether something is.
func (c recorded) get(tb testing.TB, key string, to any) bool {
	tb.Helper()
	text, ok := c.Conversation[key]
	if ok {
		if err := json.Unmarshal(text, to); err != nil {
			tb.Fatalf("%s: %v", key, err)
		}
	}
	return ok
}

// dialogue is how the set calls a turn.
var dialogue = regexp.MustCompile(`D\d+:\d+`)
