package appliance

import (
	"context"
	"log/slog"
	"strings"

	"github.com/naiber/naiber/personas/appliance/reading"
)

// aloud returns the text of a name in the session's language and channel.
func (s *State) aloud(in input, name string, fill ...string) string {
	return say(s.Language, in.phone, name, fill...)
}

// askGoal asks what kind of help is wanted; a person who was just helped is asked whether there is
// more.
func (p *Persona) askGoal(ctx context.Context, s *State, r *run) error {
	name := "ask_goal"
	if len(s.Results) > 0 {
		name = "anything"
	}
	return p.speak(ctx, s, r, prompt{Say: s.aloud(r.Input(), name)})
}

// close answers that nothing more is wanted.
func (p *Persona) close(ctx context.Context, s *State, r *run) error {
	name := "welcome"
	if s.Ending != "" {
		name = "farewell"
	}
	return p.speak(ctx, s, r, prompt{Say: s.aloud(r.Input(), name), Fixed: true})
}

// askInfo asks the open question, or only for what the goal lacks.
func (p *Persona) askInfo(ctx context.Context, s *State, r *run) error {
	in := r.Input()
	text, fixed := s.question(in)
	return p.speak(ctx, s, r, prompt{Say: text, Fixed: fixed})
}

// question returns what to ask. It is fixed if it must be heard exactly.
func (s *State) question(in input) (text string, fixed bool) {
	switch {
	case s.trouble:
		text = s.aloud(in, "unavailable")
		s.fail(text)
		return text, true
	case s.Asked != nil:
		return s.put(in, s.Asked), true
	case s.unknown != nil:
		text = s.aloud(in, "unknown."+string(s.unknown.Kind), "said", s.unknown.Said)
		s.fail(text)
		return text, true
	}
	missing := s.missing(s.GoalType)
	switch rd := reading.Read(in.text, s.Language); {
	case s.GoalType == Mail && rd.Email.Address == "" && strings.Contains(in.text, "@"):
		text = s.aloud(in, "bad_address")
		s.fail(text)
		return text, true
	case rd.Wait && !rd.Says() && missing[0] == "model":
		return s.aloud(in, "take_time.model"), false
	case rd.Wait && !rd.Says():
		return s.aloud(in, "take_time") + " " + s.aloud(in, "ask."+strings.Join(missing, "_")), false
	}
	return s.aloud(in, "ask."+strings.Join(missing, "_")), false
}

// put returns the words of an open question.
func (s *State) put(in input, q *Asked) string {
	switch q.Kind {
	case AskModel, AskPart:
		name, old := "askback.", s.ProductModel
		if q.Kind == AskPart {
			old = s.PartNumber
		}
		switch {
		case q.Change && old != "":
			name = "change."
		case reading.Plain(q.Candidates[0]) == q.Said && !in.phone:
			name = "heard."
		}
		return s.aloud(in, name+string(q.Kind), "said", q.Said, "number", q.Candidates[0], "spelled", spell(s.Language, q.Candidates[0]), "old", old)
	case AskEmail:
		return s.aloud(in, "askback.email", "address", q.Candidates[0], "spelled", spellAddress(s.Language, q.Candidates[0]))
	case AskAddress:
		if q.Names[0] != "" {
			return s.aloud(in, "address.contact", "name", q.Names[0])
		}
		return s.aloud(in, "address.own")
	case AskNext:
		return s.aloud(in, "next."+string(s.GoalType))
	case AskSteps:
		return s.aloud(in, "steps_more")
	case AskMail:
		return s.aloud(in, "offer_mail")
	}
	return ""
}

// offerAddress offers, in a call, the known addresses if one is needed and they were not offered
// yet, or the address of a person who was named.
func (p *Persona) offerAddress(ctx context.Context, s *State, in input) {
	if !in.phone || s.asks() || s.GoalType != Mail || p.cfg.Contacts == nil || !in.person.Known() {
		return
	}
	known, err := p.cfg.Contacts.Addresses(ctx, in.person)
	if err != nil {
		p.log.LogAttrs(ctx, slog.LevelWarn, "addresses are not known", slog.String("person_id", in.person.String()), slog.Any("err", err))
		return
	}
	q := &Asked{Kind: AskAddress}
	for _, a := range known {
		if reading.Valid(a.Email) {
			q.Names, q.Candidates = append(q.Names, a.Name), append(q.Candidates, a.Email)
		}
	}
	if i := named(q.Names, in.text); i >= 0 {
		q.Names, q.Candidates = q.Names[i:i+1], q.Candidates[i:i+1]
	} else if s.EmailAddress != "" || s.Offered {
		return
	}
	if s.Offered = true; len(q.Candidates) > 0 {
		s.Asked = q
	}
}
