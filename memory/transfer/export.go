package transfer

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/keep"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/schedules"
)

// Config holds the dependencies of a [Transfer]. All fields are required.
type Config struct {
	Store  *store.Store
	Keeper *keep.Keeper
	// Forgot is called when cached copies of what is known about a person must be dropped.
	Forgot func(store.PersonID)
	// CheckSchedule returns an error for a schedule that cannot be kept.
	CheckSchedule func(schedules.Schedule) error
	Metrics       *memory.Metrics
}

// Transfer exports and imports. It may be used concurrently.
type Transfer struct{ cfg Config }

// New returns a Transfer.
func New(cfg Config) *Transfer { return &Transfer{cfg} }

// exportPage is how many rows are read at a time.
const exportPage = 1000

// Export writes everything that is remembered of a person to w, one JSON object per line,
// as of one moment, and returns how many lines follow the header. Export is a person's
// right and needs no consent. [Transfer.Import] reads it back: a later export is identical
// to the byte except for the time in the header, and except for what must not continue by
// itself elsewhere: schedules are paused, and alerts closed. now is the time in the header;
// zero means the current time.
func (t *Transfer) Export(ctx context.Context, person store.PersonID, w io.Writer, now time.Time) (int, error) {
	if !person.Known() {
		return 0, fmt.Errorf("export memory: %w", memory.ErrEmptyScope)
	}
	if now.IsZero() {
		now = time.Now()
	}
	e := &exporter{Transfer: t, person: person}
	file, err := e.read(ctx, now)
	if err == nil {
		_, err = io.Copy(w, file)
	}
	if err != nil {
		return e.lines, fmt.Errorf("export memory of %s: %w", person, err)
	}
	return e.lines, nil
}

