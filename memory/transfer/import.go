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
	// importBatch is how many turns are kept together.
	importBatch = 2000
	// maxLineBytes bounds one line of a file.
	maxLineBytes = 4 << 20
	// maxBadLines is how many bad lines are told of; others are counted.
	maxBadLines = 100
)

// LineError says what is wrong with one line of a file.
type LineError struct {
	Line int
	Err  error
}

// Error is for people.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap is what is wrong.
func (e *LineError) Unwrap() error { return e.Err }

// Options say how to import.
type Options struct {
	// SkipBad leaves bad lines out; else the first one ends the import, and nothing changes.
	SkipBad bool
	// OfAnother takes in the memory of somebody else who is known here, which is
	// hardly ever meant.
	OfAnother bool
	// Progress, if set, is told now and then how many lines were read.
	Progress func(lines int)
}

// Imported says what became of a file's lines.
type Imported struct {
	Lines     int // without the header and empty ones
	Added     int // turns
	Replaced  int
	Unchanged int
	Left      int // not kept: of what the person does not want stored, or of calls that are not theirs here
	Forgotten int // not kept: forgotten here, or resting on what was
	Learned   int // facts, entities and all else that is no turn
	Bad       []LineError
	BadLines  int // all of them
}

// Import keeps what a file says as a person's memory, all of it in one
// transaction: what [Transfer.Export] wrote, or turns, one JSON object with text
// and at a line. To do it again changes nothing. A file of another person who is
// known here is refused unless that is meant; its lines are given new ids. What
// was forgotten here is skipped and counted.
//
// An error wraps a [LineError] where a line is to blame, [memory.ErrNoConsent] where the
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
	t.cfg.Forgot(person) // copies are old
	return im.out, nil
}

// importer reads one file within one transaction.
type importer struct {
	*Transfer

	tx     store.Tx
	person store.PersonID
	in     memories.Scope
	o      Options
	frame  memories.Frame
	out    Imported
	// renamed says that ids are made anew: they are somebody else's here.
	renamed bool
	turns   []numbered[memories.Turn]
	later   []numbered[line] // all that is no turn, in the order of the file
	seen    map[string]int   // how often a turn without id or key was in the file
	refresh []uuid.UUID
	gone    []memories.Turn // turns of the file that were forgotten here
}

// numbered is something with the line that it stands in.
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

// take reads one line and notes what it says.
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

// bad notes a bad line, or ends the import by it.
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
