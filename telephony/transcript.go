package telephony

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/survive"
)

const (
	// noteTimeout bounds one attempt to store one note.
	noteTimeout = 5 * time.Second
	// The pauses between attempts while the database does not answer.
	firstNoteRetry = 100 * time.Millisecond
	maxNoteRetry   = 5 * time.Second
)

// callBook stores a call's words and events.
type callBook interface {
	AddUtterance(ctx context.Context, u calls.Utterance) (calls.Utterance, error)
	CorrectUtterance(ctx context.Context, id store.CallID, conversationID string, eventID int64, original, heard string) (bool, error)
	AddEvent(ctx context.Context, id store.CallID, kind string, data []byte, key string) (bool, error)
	AddConversation(ctx context.Context, id store.CallID, conversationID string) error
	SetFirstWord(ctx context.Context, id store.CallID, d time.Duration) error
}

// transcript records what happens in one call: in order, and in the background, to keep a slow
// database from delaying audio. Notes are never dropped while the call lives; they wait in memory
// until the database accepts them. A note that the database refuses permanently is logged and
// skipped.
//
// Its methods may be used concurrently; run must be running for notes to be stored.
type transcript struct {
	id        store.CallID
	book      callBook
	keepWords bool // the person allows words to be kept
	log       *slog.Logger
	metrics   *metrics

	wake chan struct{}

	mu    sync.Mutex // guards notes
	notes []note
}

// note is one thing to store.
type note struct {
	what string
	keep func(ctx context.Context) error
}

func newTranscript(id store.CallID, book callBook, keepWords bool, log *slog.Logger, m *metrics) *transcript {
	return &transcript{id: id, book: book, keepWords: keepWords, log: log, metrics: m, wake: make(chan struct{}, 1)}
}

// run stores notes until ctx ends, and returns how many were left over.
func (t *transcript) run(ctx context.Context) (left int) {
	for {
		n, waiting := t.first()
		if waiting == 0 {
			select {
			case <-t.wake:
				continue
			case <-ctx.Done():
				_, left = t.first()
				return left
			}
		}
		if !t.keep(ctx, n) {
			_, left = t.first()
			return left
		}
		t.pop()
	}
}

// keep tries to store one note until that succeeds or is refused permanently. It returns false if
// ctx ended before.
func (t *transcript) keep(ctx context.Context, n note) bool {
	for pause := firstNoteRetry; ; pause = min(2*pause, maxNoteRetry) {
		err := survive.Try(t.log, "notes", func() error {
			ctx, cancel := context.WithTimeout(ctx, noteTimeout)
			defer cancel()
			return n.keep(ctx)
		})
		switch {
		case err == nil:
			return true
		case errors.Is(err, survive.ErrPanic):
			t.metrics.panics.WithLabelValues("notes").Inc()
			t.metrics.lostNotes.Inc()
			return true
		case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUnstorable):
			t.metrics.lostNotes.Inc()
			t.log.LogAttrs(ctx, slog.LevelError, "note refused", slog.String("kind", n.what), slog.Any("err", err))
			return true
		}
		t.metrics.lateNotes.Inc()
		t.log.LogAttrs(ctx, slog.LevelWarn, "note is late", slog.String("kind", n.what), slog.Any("err", err))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false
		}
	}
}

// flush waits until everything noted so far was stored or refused.
func (t *transcript) flush(ctx context.Context) error {
	kept := make(chan struct{})
	t.add("flush", func(context.Context) error { close(kept); return nil })
	select {
	case <-kept:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("flush transcript of call %s: %w", t.id, ctx.Err())
	}
}

func (t *transcript) add(what string, keep func(ctx context.Context) error) {
	t.mu.Lock()
	t.notes = append(t.notes, note{what, keep})
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// first returns the oldest note and the number of notes that wait.
func (t *transcript) first() (n note, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.notes) == 0 {
		return note{}, 0
	}
	return t.notes[0], len(t.notes)
}