// read reads everything before anything is written: a transaction must not last as long as
// a slow client. It holds the data compressed in memory, not in a file, since the program
// may have no writable disk.
func (e *exporter) read(ctx context.Context, now time.Time) (io.Reader, error) {
	if _, err := e.cfg.Store.MemoryFrame(ctx, nil, e.person); err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	pack, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(pack, 64<<10)
	e.json = json.NewEncoder(out)
	e.json.SetEscapeHTML(false)
	err = e.cfg.Store.InSnapshot(ctx, func(tx store.Tx) error {
		e.tx = tx
		second, err := e.cfg.Store.SecondPhone(ctx, tx, e.person)
		if err != nil {
			return err
		}
		header := headerLine{lineHeader, transferFormat, transferVersion, now.UTC().Truncate(time.Second), e.person.UUID, second}
		if err := e.json.Encode(header); err != nil {
			return err
		}
		for _, part := range []func(context.Context) error{e.turns, e.facts, e.entities, e.relations, e.summaries, e.calls, e.topics, e.promises, e.limits, e.repairs, e.mails, e.alerts, e.schedules, e.pauses, e.changes} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return flate.NewReader(&packed), errors.Join(err, out.Flush(), pack.Close())
}

type exporter struct {
	*Transfer

	tx     store.Tx
	person store.PersonID
	json   *json.Encoder
	lines  int
}

func (e *exporter) write(line any) error {
	e.lines++
	return e.json.Encode(line)
}

// pages writes large sets page by page: read returns the next page, and line converts an
// item to its line.
func pages[T any](e *exporter, read func() ([]T, error), line func(T) any) error {
	for {
		page, err := read()
		if err != nil {
			return err
		}
		if err := lines(e, page, line); err != nil || len(page) < exportPage {
			return err
		}
	}
}

// lines writes one line for each item.
func lines[T any](e *exporter, items []T, line func(T) any) error {
	for _, item := range items {
		if err := e.write(line(item)); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) turns(ctx context.Context) error {
	at, id := beginning, uuid.Nil
	return pages(e, func() ([]memories.Turn, error) {
		return e.cfg.Store.MemoryTurnsInOrder(ctx, e.tx, e.person, at, id, exportPage)
	}, func(t memories.Turn) any {
		at, id = t.At, t.ID
		return turnLine{
			Type: lineTurn, ID: t.ID, Text: t.Text, At: t.At.UTC(), Speaker: t.Speaker, Name: t.Name, Conversation: t.Conversation, Seq: t.Seq,
			Source: t.Source, SourceKey: t.SourceKey, CallID: t.CallID.UUID, SessionID: t.Scope.Session, ProjectID: t.Scope.Project,
		}
	})
}

func (e *exporter) facts(ctx context.Context) error {
	at, id := farAhead, uuid.Max
	return pages(e, func() ([]memories.Fact, error) {
		return e.cfg.Store.ListFacts(ctx, e.tx, e.person, false, at, id, exportPage)
	}, func(f memories.Fact) any {
		at, id = f.LearnedAt, f.ID
		return factLine{
			Type: lineFact, ID: f.ID, Text: f.Text, Kind: f.Kind, Topic: f.Topic, Confidence: float32(f.Confidence),
			ValidFrom: inUTC(f.ValidFrom), ValidTo: inUTC(f.ValidTo), LearnedAt: f.LearnedAt.UTC(), ClosedAt: inUTC(f.ClosedAt),
			ClosedBy: f.ClosedBy, Replaces: f.Replaces, Stale: f.Stale, Sources: f.Sources, DependsOn: f.DependsOn,
		}
	})
}

func (e *exporter) entities(ctx context.Context) error {
	var after uuid.UUID
	return pages(e, func() ([]memories.Entity, error) {
		return e.cfg.Store.ListEntities(ctx, e.tx, e.person, after, exportPage)
	}, func(n memories.Entity) any {
		after = n.ID
		return entityLine{
			Type: lineEntity, ID: n.ID, Kind: n.Kind, Name: n.Name, Notes: n.Notes, Aliases: n.Aliases,
			FirstSeen: n.FirstSeen.UTC(), LastSeen: n.LastSeen.UTC(), CreatedAt: n.CreatedAt.UTC(), UpdatedAt: n.UpdatedAt.UTC(), Sources: n.Sources,
		}
	})
}

// listed writes small sets: it reads all items at once.
func listed[T any](ctx context.Context, e *exporter, read func(context.Context, store.Tx, store.PersonID) ([]T, error), line func(T) any) error {
	items, err := read(ctx, e.tx, e.person)
	if err != nil {
		return err
	}
	return lines(e, items, line)
}

func (e *exporter) relations(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.ListRelations, func(r memories.StoredRelation) any {
		return relationLine{lineRelation, r.ID, r.From, r.To, r.Label, r.FactID, inUTC(r.ValidFrom), inUTC(r.ValidTo), r.CreatedAt.UTC()}
	})
}

func (e *exporter) summaries(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.ListSummaries, func(m memories.MemorySummary) any {
		return summaryLine{
			lineSummary, m.ID, m.Text, m.FromTurn, m.ToTurn, m.FromAt.UTC(), m.ToAt.UTC(), m.Turns, m.Tokens, m.Model, m.CreatedAt.UTC(),
		}
	})
}

func (e *exporter) calls(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.CallSummaries, func(c memories.Summary) any {
		return callLine{lineCall, c.ID, c.CallID.UUID, c.Text, c.Model, c.CreatedAt.UTC()}
	})
}

func (e *exporter) topics(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.CallMentions, func(m memories.CallMention) any {
		return topicLine{lineTopic, m.Label, m.CallID.UUID, m.Mentions, m.At.UTC()}
	})
}

func (e *exporter) promises(ctx context.Context) error {
	promises, err := e.cfg.Store.ListPromises(ctx, e.tx, e.person, "", 1<<30)
	if err != nil {
		return err
	}
	return lines(e, promises, exportedPromise)
}

func (e *exporter) limits(ctx context.Context) error {
	limits, err := e.cfg.Store.ListLimits(ctx, e.tx, e.person, beginning)
	if err != nil {
		return err
	}
	return lines(e, limits, func(l memories.Limit) any {
		return limitLine{lineLimit, l.ID, l.Topic, l.Rule, inUTC(l.Until), l.By, l.How, l.CreatedAt.UTC()}
	})
}

func (e *exporter) repairs(ctx context.Context) error {
	sessions, err := e.cfg.Store.PersonRepairs(ctx, e.tx, e.person)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		messages, err := e.cfg.Store.RepairMessages(ctx, e.tx, s.ID)
		if err != nil {
			return err
		}
		line := repairLine{
			Type: lineRepair, Session: s.ID, CallID: s.CallID.UUID, State: s.State,
			CreatedAt: s.CreatedAt.UTC(), UpdatedAt: s.UpdatedAt.UTC(), ArchivedAt: inUTC(s.ArchivedAt),
		}
		for _, m := range messages {
			line.Messages = append(line.Messages, messageLine{m.Seq, m.Role, m.Content, m.At.UTC(), m.Tool})
		}
		if err := e.write(line); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) mails(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.PersonMails, func(m mails.Mail) any {
		return mailLine{lineMail, m.ID, m.Key, m.To, m.Subject, m.HTML, m.Text, m.CreatedAt.UTC(), inUTC(m.SentAt), m.Attempts, m.Error}
	})
}

