package council

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store/quoted"
)

//go:embed prompts/*.txt
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.txt"))

// mostSentences is the most sentences that a voice says in a turn.
const mostSentences = 8

// prompt returns the request for a voice: its instructions, and the record with what was said.
func (s *session) prompt(ctx context.Context, r Round, p Persona) (llm.Request, error) {
	var system strings.Builder
	err := prompts.ExecuteTemplate(&system, string(p)+".txt", map[string]any{
		"Person": quoted.Flat(s.record.Person), "Language": languageOf(s.record.Language), "Sentences": mostSentences,
	})
	if err != nil {
		return llm.Request{}, fmt.Errorf("prompt of %s: %w", p, err)
	}
	history, err := s.history(ctx)
	if err != nil {
		return llm.Request{}, err
	}
	var user strings.Builder
	user.WriteString(s.record.Prompt(s.loc))
	if s.d.Question != "" {
		user.WriteString("\nTHE QUESTION " + quoted.Fence(s.d.Question) + "\n")
	}
	if history != "" {
		user.WriteString("\nEARLIER ROUNDS\n" + history)
	}
	fmt.Fprintf(&user, "\nROUND %d\n", r.Round)
	if r.Question != "" {
		user.WriteString("A carer says: " + quoted.Fence(r.Question) + "\n")
	}
	user.WriteString(told(r.Messages))
	fmt.Fprintf(&user, "\nYou speak now, as the %s.", p)
	return llm.Request{
		Messages:  []llm.Message{{Role: llm.RoleSystem, Content: system.String()}, {Role: llm.RoleUser, Content: user.String()}},
		MaxTokens: s.c.cfg.MaxTokens, Background: true,
	}, nil
}

// told returns messages as text.
func told(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s: %s\n", m.Persona, english.OneLine(m.Content))
	}
	return b.String()
}

// history returns the complete rounds as text, the newest word for word; those beyond the budget
// are summarised.
func (s *session) history(ctx context.Context) (string, error) {
	var rounds []Round
	for _, r := range s.shown.Rounds {
		rounds = append(rounds, r.said())
	}
	rounds = FilterCompleteRounds(rounds)
	texts := make([]string, len(rounds))
	for i, r := range rounds {
		asked := ""
		if r.Question != "" {
			asked = "A carer said: " + quoted.Fence(r.Question) + "\n"
		}
		texts[i] = fmt.Sprintf("Round %d\n%s%s", r.Round, asked, told(r.Messages))
	}
	from, tokens := len(texts), 0
	for from > 0 {
		if tokens += english.Tokens(texts[from-1]); tokens > s.c.cfg.HistoryTokens {
			break
		}
		from--
	}
	if from == 0 {
		return strings.Join(texts, "\n"), nil
	}
	summary, err := s.summarise(ctx, strings.Join(texts[:from], "\n"))
	return strings.Join(append([]string{"Before that, in short: " + summary}, texts[from:]...), "\n"), err
}

// summarise shortens rounds to a quarter of the budget at most. It remembers the last summary.
func (s *session) summarise(ctx context.Context, rounds string) (string, error) {
	if s.summarised.of == rounds {
		return s.summarised.text, nil
	}
	res, err := s.c.cfg.Model.Stream(ctx, llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: "Sum up these rounds of a care council in at most ten sentences. Keep what was agreed, what stayed open, and the labels in brackets."},
			{Role: llm.RoleUser, Content: rounds},
		},
		MaxTokens: s.c.cfg.HistoryTokens / 4, Background: true,
	}, func(llm.Delta) error { return nil })
	if err == nil {
		err = broken(res)
	}
	if err != nil {
		return "", fmt.Errorf("summarise rounds: %w", err)
	}
	s.summarised.of, s.summarised.text = rounds, res.Text
	return res.Text, nil
}

// languageOf returns the English name of a language, or "English" if the tag is invalid.
func languageOf(tag string) string {
	if t, err := language.Parse(tag); err == nil {
		return display.English.Languages().Name(t)
	}
	return "English"
}