func (t *transcript) pop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.notes[0] = note{}
	if t.notes = t.notes[1:]; len(t.notes) == 0 {
		t.notes = nil // frees the array
	}
}

// event adds an event to the call's timeline. It marshals data before it returns.
func (t *transcript) event(kind string, data any) {
	b, err := json.Marshal(data)
	if err != nil {
		t.log.Error("event does not marshal", slog.String("kind", kind), slog.Any("err", err))
		return
	}
	t.add(kind, func(ctx context.Context) error {
		_, err := t.book.AddEvent(ctx, t.id, kind, b, "")
		return err
	})
}

// conversation records that a conversation belongs to the call.
func (t *transcript) conversation(id string) {
	t.add("conversation", func(ctx context.Context) error { return t.book.AddConversation(ctx, t.id, id) })
	t.event("conversation_started", map[string]any{"conversationId": id})
}

// firstWord records how long the person waited for the first word.
func (t *transcript) firstWord(d time.Duration) {
	t.add("first_word", func(ctx context.Context) error { return t.book.SetFirstWord(ctx, t.id, d) })
	t.event("first_word", map[string]any{"ms": d.Milliseconds()})
}

// said records one line of the transcript, in parts if it is very long. If the person has not
// allowed words to be kept, or has withdrawn that, it records only that something was said.
func (t *transcript) said(role calls.Role, text, conversationID string, eventID int64, at time.Time) {
	if !t.keepWords {
		t.event("heard", map[string]any{"role": role})
		return
	}
	for _, part := range parts(text) {
		u := calls.Utterance{CallID: t.id, Role: role, Text: part, ConversationID: conversationID, EventID: eventID, At: at}
		t.words(map[string]any{"role": role, "text": part}, func(ctx context.Context) (bool, error) {
			_, err := t.book.AddUtterance(ctx, u)
			if errors.Is(err, calls.ErrUnrecorded) {
				return false, nil
			}
			return true, err
		})
	}
}

// corrected replaces what nAIber was going to say by what was heard of it.
func (t *transcript) corrected(original, text, conversationID string, eventID int64) {
	if !t.keepWords {
		return
	}
	text = store.Storable(text)
	t.words(map[string]any{"role": calls.RoleAssistant, "text": text, "corrected": true}, func(ctx context.Context) (bool, error) {
		found, err := t.book.CorrectUtterance(ctx, t.id, conversationID, eventID, original, text)
		if err == nil && !found {
			t.log.LogAttrs(ctx, slog.LevelWarn, "correction of a line that is not on record", slog.String("conversation_id", conversationID))
		}
		return found, err
	})
}

// words calls keep to store what was said, and adds the event heard to the timeline, without its
// text if keep returns false.
func (t *transcript) words(heard map[string]any, keep func(context.Context) (bool, error)) {
	t.add("words", func(ctx context.Context) error {
		kept, err := keep(ctx)
		if err == nil && !kept {
			delete(heard, "text")
		}
		return err
	})
	t.add("heard", func(ctx context.Context) error {
		b, err := json.Marshal(heard)
		if err == nil {
			_, err = t.book.AddEvent(ctx, t.id, "heard", b, "")
		}
		return err
	})
}

// maxLine bounds a line of the transcript, in characters: memory stores none of more than 50,000,
// and a model is not given that many either.
const maxLine = 20_000

// parts splits a text into lines for the transcript: one, or several if it is very long.
func parts(text string) (lines []string) {
	r := []rune(store.Storable(text))
	for len(r) > maxLine {
		end := maxLine
		for i := maxLine; i > maxLine/2; i-- { // between two words, if there are any
			if unicode.IsSpace(r[i]) {
				end = i
				break
			}
		}
		lines = append(lines, string(r[:end]))
		r = r[end:]
	}
	return append(lines, string(r))
}

// spoken reports whether a transcript line contains words; "..." stands for silence.
func spoken(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
