package appliance

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/store/quoted"
)

const (
	// speakByPhone and speakByText are the timeouts of a model's words.
	speakByPhone = 4 * time.Second
	speakByText  = 8 * time.Second
	// speakHistory is how many earlier messages the model gets.
	speakHistory = 4
)

// prompt is what to say: Say as it stands, or in a model's words. The model may also use Facts.
// With Fixed, no model words it.
type prompt struct {
	Say   string
	Facts []string
	Fixed bool
}

var (
	errUnfounded = errors.New("the model says what was not found")
	errLacking   = errors.New("the model leaves out what is to be said")
)

// speak says what a node has to say. By text it is worded at once, so that the same message again
// is answered by the same words; in a call that happens after the state is saved, see
// [Persona.aloud].
func (p *Persona) speak(ctx context.Context, s *State, r *run, pr prompt) error {
	in := r.Input()
	s.prompt = pr
	if in.phone {
		return r.Say(pr.Say)
	}
	var b strings.Builder
	write := func(text string) error { b.WriteString(text); return nil }
	_ = p.word(ctx, s, in, true, write, write)
	text := strings.TrimSpace(b.String())
	s.add(in, llm.RoleAssistant, text)
	return r.Say(text)
}

// word says the prompt in a model's words as they come, each sentence once it was checked. If the
// model fails, is too slow or says anything else, it calls fixed with the prompt itself. If whole
// is set, the model's words are said completely or not at all.
func (p *Persona) word(ctx context.Context, s *State, in input, whole bool, say, fixed func(string) error) error {
	pr := s.prompt
	if pr.Fixed || p.cfg.Model == nil {
		return fixed(pr.Say)
	}
	within, cancel := context.WithTimeout(ctx, map[bool]time.Duration{true: speakByPhone, false: speakByText}[in.phone])
	defer cancel()
	said, pending := "", ""
	out := func(text string, last bool) error {
		for {
			n := sentenceEnd(text)
			if n < 0 && !last {
				pending = text
				return nil
			}
			if n < 0 {
				n = len(text)
			}
			if pr.strays(said+text[:n], s.Language, in.phone) {
				return errUnfounded
			}
			if !whole {
				if err := say(before(said) + strings.TrimSpace(text[:n])); err != nil {
					return err
				}
			}
			said += text[:n]
			if text = text[n:]; text == "" {
				pending = ""
				return nil
			}
		}
	}
	res, err := p.cfg.Model.Stream(within, p.speakRequest(s, in), func(d llm.Delta) error { return out(pending+d.Text, false) })
	if err == nil && res.FinishReason != llm.FinishStop {
		err = errLacking
	}
	if err == nil && pending != "" {
		err = out(pending, true)
	}
	if err == nil && pr.lacks(said) {
		err = errLacking
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.metrics.models.WithLabelValues("speak", outcome(err)).Inc()
	switch {
	case err == nil && whole:
		return say(said)
	case err == nil:
		return nil
	}
	p.log.LogAttrs(ctx, slog.LevelInfo, "fixed words are said", slog.String("session_id", in.session), slog.Any("err", err))
	if whole {
		said = ""
	}
	return fixed(before(said) + pr.Say)
}

func (p *Persona) speakRequest(s *State, in input) llm.Request {
	warm := 0.7
	facts := make([]string, 0, len(s.prompt.Facts))
	for _, f := range s.prompt.Facts {
		if f = quoted.Flat(f); f != "" {
			facts = append(facts, f)
		}
	}
	req := llm.Request{
		Messages: []llm.Message{{Role: llm.RoleSystem, Content: execute("speak.txt", map[string]any{
			"Language": languageName(s.Language), "Phone": in.phone, "Say": strings.ReplaceAll(s.prompt.Say, "\n", " "), "Facts": facts,
			"Sentences": len(english.Sentences(s.prompt.Say)) + 2, "Label": quoted.Label,
		})}},
		Temperature: &warm, MaxTokens: 400,
	}
	for _, l := range s.Lines[max(0, len(s.Lines)-1-speakHistory):max(0, len(s.Lines)-1)] {
		req.Messages = append(req.Messages, llm.Message{Role: l.Role, Content: l.Content})
	}
	for _, m := range in.history[max(0, len(in.history)-speakHistory):] {
		req.Messages = append(req.Messages, llm.Message{Role: m.Role, Content: m.Content})
	}
	req.Messages = append(req.Messages, llm.Message{Role: llm.RoleUser, Content: in.text})
	return req
}

// strays reports whether words say what the prompt does not, or too much.
func (pr *prompt) strays(text, lang string, phone bool) bool {
	founded := pr.Say + "\n" + strings.Join(pr.Facts, "\n")
	switch {
	case len(text) > 2*len(pr.Say)+240, strings.Contains(text, "SAY:"), strings.Contains(text, "FACTS"), anyURL.MatchString(text):
		return true
	case phone && strings.ContainsAny(text, "*#_[]{}<>|"):
		return true
	}
	return len(foreign(text, founded, lang)) > 0
}

// lacks reports whether words leave out a number or the question of the prompt, or say something
// else.
func (pr *prompt) lacks(text string) bool {
	plain := reading.Plain(text)
	for _, n := range numbered.FindAllString(pr.Say, -1) {
		if !strings.Contains(plain, reading.Plain(n)) {
			return true
		}
	}
	return strings.HasSuffix(strings.TrimSpace(pr.Say), "?") && !strings.Contains(text, "?") || english.Share(pr.Say, text) < leastShared
}

// leastShared is the least share of the prompt's words that a model's words must have, as they must
// say the same.
const leastShared = 0.25

var (
	// numbered matches a word with a digit in it: a number of any kind.
	numbered = regexp.MustCompile(`[\p{L}\d]*\d[\p{L}\d]*(?:[.,/-][\p{L}\d]+)*`)
	// listMark matches the beginning of an item of a list.
	listMark = regexp.MustCompile(`(?m)^\s*\d{1,2}[.)]\s`)
	atSign   = regexp.MustCompile(`\S+@\S+`)
)

// foreign returns the numbers, addresses and words of handiwork in a text that are not in the text
// on which it must be founded.
func foreign(text, founded, lang string) (out []string) {
	words, numbers := english.Unmarked(english.Plain(founded)), map[string]bool{}
	for _, n := range numbered.FindAllString(founded, -1) {
		numbers[reading.Plain(n)] = true
	}
	bare := listMark.ReplaceAllString(text, " ")
	for _, n := range numbered.FindAllString(bare, -1) {
		if !numbers[reading.Plain(n)] {
			out = append(out, n)
		}
	}
	for _, a := range atSign.FindAllString(bare, -1) {
		if !strings.Contains(strings.ToLower(founded), strings.ToLower(strings.Trim(a, ".,;:!?()"))) {
			out = append(out, a)
		}
	}
	for w := range strings.FieldsSeq(english.Unmarked(english.Plain(bare))) {
		if (reading.Counts(w, lang) || reading.Handiwork(w, lang)) && !english.Holds(words, w) {
			out = append(out, w)
		}
	}
	return out
}

// sentenceEnd returns where the first sentence of a text ends, including the white space after it,
// or -1 if more of it may come.
func sentenceEnd(text string) int {
	for i, r := range text {
		if !strings.ContainsRune(".!?…", r) {
			continue
		}
		rest := strings.TrimLeft(text[i:], ".!?…\"'”’)")
		if rest == "" || !unicode.IsSpace(rune(rest[0])) {
			continue
		}
		if trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace); trimmed != "" {
			return len(text) - len(trimmed)
		}
	}
	return -1
}

// before returns the separator between words that were said and those that follow.
func before(said string) string {
	if said == "" {
		return ""
	}
	return " "
}

// languageName returns the English name of a language, or "English" if the tag is invalid.
func languageName(tag string) string {
	if t, err := language.Parse(tag); err == nil {
		return display.English.Languages().Name(t)
	}
	return "English"
}
