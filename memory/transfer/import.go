package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

const (
	// importBatch is how many turns are stored together.
	importBatch = 2000
	// maxLineBytes limits the length of one line of a file.
	maxLineBytes = 4 << 20
	// maxBadLines is how many bad lines are reported; further ones are only counted.
	maxBadLines = 100
)

// LineError says what is wrong with one line of a file. Lines are counted from 1.
type LineError struct {
	Line int
	Err  error
}

// Error returns the message, with the number of the line.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Options configure an import.
type Options struct {
	// SkipBad skips bad lines; otherwise the first one aborts the import, and nothing
	// changes.
	SkipBad bool
	// OfAnother allows importing the memory of another person who is known here, which is
	// rarely intended.
	OfAnother bool
	// Progress, if set, is called from time to time with the number of lines read.
	Progress func(lines int)
}

// Imported reports what happened to a file's lines.
type Imported struct {
	Lines     int // without the header and empty lines
	Added     int // turns
	Replaced  int
	Unchanged int
	Left      int // not stored: about what the person does not want stored, or about calls that are not theirs here
	Forgotten int // not stored: forgotten here, or based on something forgotten
	Learned   int // facts, entities and everything else but turns
	Bad       []LineError
	BadLines  int // number of all bad lines
}

// Import stores the contents of a file as a person's memory, in one transaction. The file
// is either from [Transfer.Export], or has turns, one JSON object with text and at per
// line. A second import of the same file changes nothing. The file of another person who is
// known here is refused unless [Options.OfAnother] is set; its lines then get new ids. What
// was forgotten here is skipped and counted.
//
// An error wraps a [LineError] if a line is to blame, and [memory.ErrNoConsent] if the
// person does not allow being remembered.
func (t *Transfer) Import(ctx context.Context, person store.PersonID, r io.Reader, o Options) (Imported, error) {
	if !person.Known() {
		return Imported{}, fmt.Errorf("import memory: %w", memory.ErrEmptyScope)
	}
	var im *importer
	err := t.cfg.Store.InTx(ctx, func(tx store.Tx) error {
		im = &importer{Transfer: t, tx: tx, person: person, in: memories.Scope{Person: person}, o: o, seen: map[string]int{}}
		if err := t.cfg.Store.LockMemory(ctx, tx, person.UUID); err != nil {
			return err
		}
		frame, err := t.cfg.Store.MemoryFrame(ctx, tx, person)
		if err != nil {
			return err
		}
		if !frame.Consented {
			return memory.ErrNoConsent
		}
		im.frame = frame
		if err := im.read(ctx, r); err != nil {
			return err
		}
		return im.settle(ctx)
	})
	if err != nil {
		return Imported{}, fmt.Errorf("import memory of %s: %w", person, err)
	}
	t.cfg.Metrics.Kept.Add(float64(im.out.Added + im.out.Replaced))
	t.cfg.Forgot(person) // cached copies are stale
	return im.out, nil
}

// importer imports one file within one transaction.
type importer struct {
	*Transfer

	tx     store.Tx
	person store.PersonID
	in     memories.Scope
	o      Options
	frame  memories.Frame
	out    Imported
	// renamed says that new ids are made, since the file's ids belong to another person
	// here.
	renamed bool
	turns   []numbered[memories.Turn]
	later   []numbered[line] // everything but turns, in the order of the file
	seen    map[string]int   // how often a turn without id or key was in the file
	refresh []uuid.UUID
	gone    []memories.Turn // turns of the file that were forgotten here
}

// numbered is a value with the number of its line.
type numbered[T any] struct {
	line int
	of   T
}

func (im *importer) read(ctx context.Context, r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	number := 0
	for lines.Scan() {
		number++
		text := bytes.TrimSpace(lines.Bytes())
		if number == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if len(text) == 0 {
			continue
		}
		if err := im.take(ctx, number, text); err != nil {
			return err
		}
		if len(im.turns) == importBatch {
			if err := im.flush(ctx); err != nil {
				return err
			}
			if im.o.Progress != nil {
				im.o.Progress(number)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return &LineError{number + 1, fmt.Errorf("longer than %d bytes: %w", maxLineBytes, memory.ErrInvalid)}
		}
		return err
	}
	return im.flush(ctx)
}

// take reads one line and queues or handles its contents.
func (im *importer) take(ctx context.Context, number int, text []byte) error {
	l, err := readLine(text)
	if err != nil {
		return im.bad(number, err)
	}
	switch l := l.(type) {
	case headerLine:
		if number != 1 {
			return im.bad(number, fmt.Errorf("a header stands in the first line only: %w", memory.ErrInvalid))
		}
		return im.header(ctx, l)
	case turnLine:
		im.out.Lines++
		t, err := im.turn(l)
		if err == nil {
			t, err = memory.Prepare(t)
		}
		if err != nil {
			return im.bad(number, err)
		}
		im.turns = append(im.turns, numbered[memories.Turn]{number, t})
	default:
		im.out.Lines++
		im.later = append(im.later, numbered[line]{number, l})
	}
	return nil
}

// bad records a bad line, or returns the error that aborts the import.
func (im *importer) bad(number int, err error) error {
	e := LineError{number, err}
	if !im.o.SkipBad {
		return &e
	}
	im.out.BadLines++
	if len(im.out.Bad) < maxBadLines {
		im.out.Bad = append(im.out.Bad, e)
	}
	return nil
}
