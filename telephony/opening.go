package telephony

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nyaruka/phonenumbers"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/survive"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
)

const (
	// openingDeadline is the default bound on gathering the data of an opening. The person has said
	// "hello?" and is waiting.
	openingDeadline = 300 * time.Millisecond
	// threadDeadline bounds reading what was said before a line broke, without which the
	// conversation cannot continue.
	threadDeadline = 2 * time.Second
	// threadLines is how many of those lines a new conversation is given.
	threadLines = 20
	// lookBack is how many calls are searched for the last one that reached the person.
	lookBack = 20
)

// opening returns what a conversation begins with (the system prompt, the first words, and the call
// id and token for the model endpoint) and what its first words disclose. With reconnect the first
// words are an apology without a disclosure, and the prompt contains what was said before.
//
// Data that cannot be gathered in time is left out.
func (s *Service) opening(ctx context.Context, line calls.Line, reconnect bool) (elevenlabs.Init, *disclosed, error) {
	c, p := line.Call, line.Person
	system, d, err := s.system(ctx, line, reconnect)
	if err != nil {
		return elevenlabs.Init{}, nil, err
	}
	first, err := s.dep.Prompts.Text(s.firstMessage(d, c, p.ID.Known()), d)
	if err != nil {
		return elevenlabs.Init{}, nil, err
	}
	var told *disclosed
	if !reconnect {
		if first, told, err = s.disclose(first, d, line); err != nil {
			return elevenlabs.Init{}, nil, err
		}
	}
	in := elevenlabs.Init{
		Prompt: system, FirstMessage: &first,
		ExtraBody: map[string]any{"call": c.ID.String(), "token": s.dep.CallToken(c.ID)},
	}
	if p.ID.Known() {
		in.UserID = p.ID.String()
	}
	if d.Language != prompts.English { // English is the agent's default
		in.Language = d.Language
	}
	return in, told, nil
}

// SystemPrompt returns the system prompt that a live call would begin with now, for turns of a call
// whose original prompt may no longer be used.
func (s *Service) SystemPrompt(ctx context.Context, line calls.Line) (string, error) {
	system, _, err := s.system(ctx, line, line.Call.Reconnects > 0)
	return system, err
}

func (s *Service) system(ctx context.Context, line calls.Line, reconnect bool) (string, prompts.Data, error) {
	d := s.openingData(ctx, line)
	if reconnect {
		d.Reconnect = true
		d.Transcript = s.thread(ctx, line.Call, line.Person)
	}
	marks := prompts.Marks{Phone: line.Call.Phone}
	if line.Person.ID.Known() {
		marks.PersonID = line.Person.ID.String()
	}
	system, err := s.dep.Prompts.System(d, marks)
	return system, d, err
}

// countryOf returns the two-letter code of a telephone's country, or "".
func countryOf(phone string) string {
	n, err := phonenumbers.Parse(phone, "")
	if err != nil {
		return ""
	}
	if country := phonenumbers.GetRegionCodeForNumber(n); country != "ZZ" {
		return country
	}
	return ""
}

func (s *Service) firstMessage(d prompts.Data, c calls.Call, known bool) prompts.Name {
	switch {
	case s.asksWho(c):
		return prompts.AskWho
	case d.Reconnect && cameBack(c.Connected, s.cfg.Now()):
		return prompts.Back
	case d.Reconnect:
		return prompts.PickedUp
	case c.BelievedID.Known():
		return prompts.InboundUnverified
	case !known:
		return prompts.InboundUnknown
	case d.Inbound:
		return prompts.InboundKnown
	case d.FirstCall:
		return prompts.FirstCall
	default:
		return prompts.Returning
	}
}

