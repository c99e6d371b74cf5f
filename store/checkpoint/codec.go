package checkpoint

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/klauspost/compress/s2"
)

// A stored thread is one record, which holds its checkpoints compressed, since their states
// differ in a few words. A record is its length (4 bytes, big-endian, not counting itself),
// a kind, a format version, and then
//
//	thread:     id 16, rev 8 (the newest checkpoint's), and by S2
//	            the records of its checkpoints, the newest first
//	checkpoint: id 16, rev 8, parent 16, flags 1, step, schema, place (uvarint),
//	            at, turn at (8, microseconds), graph, node, conversation, key,
//	            outcome, state (each a uvarint length and the bytes)
//
// Earlier versions stored the checkpoints alone. The Redis script relies on the offsets of
// kind, id and rev. Numbers are big-endian.
const (
	kindThread     = 'T'
	kindCheckpoint = 'C'
	recordFormat   = 1
	recordHead     = 4 + 2 // length, kind, format
	threadHead     = recordHead + 16 + 8
	flagDone       = 1
)

var errShort = errors.New("it ends too early")

// appendCheckpoint appends cp to b as a record.
func appendCheckpoint(b []byte, cp *Checkpoint) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0, kindCheckpoint, recordFormat)
	b = append(b, cp.ID.UUID[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(cp.Rev)) //nolint:gosec // check has seen that it is positive
	b = append(b, cp.Parent.UUID[:]...)
	var flags byte
	if cp.Done {
		flags = flagDone
	}
	b = append(b, flags)
	for _, n := range []int{cp.Step, cp.Schema, cp.Turn.Place} {
		b = binary.AppendUvarint(b, uint64(n)) //nolint:gosec // check has seen that it is not negative
	}
	b = appendTime(b, cp.At)
	b = appendTime(b, cp.Turn.At)
	for _, s := range []string{cp.Graph, cp.Node, cp.Turn.Conversation, cp.Turn.Key} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for _, s := range [][]byte{cp.Outcome, cp.State} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-4)) //nolint:gosec // states are bounded by maxBytes
	return b
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixMicro()))
}

// buffer holds the buffers for encoding a thread, which are many times as large as the
// result.
type buffer struct{ records, packed []byte }

var buffers = sync.Pool{New: func() any { return new(buffer) }}

// pack returns the encoding of a thread with the checkpoints in b.records.
func (b *buffer) pack(head ID, rev int64) []byte {
	b.packed = slices.Grow(b.packed[:0], s2.MaxEncodedLen(len(b.records)))
	packed := s2.Encode(b.packed[:cap(b.packed)], b.records)
	t := make([]byte, 0, threadHead+len(packed))
	t = binary.BigEndian.AppendUint32(t, uint32(cap(t)-4)) //nolint:gosec // states are bounded by maxBytes
	t = append(t, kindThread, recordFormat)
	t = append(t, head.UUID[:]...)
	t = binary.BigEndian.AppendUint64(t, uint64(rev)) //nolint:gosec // it is positive
	return append(t, packed...)
}

// unpack returns the records of a thread's checkpoints.
func unpack(b []byte) ([]byte, error) {
	if len(b) < threadHead || b[4] != kindThread {
		return b, nil
	}
	if n, err := s2.DecodedLen(b[threadHead:]); err != nil || n > maxThread {
		return nil, fmt.Errorf("%w: %d bytes: %w", ErrCorrupt, n, cmp.Or(err, s2.ErrTooLarge))
	}
	records, err := s2.Decode(nil, b[threadHead:])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return records, nil
}

// decode decodes a thread. All its errors wrap [ErrCorrupt].
func decode(b []byte) ([]Checkpoint, error) {
	b, err := unpack(b)
	if err != nil {
		return nil, err
	}
	var cps []Checkpoint
	for len(b) > 0 {
		cp, rest, err := decodeCheckpoint(b)
		if err == nil && len(cps) > 0 && cp.Rev >= cps[len(cps)-1].Rev {
			err = errors.New("it is out of order")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: record %d: %w", ErrCorrupt, len(cps), err)
		}
		cps, b = append(cps, cp), rest
	}
	return cps, nil
}

// decodeCheckpoint decodes the first record of b.
func decodeCheckpoint(b []byte) (cp Checkpoint, rest []byte, err error) {
	if len(b) < recordHead {
		return cp, nil, errShort
	}
	n := uint64(binary.BigEndian.Uint32(b)) + 4
	if n < recordHead || n > uint64(len(b)) {
		return cp, nil, errShort
	}
	if b[4] != kindCheckpoint || b[5] != recordFormat {
		return cp, nil, fmt.Errorf("its kind is %q in format %d, and this binary reads %q in format %d", b[4], b[5], kindCheckpoint, recordFormat)
	}
	d := decoder{b: b[recordHead:n:n]}
	cp = d.checkpoint()
	switch {
	case d.err != nil:
		return cp, nil, d.err
	case len(d.b) > 0:
		return cp, nil, fmt.Errorf("%d bytes too many", len(d.b))
	}
	return cp, b[n:], cp.check()
}

// decoder takes values from the front of b until one is missing.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) checkpoint() Checkpoint {
	var cp Checkpoint
	cp.ID = d.id()
	cp.Rev = d.int64()
	cp.Parent = d.id()
	cp.Done = d.byte()&flagDone != 0
	cp.Step, cp.Schema, cp.Turn.Place = d.int(), d.int(), d.int()
	cp.At, cp.Turn.At = d.time(), d.time()
	cp.Graph, cp.Node, cp.Turn.Conversation, cp.Turn.Key = d.string(), d.string(), d.string(), d.string()
	cp.Outcome, cp.State = d.bytes(), d.bytes()
	return cp
}

func (d *decoder) take(n uint64) []byte {
	if d.err == nil && n > uint64(len(d.b)) {
		d.err = errShort
	}
	if d.err != nil {
		return nil
	}
	v := d.b[:n:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) id() ID {
	v := d.take(16)
	if v == nil {
		return ID{}
	}
	return ID{uuid.UUID(v)}
}

func (d *decoder) byte() byte {
	v := d.take(1)
	if v == nil {
		return 0
	}
	return v[0]
}

func (d *decoder) int64() int64 {
	v := d.take(8)
	if v == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(v)) //nolint:gosec // bits; a revision is checked
}

func (d *decoder) time() time.Time { return time.UnixMicro(d.int64()).UTC() }

func (d *decoder) uvarint() uint64 {
	if d.err != nil {
		return 0
	}
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.err = errShort
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int {
	v := d.uvarint()
	if v > math.MaxInt32 && d.err == nil {
		d.err = errors.New("a number is too large")
		return 0
	}
	return int(v) //nolint:gosec // seen above
}

func (d *decoder) bytes() []byte { return d.take(d.uvarint()) }

func (d *decoder) string() string { return string(d.bytes()) }
