package chat

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/chats"
)

var update = flag.Bool("update", false, "rewrite the golden prompt")

// The order of a prompt is a promise, so it is written down.
func TestPromptOrder(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 3, 15, 0, 0, 0, time.UTC)
	got := spell(turnPrompt("Be kind.", Recollection{
		Graph: "- Thomas (person): Margaret's son\n    → lives_in Gander (place)\n- Gander (place): a town",
		Recalled: []Recalled{
			{At: at, Text: "nAIber: How is Thomas?\nMargaret: He came home on Sunday."},
			{At: at.AddDate(0, 0, -7), Text: "Margaret: Thomas is in hospital."},
		},
	}, []chats.Episode{
		{Message: "The newer message.", Response: "The newer reply."},
		{Message: "The older message.", Response: "The older reply."},
	}, "How is my boy?", time.UTC))
	const golden = "testdata/prompt.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("prompt (-want +got):\n%s", diff)
	}
}

func spell(msgs []llm.Message) string {
	var b strings.Builder
	for _, m := range msgs {
		fmt.Fprintf(&b, "[%s]\n%s\n\n", m.Role, m.Content)
	}
	return b.String()
}

// In the evening the day is still the person's, though it is tomorrow in Greenwich.
func TestDaysAreThePersons(t *testing.T) {
	t.Parallel()
	evening := time.Date(2026, 11, 4, 1, 0, 0, 0, time.UTC)
	newfoundland, err := time.LoadLocation("Canada/Newfoundland")
	if err != nil {
		t.Fatal(err)
	}
	if got := record(chats.Episode{CreatedAt: evening}, newfoundland); !strings.HasPrefix(got, "[Tue 3 Nov 2026]") {
		t.Errorf("record = %s", got)
	}
}

// Too much is left out from its least useful end, and the message never is.
func TestPromptIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", contextBytes)
	rec := Recollection{Graph: long}
	var recent []chats.Episode
	for i := range 20 {
		rec.Recalled = append(rec.Recalled, Recalled{Text: fmt.Sprintf("recalled %d %s", i, long)})
		recent = append(recent, chats.Episode{Message: fmt.Sprintf("recent %d", i), Response: strings.Repeat("r", 4<<10)})
	}
	msgs := turnPrompt("Be kind.", rec, recent, "Hello.", time.UTC)
	size := 0
	for _, m := range msgs {
		size += len(m.Content)
	}
	all := spell(msgs)
	if size > contextBytes+1000 {
		t.Errorf("the prompt has %d bytes", size)
	}
	if !strings.Contains(all, "recalled 0") || strings.Contains(all, "recalled 19") || !strings.Contains(all, "recent 0") || strings.Contains(all, "recent 19") {
		t.Error("the wrong end was left out")
	}
	if msgs[len(msgs)-1].Content != "Hello." || strings.ContainsRune(all, '\uFFFD') {
		t.Error("the message is gone, or a character is cut")
	}
	huge := turnPrompt("Be kind.", Recollection{}, []chats.Episode{{Message: "m", Response: long}}, "Hello.", time.UTC)
	if len(huge) != 4 {
		t.Errorf("%d messages: the newest episode is left out", len(huge))
	}
}

// A message that got no reply stands before the next one, once.
func TestPromptWithUnansweredMessages(t *testing.T) {
	t.Parallel()
	recent := []chats.Episode{
		{Message: "Hello?"}, {Message: "Hello?"}, {Message: "I fell.", Response: "Are you hurt?"}, {Message: "Good morning."},
	}
	msgs := turnPrompt("Be kind.", Recollection{}, recent, "Are you there?", time.UTC)
	const want = "[user]\nGood morning.\n\nI fell.\n\n[assistant]\nAre you hurt?\n\n[user]\nHello?\n\nAre you there?\n\n"
	if got := spell(msgs[1:]); got != want {
		t.Errorf("prompt = %q, want %q", got, want)
	}
	if got := record(recent[0], time.UTC); strings.Contains(got, "nAIber") {
		t.Errorf("a summary reads %q", got)
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"A walk by the sea":                      "A walk by the sea",
		"\"A walk by the sea.\"":                 "A walk by the sea",
		"**Title:** A walk":                      "A walk",
		"Title: \"Ruth's birthday\"":             "Ruth's birthday",
		"\n\n  Ein Brief an Ruth\nweil":          "Ein Brief an Ruth",
		"one two three four five six seven":      "one two three four five",
		"one two three four five, six":           "one two three four five",
		"":                                       "",
		" \"\" ":                                 "",
		strings.Repeat("ä", 200):                 strings.Repeat("ä", nameRunes),
		"# A heading":                            "A heading",
		"„Der Garten“":                           "Der Garten",
		"Visit\tto   the\u00a0doctor on Tuesday": "Visit to the doctor on",
	} {
		if got := title(answer); got != want {
			t.Errorf("title(%q) = %q, want %q", answer, got, want)
		}
	}
}
