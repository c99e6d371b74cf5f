package safety

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/survive"
)

// record is something to keep of a call: an alert, the beginning of a danger, or its end.
type record struct {
	Call   store.CallID `json:"call"`
	Alert  *alerts.New  `json:"alert,omitempty"`
	Danger string       `json:"danger,omitempty"` // its kind; if empty, and there is no alert, the danger is over
	At     time.Time    `json:"at"`
}

func (r record) kind() string {
	switch {
	case r.Alert != nil:
		return "alert " + r.Alert.Kind
	case r.Danger != "":
		return "danger"
	default:
		return "danger_over"
	}
}

// store stores a record; storing it again is a no-op.
func (r record) store(ctx context.Context, st Store) error {
	switch {
	case r.Alert != nil:
		_, _, err := st.RaiseAlert(ctx, *r.Alert)
		return err
	case r.Danger != "":
		return st.MarkDanger(ctx, r.Call, r.Danger, r.At)
	default:
		return st.EndDanger(ctx, r.Call, r.At)
	}
}

const (
	// journalWithin is how long a turn waits for its records to be on disk: they are a few hundred
	// bytes, and a person in danger waits for an answer.
	journalWithin = 250 * time.Millisecond
	journalSuffix = ".json"
)

// journal holds records in a folder, one file each, until they are stored. File names sort in the
// order of the records. With an empty dir it holds nothing.
type journal struct {
	dir string

	mu   sync.Mutex // guards last
	last int64      // the name of the latest file
}

// add writes a record to disk and returns the name of its file.
func (j *journal) add(r record) (name string, err error) {
	if j.dir == "" {
		return "", nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	body, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("marshal %s: %w", r.kind(), err)
	}
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(j.dir, "new-*") // mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(body)
	j.last = max(j.last+1, time.Now().UnixNano())
	name = filepath.Join(j.dir, fmt.Sprintf("%020d%s", j.last, journalSuffix))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	d, err := os.Open(j.dir)
	if err != nil {
		return name, err
	}
	return name, errors.Join(d.Sync(), d.Close()) // without the sync, a power failure may lose the name
}

// drop removes a record that is stored; a missing file is no error.
func (j *journal) drop(name string) error {
	if name == "" {
		return nil
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// each calls visit with the records that an earlier process left, in their order. It skips files of
// other names, and leaves files that it cannot read where they are and returns an error for them.
func (j *journal) each(visit func(name string, r record)) (err error) {
	if j.dir == "" {
		return nil
	}
	files, err := os.ReadDir(j.dir) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), journalSuffix) {
			continue
		}
		var r record
		name := filepath.Join(j.dir, f.Name())
		body, failed := os.ReadFile(name)
		if failed == nil {
			r, failed = readRecord(body)
		}
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("read %s: %w", name, failed))
			continue
		}
		visit(name, r)
	}
	return err
}

// readRecord reads a record. Without an alert, unknown fields are an error: a file that another
// version wrote for something else would read as the end of a danger.
func readRecord(body []byte) (r record, err error) {
	if err = json.Unmarshal(body, &r); err != nil || r.Alert != nil {
		return r, err
	}
	strict := json.NewDecoder(bytes.NewReader(body))
	strict.DisallowUnknownFields()
	if err = strict.Decode(&r); err == nil && r.Call == (store.CallID{}) {
		err = errors.New("it is of no call")
	}
	return r, err
}

// Replay stores in the background the records that an earlier process could not store.
func (w *Rules) Replay(ctx context.Context) {
	left := 0
	err := w.journal.each(func(name string, r record) {
		left++
		w.storeLater(ctx, r, func() string { return name })
	})
	if err != nil {
		w.log.LogAttrs(ctx, slog.LevelError, "red flags of the process before cannot be read", slog.Any("err", err))
	}
	if left > 0 {
		w.log.LogAttrs(ctx, slog.LevelWarn, "red flags of the process before are stored now", slog.Int("records", left))
	}
}

// keep writes a record to the journal, and stores it in the background, retrying until it succeeds.
func (w *Rules) keep(ctx context.Context, r record) {
	safe := make(chan struct{})
	write := func() string {
		defer close(safe)
		return w.journaled(ctx, r)
	}
	if !w.storeLater(ctx, r, write) {
		write() // the next process stores it
	}
	soon(safe)
}