func (e *exporter) alerts(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.PersonAlerts, func(a alerts.Alert) any {
		line := alertLine{
			Type: lineAlert, ID: a.ID, CallID: a.CallID.UUID, Turn: a.Turn, Tier: int(a.Tier), Kind: a.Kind, Quote: a.Quote, Why: a.Why, Unsure: a.Unsure, Status: string(a.Status), CreatedAt: a.CreatedAt.UTC(),
			AcknowledgedAt: inUTC(a.AcknowledgedAt), AcknowledgedBy: a.AcknowledgedBy, ClosedAt: inUTC(a.ClosedAt), ClosedBy: a.ClosedBy, Outcome: a.Outcome,
		}
		for _, n := range a.Notices {
			line.Notices = append(line.Notices, noticeLine{n.ID, n.Name, n.Channel, n.Address, n.Status, n.Detail, n.CreatedAt.UTC(), inUTC(n.SentAt), inUTC(n.DeliveredAt)})
		}
		for _, v := range a.Events {
			line.Events = append(line.Events, eventLine{v.Kind, v.At.UTC(), v.ByWhom, v.Detail})
		}
		return line
	})
}

func (e *exporter) schedules(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.PersonSchedules, func(h schedules.History) any {
		line := scheduleLine{
			Type: lineSchedule, ID: h.ID, CallType: string(h.CallType), RRule: h.RRule, From: h.Window.From, To: h.Window.To, JitterMinutes: h.JitterMinutes,
			Essential: h.Essential, GraceMinutes: h.GraceMinutes, StartsOn: h.StartsOn.Format(time.DateOnly), Note: h.Note, Paused: h.Paused, CreatedBy: h.CreatedBy,
			CreatedAt: h.CreatedAt.UTC(), UpdatedAt: h.UpdatedAt.UTC(), RemovedAt: inUTC(h.RemovedAt),
		}
		if h.EndsOn != nil {
			line.EndsOn = h.EndsOn.Format(time.DateOnly)
		}
		for _, o := range h.Days {
			day := occurrenceLine{
				ID: o.ID, Day: o.Day.Format(time.DateOnly), CallType: string(o.CallType), Essential: o.Essential, WindowStart: o.WindowStart.UTC(), Due: o.Due.UTC(),
				WindowEnd: o.WindowEnd.UTC(), Deadline: o.Deadline.UTC(), Status: string(o.Status), Why: o.Why, SettledAt: inUTC(o.SettledAt),
			}
			for _, t := range o.Tries {
				day.Tries = append(day.Tries, tryLine{t.N, t.CallID.UUID, t.StartedAt.UTC(), inUTC(t.EndedAt), string(t.Result)})
			}
			line.Occurrences = append(line.Occurrences, day)
		}
		return line
	})
}

func (e *exporter) pauses(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.PersonPauses, func(p people.Pause) any {
		return pauseLine{linePause, p.ID, p.StartsAt.UTC(), inUTC(p.EndsAt), p.Reason, p.CreatedBy, inUTC(p.LiftedAt)}
	})
}

func (e *exporter) changes(ctx context.Context) error {
	return listed(ctx, e, e.cfg.Store.PersonCallChanges, func(c schedules.Change) any {
		return changeLine{lineChange, c.ID, c.CallID.UUID, c.Turn, c.Said, c.Confirmed, c.Before, c.After, inUTC(c.PauseFrom), inUTC(c.PauseTo), c.CreatedAt.UTC()}
	})
}

func exportedPromise(p memories.Promise) any {
	line := promiseLine{
		Type: linePromise, ID: p.ID, Text: p.Text, Kind: p.Kind, DueAt: inUTC(p.DueAt), Recurrence: p.Recurrence, Status: p.Status,
		CallID: p.CallID.UUID, Turn: p.TurnID, UsedCall: p.UsedCall.UUID, UsedAt: inUTC(p.UsedAt), CreatedAt: p.CreatedAt.UTC(), UpdatedAt: p.UpdatedAt.UTC(),
	}
	if p.DueOn != nil {
		line.DueOn = p.DueOn.Format(time.DateOnly)
	}
	return line
}

// Times before and after everything.
var (
	beginning = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	farAhead  = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
