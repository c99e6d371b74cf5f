package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/limits"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/schedules"
)

// line holds one of the line types.
type line any

// The allowed values of fields.
var (
	factKinds    = []string{"person", "place", "pet", "health", "routine", "like", "plan", "worry", "life", "other"}
	entityKinds  = []string{"person", "place", "pet", "organisation", "condition", "medication"}
	promiseKinds = []string{"follow_up", "birthday", "anniversary", "appointment", "other"}
	promiseWays  = []string{"open", "used", "kept", "dropped"}
)

// readLine parses one line strictly: an unknown field is an error.
func readLine(text []byte) (line, error) {
	var kind struct {
		Type *string `json:"type"`
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, plainJSON(err)
	}
	if kind.Type == nil {
		return decode[turnLine](text)
	}
	switch *kind.Type {
	case lineHeader:
		return decode[headerLine](text)
	case lineTurn:
		return decode[turnLine](text)
	case lineFact:
		return checked(text, func(l factLine) error {
			if l.Confidence < 0 || l.Confidence > 1 {
				return fmt.Errorf("confidence is from 0 to 1: %w", memory.ErrInvalid)
			}
			return whole(l.ID, l.Text, l.Kind, factKinds, l.LearnedAt)
		})
	case lineEntity:
		return checked(text, func(l entityLine) error {
			if slices.ContainsFunc(l.Aliases, func(a string) bool { return strings.TrimSpace(a) == "" }) {
				return fmt.Errorf("an empty alias: %w", memory.ErrInvalid)
			}
			return whole(l.ID, l.Name, l.Kind, entityKinds, l.FirstSeen, l.LastSeen, l.CreatedAt, l.UpdatedAt)
		})
	case lineRelation:
		return checked(text, func(l relationLine) error { return whole(l.ID, l.Label, "", nil, l.CreatedAt) })
	case lineSummary:
		return checked(text, func(l summaryLine) error {
			if l.Turns < 1 || l.Turns > memory.MaxSeq || l.Tokens < 0 || l.Tokens > memory.MaxSeq {
				return fmt.Errorf("turns and tokens of a summary: %w", memory.ErrInvalid)
			}
			return whole(l.ID, l.Text, "", nil, l.FromAt, l.ToAt, l.CreatedAt)
		})
	case lineCall:
		return checked(text, func(l callLine) error { return whole(l.ID, l.Text, "", nil, l.CreatedAt) })
	case lineTopic:
		return checked(text, func(l topicLine) error {
			if l.Mentions < 1 || l.Mentions > memory.MaxSeq {
				return fmt.Errorf("mentions of a topic: %w", memory.ErrInvalid)
			}
			return whole(l.CallID, l.Label, "", nil, l.At)
		})
	case linePromise:
		return checked(text, checkPromise)
	case lineLimit:
		return checked(text, func(l limitLine) error {
			if l.Rule == memories.CoolDown && l.Until == nil {
				return fmt.Errorf("a cool-down has an end: %w", memory.ErrInvalid)
			}
			return whole(l.ID, l.Topic, string(l.Rule), limits.Rules, l.CreatedAt)
		})
	case lineRepair:
		return checked(text, func(l repairLine) error {
			if slices.ContainsFunc(l.Messages, func(m messageLine) bool {
				return m.Seq < 1 || m.Seq > memory.MaxSeq || m.At.IsZero() || m.Role != "user" && m.Role != "assistant"
			}) {
				return fmt.Errorf("a message of a session: %w", memory.ErrInvalid)
			}
			return whole(memory.RepairID(l.Session), l.Session, "", nil, l.CreatedAt, l.UpdatedAt)
		})
	case lineMail:
		return checked(text, func(l mailLine) error { return whole(l.ID, l.Key, "", nil, l.CreatedAt) })
	case lineAlert:
		return checked(text, func(l alertLine) error { return whole(l.ID, l.Kind, "", nil, l.CreatedAt) })
	case lineSchedule:
		return checked(text, func(l scheduleLine) error {
			for _, o := range l.Occurrences {
				if !slices.Contains(schedules.Statuses, schedules.Status(o.Status)) {
					return fmt.Errorf("status %q: %w", o.Status, memory.ErrInvalid)
				}
				if err := whole(o.ID, o.CallType, "", nil, o.WindowStart, o.Due, o.WindowEnd, o.Deadline); err != nil {
					return err
				}
			}
			return whole(l.ID, l.CallType, "", nil, l.CreatedAt, l.UpdatedAt)
		})
	case linePause:
		return checked(text, func(l pauseLine) error { return whole(l.ID, linePause, "", nil, l.StartsAt) })
	case lineChange:
		return checked(text, func(l changeLine) error {
			if l.Turn < 0 || l.Turn > memory.MaxSeq || strings.ContainsRune(l.Said, 0) {
				return fmt.Errorf("turn or words of a change: %w", memory.ErrInvalid)
			}
			return whole(l.ID, l.Confirmed, "", nil, l.CreatedAt)
		})
	default:
		return nil, fmt.Errorf("type %q: %w", *kind.Type, memory.ErrInvalid)
	}
}

func checkPromise(l promiseLine) error {
	if l.DueOn != "" {
		if _, err := time.Parse(time.DateOnly, l.DueOn); err != nil || l.DueAt != nil {
			return fmt.Errorf("a promise is due on a day as YYYY-MM-DD, or at a moment: %w", memory.ErrInvalid)
		}
	}
	if !slices.Contains(promiseWays, l.Status) {
		return fmt.Errorf("status %q: %w", l.Status, memory.ErrInvalid)
	}
	return whole(l.ID, l.Text, l.Kind, promiseKinds, l.CreatedAt, l.UpdatedAt)
}

// whole checks what every line other than a turn must have.
func whole(id uuid.UUID, text, kind string, kinds []string, times ...time.Time) error {
	switch {
	case id == uuid.Nil:
		return fmt.Errorf("no id: %w", memory.ErrInvalid)
	case strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0):
		return fmt.Errorf("no text: %w", memory.ErrInvalid)
	case kinds != nil && !slices.Contains(kinds, kind):
		return fmt.Errorf("%q is none of %s: %w", kind, strings.Join(kinds, ", "), memory.ErrInvalid)
	case slices.ContainsFunc(times, time.Time.IsZero):
		return fmt.Errorf("a time is missing: %w", memory.ErrInvalid)
	}
	return nil
}

func checked[L any](text []byte, check func(L) error) (line, error) {
	l, err := strictly[L](text)
	if err != nil {
		return nil, err
	}
	return l, check(l)
}

func decode[L any](text []byte) (line, error) {
	l, err := strictly[L](text)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// strictly parses exactly one JSON object; an unknown field is an error.
func strictly[L any](text []byte) (l L, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, plainJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return l, fmt.Errorf("more than one JSON object: %w", memory.ErrInvalid)
	}
	return l, nil
}

// plainJSON rewords a JSON error for the author of the line.
func plainJSON(err error) error {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s is no %s: %w", strings.Trim(t.Field, "."), t.Type, memory.ErrInvalid)
	}
	return fmt.Errorf("%s: %w", strings.TrimPrefix(err.Error(), "json: "), memory.ErrInvalid)
}