// hold writes a record to the journal for the next process to store, unless [Rules.release] removes
// it. It returns a channel of the file's name.
func (w *Rules) hold(ctx context.Context, r record) <-chan string {
	name, safe := make(chan string, 1), make(chan struct{})
	write := func() {
		defer close(safe)
		name <- w.journaled(ctx, r)
	}
	if !w.inBackground(write) {
		write()
	}
	soon(safe)
	return name
}

// release removes a record of a call that [Rules.hold] wrote from the journal.
func (w *Rules) release(ctx context.Context, id store.CallID, file <-chan string) {
	w.inBackground(func() {
		if err := w.journal.drop(<-file); err != nil {
			w.log.LogAttrs(ctx, slog.LevelWarn, "question that is settled stays in the journal", slog.String("call_id", id.String()), slog.Any("err", err))
		}
	})
}

// inBackground runs do in the background unless the rules are closed, and reports whether it does.
func (w *Rules) inBackground(do func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.work.Go(do)
	}
	return !w.closed
}

func (w *Rules) journaled(ctx context.Context, r record) string {
	name, err := w.journal.add(r)
	if err != nil {
		w.log.LogAttrs(ctx, slog.LevelError, "red flag is not on disk", slog.String("call_id", r.Call.String()), slog.String("kind", r.kind()), slog.Any("err", err))
	}
	return name
}

// soon waits until safe is closed, for journalWithin at most.
func soon(safe <-chan struct{}) {
	late := time.NewTimer(journalWithin)
	defer late.Stop()
	select {
	case <-safe:
	case <-late.C:
	}
}

// mark is a danger of a call, or its end, that is being stored. The next mark of the call waits for
// it, so marks are stored in the order in which they were said.
type mark struct {
	done chan struct{}
	left bool // it could not be stored; set before done is closed
}

// storeLater stores a record in the background, after earlier marks of its call, and retries until
// it succeeds or the rules are closed. It then drops the record from the journal; written returns
// its name there. It reports false, and does nothing, if the rules are closed.
func (w *Rules) storeLater(ctx context.Context, r record, written func() string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	var before, mine *mark
	if r.Alert == nil {
		before, mine = w.marks[r.Call], &mark{done: make(chan struct{})}
		w.marks[r.Call] = mine
	}
	ctx = context.WithoutCancel(ctx)
	w.work.Go(func() {
		name := make(chan string, 1)
		w.work.Go(func() { name <- written() }) // a disk that hangs does not delay storing
		stored := false
		if before != nil {
			<-before.done
		}
		if before == nil || !before.left {
			stored = w.storeUntilClosed(ctx, r)
		}
		if mine != nil {
			w.mu.Lock()
			if w.marks[r.Call] == mine {
				delete(w.marks, r.Call)
			}
			w.mu.Unlock()
			mine.left = !stored
			close(mine.done)
		}
		if !stored {
			return
		}
		if err := w.journal.drop(<-name); err != nil {
			w.log.LogAttrs(ctx, slog.LevelWarn, "red flag that is stored stays in the journal", slog.String("call_id", r.Call.String()), slog.Any("err", err))
		}
	})
	return true
}

const (
	keepDeadline = 5 * time.Second // for one attempt
	retryMost    = 10 * time.Second
	// loudTries is after how many attempts an error is logged: about a quarter of an hour.
	loudTries = 100
)

// storeUntilClosed tries to store a record until that succeeds or the rules are closed. It reports
// whether nothing is left to store: a record of a deleted call or person is dropped.
func (w *Rules) storeUntilClosed(ctx context.Context, r record) bool {
	wait := w.cfg.Retry
	for try := 1; ; try++ {
		err := survive.Try(w.log, "safety", func() error {
			return bounded(ctx, keepDeadline, func(ctx context.Context) error { return r.store(ctx, w.cfg.Store) })
		})
		gone := errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict)
		if err == nil || gone {
			if gone {
				w.log.LogAttrs(ctx, slog.LevelWarn, "red flag is nobody's any more", slog.String("call_id", r.Call.String()), slog.String("kind", r.kind()), slog.Any("err", err))
			}
			return true
		}
		level, closed := slog.LevelWarn, w.isClosed()
		if try%loudTries == 0 || closed {
			level = slog.LevelError
		}
		w.log.LogAttrs(ctx, level, "call is not marked", slog.String("call_id", r.Call.String()), slog.String("kind", r.kind()), slog.Int("attempt", try), slog.Any("err", err))
		if closed {
			return false
		}
		select {
		case <-time.After(wait):
		case <-w.closing: // once more; the next process does the rest
		}
		wait = min(2*wait, retryMost)
	}
}
