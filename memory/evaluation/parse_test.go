package evaluation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/store/calls"
)

// errLine says that a line is not what it should be.
var errLine = errors.New("line is not understood")

// parse reads one person's file.
func parse(text string) (Elder, error) {
	p := parser{zone: time.UTC}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.line(line); err != nil {
			return Elder{}, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return p.elder, nil
}

type parser struct {
	elder Elder
	zone  *time.Location
}

func (p *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	word, tag, _ := strings.Cut(word, "#")
	switch word {
	case "person":
		return p.person(fields(rest, "|"))
	case "asked":
		at, err := p.time(rest)
		p.elder.Asked = at
		return err
	case "call":
		at, err := p.time(rest)
		p.elder.Calls = append(p.elder.Calls, Call{At: at})
		return err
	case "n":
		return p.turn(Turn{Role: calls.RoleAssistant, Text: rest})
	case "e":
		return p.turn(Turn{Role: calls.RoleUser, Text: rest, Tag: tag})
	case "forget":
		p.elder.Forget = append(p.elder.Forget, strings.Fields(rest)...)
		return nil
	case "fact":
		return p.fact(fields(rest, "|"))
	case "name":
		return p.name(fields(rest, "|"))
	case "close", "depends":
		return p.relate(word, strings.Fields(rest))
	case "ask":
		return p.ask(rest)
	default:
		return fmt.Errorf("%q: %w", word, errLine)
	}
}

func (p *parser) person(f []string) (err error) {
	if len(f) != 3 {
		return fmt.Errorf("a person has 3 fields: %w", errLine)
	}
	p.elder.Name, p.elder.CallName, p.elder.Zone = f[0], f[1], f[2]
	p.zone, err = time.LoadLocation(f[2])
	return err
}

func (p *parser) time(s string) (time.Time, error) {
	return time.ParseInLocation("2006-01-02 15:04", s, p.zone)
}

func (p *parser) turn(t Turn) error {
	if len(p.elder.Calls) == 0 || t.Text == "" {
		return fmt.Errorf("a turn outside of a call, or without words: %w", errLine)
	}
	c := &p.elder.Calls[len(p.elder.Calls)-1]
	c.Turns = append(c.Turns, t)
	return nil
}

func (p *parser) fact(f []string) error {
	if len(f) != 3 || len(strings.Fields(f[0])) != 3 {
		return fmt.Errorf("a fact is ID KIND TOPIC | TAGS | TEXT: %w", errLine)
	}
	head := strings.Fields(f[0])
	p.elder.Facts = append(p.elder.Facts, Fact{ID: head[0], Kind: head[1], Topic: head[2], From: strings.Fields(f[1]), Text: f[2]})
	return nil
}

func (p *parser) name(f []string) error {
	if len(f) != 3 || f[1] == "" || f[2] == "" {
		return fmt.Errorf("a name is KIND RELATION | TAGS | NAME: %w", errLine)
	}
	kind, relation, ok := strings.Cut(f[0], " ")
	if !ok {
		return fmt.Errorf("a name without what they are to the person: %w", errLine)
	}
	relation, to, _ := strings.Cut(relation, " of ")
	p.elder.Names = append(p.elder.Names, Name{Kind: kind, Relation: relation, To: to, From: strings.Fields(f[1]), Name: f[2]})
	return nil
}

// relate reads what one fact has to do with another.
func (p *parser) relate(how string, f []string) (err error) {
	find := func(id string) int { return slices.IndexFunc(p.elder.Facts, func(x Fact) bool { return x.ID == id }) }
	if len(f) < 2 || find(f[0]) < 0 || find(f[1]) < 0 {
		return fmt.Errorf("%s names no two facts: %w", how, errLine)
	}
	fact := &p.elder.Facts[find(f[0])]
	switch {
	case how == "depends" && len(f) == 2:
		fact.DependsOn = f[1]
	case how == "close" && len(f) == 3:
		fact.ClosedBy = f[1]
		fact.ClosedAt, err = time.ParseInLocation(time.DateOnly, f[2], p.zone)
	default:
		return fmt.Errorf("%s: %w", how, errLine)
	}
	return err
}

func (p *parser) ask(rest string) error {
	head, text, ok := strings.Cut(rest, "|")
	now, old, _ := strings.Cut(head, "<")
	f := strings.Fields(now)
	if !ok || len(f) == 0 || !slices.Contains(Kinds, Kind(f[0])) {
		return fmt.Errorf("a question is KIND TAGS < TAGS | TEXT: %w", errLine)
	}
	p.elder.Questions = append(p.elder.Questions, Question{
		Kind: Kind(f[0]), Text: strings.TrimSpace(text), Gold: f[1:], Old: strings.Fields(old),
	})
	return nil
}

func fields(s, by string) []string {
	var out []string
	for f := range strings.SplitSeq(s, by) {
		out = append(out, strings.TrimSpace(f))
	}
	return out
}