// openingData gathers the data that the texts may use. It contains no personal data for an unknown
// caller.
func (s *Service) openingData(ctx context.Context, line calls.Line) prompts.Data {
	c, p := line.Call, line.Person
	now := s.cfg.Now().In(p.Location())
	d := prompts.Data{
		CallType: string(c.Type), Language: s.language(p.Language), Inbound: c.Direction == calls.Inbound,
		FirstCall: true,
	}
	rule := lawOf(line)
	d.Full, d.AskRecording = rule.Full, rule.Ask
	if len(s.cfg.OptOutKeyIn) > 0 {
		rule.OptOutKey = slices.Contains(s.cfg.OptOutKeyIn, countryOf(c.Phone))
	}
	d.OptOutKey = c.Direction == calls.Outbound && rule.OptOutKey
	d.SetClock(now)
	if !p.ID.Known() {
		d.RingsBack = c.BelievedID.Known() && s.ringsBack(ctx, c)
		return d
	}
	d.Name, d.FullName, d.Reason = p.CallName(), p.Name, c.Reason
	d.Address = p.Address
	b := s.background(ctx, c, p)
	d.SetLastCall(b.last, now)
	d.Recorded, d.WrittenDown, d.Remembered = b.recorded, b.written, b.remembered
	d.Conditions, d.Medications, d.Contacts = b.file.conditions, b.file.medications, b.file.contacts
	d.Notes = strings.TrimSpace(strings.Join(b.file.notes, ""))
	if d.Remembered {
		d.LastTopics, d.Memories, d.Promises = b.recollected.Topics, b.recollected.Memories, b.recollected.Promises
	}
	return d
}

// background holds what the database and memory have on a person.
type background struct {
	last       time.Time // when nAIber last spoke with them, in their time zone; zero: never
	recorded   bool
	written    bool
	remembered bool
	file       file
	// recollected is the data from memory.
	recollected Recollected
}

// background runs all queries at once, and returns what has been answered by the deadline.
func (s *Service) background(ctx context.Context, c calls.Call, p people.Person) background {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.OpeningDeadline)
	defer cancel()
	var (
		b     background
		tasks sync.WaitGroup // each task writes fields of b that no other does
	)
	task := func(what string, do func() error) {
		tasks.Go(func() {
			if err := survive.Try(s.callLog(c), "opening", do); err != nil {
				s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "opening goes without", slog.String("kind", what), slog.Any("err", err))
			}
		})
	}
	task("last call", func() (err error) {
		b.last, err = s.lastSpoken(ctx, c, p)
		return err
	})
	task("consents", func() error {
		scopes, err := s.dep.Store.ConsentScopes(ctx, p.ID)
		// Falsely telling a person that they are recorded does no harm; the reverse would.
		b.recorded, b.remembered = err != nil || scopes[people.ScopeRecording], scopes[people.ScopeMemory]
		b.written = scopes[people.ScopeTranscript]
		return err
	})
	task("file", func() (err error) {
		b.file, err = s.file(ctx, p)
		return err
	})
	task("memories", func() (err error) {
		b.recollected, err = s.dep.Recollection.Recollect(ctx, c, p)
		return err
	})
	tasks.Wait()
	return b
}

// lastSpoken returns when nAIber last reached the person before this call, in their time zone; zero
// if not among the last lookBack calls.
func (s *Service) lastSpoken(ctx context.Context, c calls.Call, p people.Person) (time.Time, error) {
	callList, err := s.dep.Store.Calls(ctx, calls.CallFilter{PersonID: p.ID, Before: c.ID, Limit: lookBack})
	if err != nil {
		return time.Time{}, err
	}
	i := slices.IndexFunc(callList, func(c calls.Call) bool { return c.Ending != nil && c.Ending.Outcome == calls.OutcomeReached })
	if i < 0 {
		return time.Time{}, nil
	}
	return callList[i].CreatedAt.In(p.Location()), nil
}

// thread returns the last lines said in a call whose line broke, or nil if they cannot be read.
func (s *Service) thread(ctx context.Context, c calls.Call, p people.Person) []prompts.Line {
	ctx, cancel := context.WithTimeout(ctx, threadDeadline)
	defer cancel()
	tail, err := s.dep.Store.TranscriptTail(ctx, c.ID, threadLines)
	if err != nil {
		s.callLog(c).LogAttrs(ctx, slog.LevelWarn, "opening goes without", slog.String("kind", "transcript"), slog.Any("err", err))
		return nil
	}
	who := map[calls.Role]string{calls.RoleUser: prompts.Caller, calls.RoleAssistant: prompts.You}
	if p.ID.Known() {
		who[calls.RoleUser] = p.CallName()
	}
	var lines []prompts.Line
	for _, u := range tail {
		lines = append(lines, prompts.Line{Who: who[u.Role], Text: u.Text})
	}
	return lines
}

// language returns the language to speak with a person: theirs if there are texts in it and the
// agent has it too, else English.
func (s *Service) language(tag string) string {
	if lang := prompts.Language(tag); slices.Contains(s.cfg.Languages, lang) {
		return lang
	}
	return prompts.English
}
