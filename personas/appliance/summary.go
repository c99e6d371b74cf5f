package appliance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/appliance/reading"
	"github.com/naiber/naiber/store/quoted"
)

const (
	// summaryWithin is the timeout of a model's summary.
	summaryWithin = 4 * time.Second
	summaryTokens = 700
	summaryChars  = 6000
)

// summary returns the mail: written by rules, or in a model's words if they come in time and say
// nothing that was not found. The key is the same if the turn runs again.
func (p *Persona) summary(ctx context.Context, s *State, in input) Summary {
	sum := sha256.Sum256([]byte(ThreadName(in.person, in.session) + "\x00" + s.EmailAddress))
	m := Summary{
		Key: fmt.Sprintf("appliance:%s:%d", hex.EncodeToString(sum[:16]), s.Mails), To: s.EmailAddress, Person: in.person,
		Title: say(s.Language, false, "summary_title"), Body: s.ruled(),
	}
	for _, r := range s.Results {
		if d := r.Data; d.VideoURL != "" {
			m.Videos = append(m.Videos, Link{say(s.Language, false, "video", "name", d.Name), d.VideoURL})
		}
		for _, part := range r.Data.SuggestedParts {
			m.addImage(part.Name, part.ImageURL)
		}
		m.addImage(r.Data.Name, r.Data.ImageURL)
	}
	if better := p.retell(ctx, s, in, m.Body); better != "" {
		m.Body = better
	}
	return m
}

func (m *Summary) addImage(name, url string) {
	if link := (Link{name, url}); url != "" && !slices.Contains(m.Images, link) {
		m.Images = append(m.Images, link)
	}
}

// ruled returns the summary by rules: all that is known.
func (s *State) ruled() string {
	var b strings.Builder
	w := func(name string, fill ...string) string { return say(s.Language, false, name, fill...) }
	head := func(name string) { fmt.Fprintf(&b, "\n## %s\n", w(name)) }
	item := func(text string) { fmt.Fprintf(&b, "- %s\n", english.OneLine(text)) }
	b.WriteString(w("summary_intro") + "\n")
	if s.ProductModel != "" {
		head("summary_machine")
		item(w("summary_model", "model", s.ProductModel))
	}
	if len(s.Symptoms) > 0 {
		head("summary_symptoms")
		for _, label := range s.Symptoms {
			item(reading.Symptom(label, s.Language))
		}
	}
	named := func(name, number string, dollars float64) string {
		cost := price(s.Language, false, int64(dollars*100+0.5))
		if cost != "" {
			cost = ", " + cost
		}
		return w("summary_part", "name", name, "number", number, "price", cost)
	}
	for _, of := range []struct {
		tool Goal
		head string
		each func(d Data)
	}{
		{Diagnose, "summary_parts", func(d Data) {
			for _, part := range d.SuggestedParts {
				item(named(part.Name, part.PartNumber, part.Price))
			}
		}},
		{Check, "summary_fits", func(d Data) { item(d.Message) }},
		{Install, "summary_install", func(d Data) {
			item(named(d.Name, d.PartNumber, d.Price))
			for i, step := range d.Steps {
				item(w("step", "n", strconv.Itoa(i+1), "step", step))
			}
		}},
	} {
		first := true
		for _, r := range s.Results {
			if r.ToolName != of.tool {
				continue
			}
			if first {
				head(of.head)
			}
			first = false
			of.each(r.Data)
		}
	}
	if s.ProductModel == "" && len(s.Symptoms) == 0 && len(s.Results) == 0 {
		b.WriteString("\n" + w("summary_nothing") + "\n")
	}
	return strings.TrimSpace(b.String())
}

// retell returns a summary that a model writes from the conversation, or "".
func (p *Persona) retell(ctx context.Context, s *State, in input, facts string) string {
	if p.cfg.Model == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, summaryWithin)
	defer cancel()
	var talk strings.Builder
	for _, m := range in.history {
		fmt.Fprintf(&talk, "%s: %s\n", m.Role, quoted.Fence(english.Clip(m.Content, lineChars)))
	}
	for _, l := range s.Lines {
		fmt.Fprintf(&talk, "%s: %s\n", l.Role, quoted.Fence(l.Content))
	}
	warm := 0.3
	res, err := p.cfg.Model.Stream(ctx, llm.Request{
		Messages: []llm.Message{
			{Role: llm.RoleSystem, Content: execute("summary.txt", map[string]any{"Language": languageName(s.Language), "Facts": facts, "Label": quoted.Label})},
			{Role: llm.RoleUser, Content: talk.String()},
		},
		MaxTokens: summaryTokens, Temperature: &warm,
	}, func(llm.Delta) error { return nil })
	text := clean(res.Text)
	switch {
	case err == nil && res.FinishReason != llm.FinishStop:
		err = fmt.Errorf("the summary broke off: %s", res.FinishReason)
	case err == nil && (text == "" || len(text) > summaryChars || len(foreign(text, facts, s.Language)) > 0):
		err = errUnfounded
	}
	p.metrics.models.WithLabelValues("summary", outcome(err)).Inc()
	if err != nil {
		p.log.LogAttrs(ctx, slog.LevelInfo, "summary is written by rules", slog.String("session_id", in.session), slog.Any("err", err))
		return ""
	}
	return text
}

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(?:```|$)")
	link      = regexp.MustCompile(`(?i)!?\[([^\]]*)\]\([^)]*\)`)
	anyURL    = regexp.MustCompile(`(?i)(?:https?://|ftp://|\bwww\.)\S*|\b[a-z0-9-]+\.(?:com|net|org|info|io|co|shop|store|example)(?:/\S*)?\b`)
	emphasis  = regexp.MustCompile(`\*{1,3}([^*\n]+)\*{1,3}|\b_{1,2}([^_\n]+)_{1,2}\b`)
	manyLines = regexp.MustCompile(`\n{3,}`)
)

// clean removes code, JSON and links from a summary.
func clean(text string) string {
	text = codeBlock.ReplaceAllString(text, "")
	text = strings.ReplaceAll(link.ReplaceAllString(withoutJSON(text), "$1"), "`", "")
	var lines []string
	for line := range strings.Lines(text) {
		plain := emphasis.ReplaceAllString(line, "$1$2")
		bare := strings.TrimSpace(anyURL.ReplaceAllStringFunc(plain, func(url string) string {
			if i := strings.Index(plain, url); i > 0 && plain[i-1] == '@' && !strings.Contains(url, "://") { // part of an address
				return url
			}
			return ""
		}))
		if strings.Trim(bare, "-:.,;()[]{}\" ") == "" && strings.TrimSpace(line) != "" { // nothing else was in the line
			continue
		}
		lines = append(lines, bare)
	}
	return strings.TrimSpace(manyLines.ReplaceAllString(strings.Join(lines, "\n"), "\n\n"))
}

// withoutJSON returns a text without the JSON objects in it.
func withoutJSON(text string) string {
	var b strings.Builder
	depth := 0
	for i, r := range text {
		switch {
		case depth == 0 && r == '{' && strings.HasPrefix(strings.TrimSpace(text[i+1:]), `"`):
			depth = 1
		case depth == 0:
			b.WriteRune(r)
		case r == '{':
			depth++
		case r == '}':
			depth--
		}
	}
	return b.String()
}
