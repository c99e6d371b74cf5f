package transfer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/repairs"
	"github.com/naiber/naiber/store/schedules"
)

// settle stores everything but turns, after the turns, to which it refers.
func (im *importer) settle(ctx context.Context) error {
	barred, err := im.barredLines(ctx)
	if err != nil {
		return err
	}
	elsewhere, err := im.elsewhere(ctx)
	if err != nil {
		return err
	}
	forgotten, err := im.forgottenLines(ctx)
	if err != nil {
		return err
	}
	var facts []memories.Fact
	for after := range restAfterEntities + 1 {
		for _, l := range im.later {
			if about(l.of).after != after {
				continue
			}
			if forgotten[l.line] {
				im.out.Forgotten++
				continue
			}
			if barred[l.line] || elsewhere[l.line] {
				im.out.Left++
				continue
			}
			err := im.cfg.Store.Within(ctx, im.tx, func(tx store.Tx) error { return im.restore(ctx, tx, l.of, &facts) })
			switch {
			case err == nil:
				im.out.Learned++
			case ctx.Err() != nil:
				return err
			default:
				if err := im.bad(l.line, err); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range facts {
		if err := im.cfg.Store.ReferFact(ctx, im.tx, f); err != nil {
			return err
		}
	}
	if len(im.refresh) == 0 {
		return nil
	}
	return im.cfg.Keeper.Refresh(ctx, im.tx, memory.Unique(im.refresh)...)
}

// forgottenLines returns the lines that were forgotten here or that depend on something
// forgotten: on a turn, on an entity, on words of a call. What other sources say as well
// was kept here when these were forgotten, and need not come from the file.
func (im *importer) forgottenLines(ctx context.Context) (map[int]bool, error) {
	rests := map[int][]uuid.UUID{}
	var all []uuid.UUID
	for _, l := range im.later {
		ids := im.ids(about(l.of).rests)
		rests[l.line], all = ids, append(all, ids...)
	}
	tombstones, err := im.tombstones(ctx, memory.Unique(all))
	if err != nil {
		return nil, err
	}
	calls := map[uuid.UUID]bool{} // those with forgotten words
	for _, t := range im.gone {
		calls[t.CallID.UUID] = t.CallID.UUID != uuid.Nil
	}
	for _, l := range im.later {
		if c, is := l.of.(callLine); is && tombstones[im.id(c.ID)] {
			calls[c.CallID] = true
		}
	}
	out := map[int]bool{}
	for _, l := range im.later {
		out[l.line] = slices.ContainsFunc(rests[l.line], func(id uuid.UUID) bool { return tombstones[id] })
		if call := about(l.of).call; call != nil {
			out[l.line] = calls[*call]
		}
		if of, is := l.of.(summaryLine); is {
			out[l.line] = out[l.line] || slices.ContainsFunc(im.gone, func(t memories.Turn) bool { return !t.At.Before(of.FromAt) && !t.At.After(of.ToAt) })
		}
	}
	return out, nil
}

// barredLines returns the lines that mention what the person does not want stored.
func (im *importer) barredLines(ctx context.Context) (map[int]bool, error) {
	topics, err := im.cfg.Store.MemoryLimitTopics(ctx, im.tx, []store.PersonID{im.person}, time.Now(), memories.NeverStore)
	if err != nil || len(topics) == 0 {
		return nil, err
	}
	var texts []string
	var lines []int
	for _, l := range im.later {
		if text := about(l.of).text; text != "" {
			texts, lines = append(texts, text), append(lines, l.line)
		}
	}
	met, err := im.cfg.Store.MatchTopics(ctx, im.tx, im.frame.Config, texts, topics)
	barred := map[int]bool{}
	for i, about := range met {
		barred[lines[i]] = about
	}
	return barred, err
}

// elsewhere returns the lines about calls that are not the person's here: they have no
// meaning without the call.
func (im *importer) elsewhere(ctx context.Context) (map[int]bool, error) {
	of := map[int]uuid.UUID{}
	for _, l := range im.later {
		if call := about(l.of).call; call != nil {
			of[l.line] = *call
		}
	}
	known, err := im.cfg.Store.KnownCalls(ctx, im.tx, im.person, memory.Unique(slices.Collect(maps.Values(of))))
	out := map[int]bool{}
	for line, call := range of {
		out[line] = !slices.Contains(known, call)
	}
	return out, err
}

// The order in which lines are stored, so that references exist: facts, then entities, then
// the rest.
const (
	factsFirst = iota
	entitiesNext
	restAfterEntities
)

// aboutLine holds what must be known about a line other than a turn before it is stored.
type aboutLine struct {
	after int
	text  string      // text that may mention what must not be stored, or empty
	rests []uuid.UUID // ids on which it depends
	call  *uuid.UUID  // the call that it describes, or nil
}

func about(l line) aboutLine {
	switch l := l.(type) {
	case factLine:
		return aboutLine{after: factsFirst, text: l.Text + "\n" + l.Topic, rests: append(slices.Clip(l.Sources), l.ID)}
	case entityLine:
		text := l.Name + "\n" + strings.Join(l.Aliases, "\n") + "\n" + l.Notes
		return aboutLine{after: entitiesNext, text: text, rests: append(slices.Clip(l.Sources), l.ID)}
	case relationLine:
		return aboutLine{after: restAfterEntities, rests: []uuid.UUID{l.ID, l.From, l.To, l.Fact}}
	case summaryLine:
		return aboutLine{after: restAfterEntities, text: l.Text, rests: []uuid.UUID{l.ID, l.FromTurn, l.ToTurn}}
	case promiseLine:
		return aboutLine{after: restAfterEntities, text: l.Text, rests: []uuid.UUID{l.ID, l.Turn}}
	case callLine:
		return aboutLine{after: restAfterEntities, text: l.Text, rests: []uuid.UUID{l.ID}, call: &l.CallID}
	case topicLine:
		return aboutLine{after: restAfterEntities, text: l.Label, call: &l.CallID}
	case repairLine:
		texts := []string{string(l.State)}
		for _, m := range l.Messages {
			texts = append(texts, m.Content)
		}
		a := aboutLine{after: restAfterEntities, text: strings.Join(texts, "\n"), rests: []uuid.UUID{memory.RepairID(l.Session)}}
		if l.CallID != uuid.Nil {
			a.call = &l.CallID
		}
		return a
	case mailLine:
		return aboutLine{after: restAfterEntities, text: l.Subject + "\n" + l.Text, rests: []uuid.UUID{l.ID}}
	case alertLine:
		texts := []string{strings.ReplaceAll(l.Kind, "_", " "), l.Quote, l.Why, l.Outcome}
		for _, v := range l.Events {
			texts = append(texts, v.Detail)
		}
		a := aboutLine{after: restAfterEntities, text: strings.Join(texts, "\n"), rests: []uuid.UUID{l.ID}}
		if l.CallID != uuid.Nil {
			a.call = &l.CallID
		}
		return a
	case scheduleLine:
		return aboutLine{after: restAfterEntities, text: l.Note, rests: []uuid.UUID{l.ID}}
	case changeLine:
		return aboutLine{after: restAfterEntities, text: l.Said, rests: []uuid.UUID{l.ID}, call: &l.CallID}
	default: // a limit, or a pause
		return aboutLine{after: restAfterEntities}
	}
}

// restore stores one line other than a turn.
func (im *importer) restore(ctx context.Context, tx store.Tx, l line, facts *[]memories.Fact) error {
	db := im.cfg.Store
	switch l := l.(type) {
	case factLine:
		f := memories.Fact{
			ID: im.id(l.ID), PersonID: im.person, Text: memory.Clean(l.Text), Kind: l.Kind, Topic: memory.Clean(l.Topic), Confidence: float64(l.Confidence),
			ValidFrom: l.ValidFrom, ValidTo: l.ValidTo, LearnedAt: l.LearnedAt, ClosedAt: l.ClosedAt,
			ClosedBy: im.id(l.ClosedBy), Replaces: im.id(l.Replaces), Stale: l.Stale,
			Sources: im.ids(l.Sources), DependsOn: im.ids(l.DependsOn),
		}
		if err := db.RestoreFact(ctx, tx, f); err != nil {
			return err
		}
		*facts = append(*facts, f)
		im.refresh = append(im.refresh, f.Sources...)
		return nil
	case entityLine:
		return db.RestoreEntity(ctx, tx, im.person, memories.Entity{
			ID: im.id(l.ID), Kind: l.Kind, Name: memory.Clean(l.Name), Notes: memory.Clean(l.Notes), Aliases: l.Aliases, FirstSeen: l.FirstSeen, LastSeen: l.LastSeen,
			Sources: im.ids(l.Sources), CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
		})
	case relationLine:
		return db.RestoreRelation(ctx, tx, im.person, memories.StoredRelation{
			ID: im.id(l.ID), From: im.id(l.From), To: im.id(l.To), FactID: im.id(l.Fact), Label: memory.Clean(l.Label),
			ValidFrom: l.ValidFrom, ValidTo: l.ValidTo, CreatedAt: l.CreatedAt,
		})
	case summaryLine:
		return db.RestoreSummary(ctx, tx, memories.MemorySummary{
			ID: im.id(l.ID), PersonID: im.person, Text: memory.Clean(l.Text), FromTurn: im.id(l.FromTurn), ToTurn: im.id(l.ToTurn),
			FromAt: l.FromAt, ToAt: l.ToAt, Turns: l.Turns, Tokens: l.Tokens, Model: l.Model,
			CreatedAt: l.CreatedAt,
		})
	case promiseLine:
		p := memories.Promise{
			ID: im.id(l.ID), PersonID: im.person, Text: memory.Clean(l.Text), Kind: l.Kind, DueAt: l.DueAt, Recurrence: l.Recurrence, Status: l.Status,
			CallID: store.CallID{UUID: l.CallID}, TurnID: im.id(l.Turn), UsedCall: store.CallID{UUID: l.UsedCall}, UsedAt: l.UsedAt,
			CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
		}
		if l.DueOn != "" {
			due, err := time.Parse(time.DateOnly, l.DueOn)
			if err != nil {
				return err
			}
			p.DueOn = &due
		}
		return db.RestorePromise(ctx, tx, p)
	case callLine:
		return db.RestoreCallSummary(ctx, tx, memories.Summary{
			ID: im.id(l.ID), CallID: store.CallID{UUID: l.CallID}, PersonID: im.person, Text: memory.Clean(l.Text), Model: l.Model, CreatedAt: l.CreatedAt,
		})
	case topicLine:
		return db.RestoreMentions(ctx, tx, im.person, memories.CallMention{
			TopicMention: memories.TopicMention{Label: memory.Clean(l.Label), Mentions: l.Mentions}, CallID: store.CallID{UUID: l.CallID}, At: l.At,
		})
	case limitLine:
		topic, err := memory.CheckTopic(l.Topic)
		if err != nil {
			return err
		}
		return db.RestoreLimit(ctx, tx, memories.Limit{
			ID: im.id(l.ID), PersonID: im.person, Topic: topic, Rule: l.Rule, Until: l.Until, By: l.By, How: l.How, CreatedAt: l.CreatedAt,
		})
	case repairLine:
		s := repairs.Session{
			ID: im.name(l.Session), PersonID: im.person, CallID: store.CallID{UUID: l.CallID}, State: l.State,
			CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt, ArchivedAt: l.ArchivedAt,
		}
		var messages []repairs.Message
		for _, m := range l.Messages {
			messages = append(messages, repairs.Message{Seq: m.Seq, Role: m.Role, Content: store.Storable(m.Content), At: m.At, Tool: m.Tool})
		}
		return db.RestoreRepair(ctx, tx, s, messages)
	case mailLine:
		m := mails.Mail{
			Key: im.name(l.Key), PersonID: im.person, To: l.To, Subject: l.Subject, HTML: l.HTML, Text: l.Text,
			CreatedAt: l.CreatedAt, Attempts: l.Attempts, SentAt: l.SentAt, Error: l.Error,
		}
		if m.SentAt == nil && m.Error == "" {
			m.Error = "exported before it was sent" // it is not sent here
		}
		_, err := db.AddMail(ctx, tx, m)
		return err
	case alertLine:
		return db.RestoreAlert(ctx, tx, im.alert(l))
	case scheduleLine:
		h, err := im.schedule(l)
		if err != nil {
			return err
		}
		return db.RestoreSchedule(ctx, tx, h)
	case pauseLine:
		return db.RestorePause(ctx, tx, people.Pause{
			ID: im.id(l.ID), PersonID: im.person, StartsAt: l.StartsAt, EndsAt: l.EndsAt, Reason: l.Reason, CreatedBy: l.CreatedBy, LiftedAt: l.LiftedAt,
		})
	case changeLine:
		return db.RestoreCallChange(ctx, tx, schedules.Change{
			ID: im.id(l.ID), PersonID: im.person, CallID: store.CallID{UUID: l.CallID}, Turn: l.Turn, Said: l.Said, Confirmed: l.Confirmed,
			Before: im.states(l.Before), After: im.states(l.After), PauseFrom: l.PauseFrom, PauseTo: l.PauseTo, CreatedAt: l.CreatedAt,
		})
	default:
		return fmt.Errorf("a line of no known type: %w", memory.ErrInvalid)
	}
}

const (
	// byImport is the actor that closes here what was still open in the file.
	byImport = "import"
	// unfinished is the reason recorded for it.
	unfinished = "not at its end where it was exported"
)

// schedule converts a line to a schedule of the person. It is paused, since an import must
// not cause calls, and its unfinished occurrences are ended.
func (im *importer) schedule(l scheduleLine) (h schedules.History, err error) {
	now := time.Now()
	h = schedules.History{RemovedAt: l.RemovedAt, Schedule: schedules.Schedule{
		ID: im.id(l.ID), PersonID: im.person, CallType: calls.CallType(l.CallType), RRule: l.RRule, Window: schedules.Window{From: l.From, To: l.To},
		JitterMinutes: l.JitterMinutes, Essential: l.Essential, GraceMinutes: l.GraceMinutes, Note: l.Note, Paused: true, CreatedBy: l.CreatedBy,
		Since: now, CreatedAt: l.CreatedAt, UpdatedAt: l.UpdatedAt,
	}}
	if h.StartsOn, err = time.Parse(time.DateOnly, l.StartsOn); err != nil {
		return h, err
	}
	if l.EndsOn != "" {
		day, err := time.Parse(time.DateOnly, l.EndsOn)
		if err != nil {
			return h, err
		}
		h.EndsOn = &day
	}
	if err := im.cfg.CheckSchedule(h.Schedule); err != nil {
		return h, fmt.Errorf("%w: %w", err, memory.ErrInvalid)
	}
	for _, o := range l.Occurrences {
		day, err := time.Parse(time.DateOnly, o.Day)
		if err != nil {
			return h, err
		}
		kept := schedules.Settled{SettledAt: o.SettledAt, Occurrence: schedules.Occurrence{
			ID: im.id(o.ID), CallType: calls.CallType(o.CallType), Essential: o.Essential, Day: day, WindowStart: o.WindowStart, Due: o.Due,
			WindowEnd: o.WindowEnd, Deadline: o.Deadline, Status: schedules.Status(o.Status), Why: o.Why,
		}}
		for _, t := range o.Tries {
			kept.Tries = append(kept.Tries, schedules.Attempt{N: t.N, CallID: store.CallID{UUID: t.CallID}, StartedAt: t.StartedAt, EndedAt: t.EndedAt, Result: schedules.Result(t.Result)})
		}
		h.Days = append(h.Days, kept.Ended(unfinished, now))
	}
	return h, nil
}

// states returns schedule states with the ids that the schedules have here.
func (im *importer) states(of []schedules.State) []schedules.State {
	out := slices.Clone(of)
	for i := range out {
		out[i].ScheduleID = im.id(out[i].ScheduleID)
	}
	return out
}

// alert converts a line to an alert of the person. Unsent notices are marked as failed, not
// sent, and an open alert is closed, since it would have no recipients here.
func (im *importer) alert(l alertLine) alerts.Alert {
	a := alerts.Alert{
		ID: im.id(l.ID), PersonID: im.person, CallID: store.CallID{UUID: l.CallID}, Turn: l.Turn, Tier: alerts.Tier(l.Tier), Kind: l.Kind, Quote: l.Quote, Why: l.Why,
		Unsure: l.Unsure, Status: alerts.Status(l.Status), CreatedAt: l.CreatedAt, AcknowledgedAt: l.AcknowledgedAt, AcknowledgedBy: l.AcknowledgedBy,
		ClosedAt: l.ClosedAt, ClosedBy: l.ClosedBy, Outcome: l.Outcome,
	}
	for _, n := range l.Notices {
		if n.Status == alerts.Queued {
			n.Status, n.Detail = alerts.Failed, "exported before it was sent"
		}
		a.Notices = append(a.Notices, alerts.Notice{ID: im.id(n.ID), Name: n.To, Channel: n.Channel, Address: n.Address, Status: n.Status, Detail: n.Detail, CreatedAt: n.CreatedAt, SentAt: n.SentAt, DeliveredAt: n.DeliveredAt})
	}
	for _, v := range l.Events {
		a.Events = append(a.Events, alerts.Event{Kind: v.Kind, At: v.At, ByWhom: v.By, Detail: v.Detail})
	}
	if now := time.Now(); a.Status != alerts.Closed {
		if a.AcknowledgedAt == nil {
			a.AcknowledgedAt, a.AcknowledgedBy = &now, byImport
		}
		a.Status, a.ClosedAt, a.ClosedBy, a.Outcome = alerts.Closed, &now, byImport, unfinished
		a.Events = append(a.Events, alerts.Event{Kind: "closed", At: now, ByWhom: byImport, Detail: unfinished})
	}
	return a
}
