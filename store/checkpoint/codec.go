package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/google/uuid"
)

// A thread in Redis is one string: records, checkpoints first and the newest on
// top, then writes. A record is its length (4 bytes, big-endian, itself not
// counted), a kind, a format version, and then
//
//	checkpoint: id 16, rev 8, parent 16, flags 1, step, schema, place (uvarint),
//	            at, turn at (8, microseconds), graph, node, conversation, key,
//	            outcome, state (each a uvarint length and the bytes)
//	write:      id 16, task length 2, task, at 8, value (the rest)
//
// The scripts rely on what has a fixed place: length, kind, id, rev, parent and
// task. Numbers are big-endian.
const (
	kindCheckpoint = 'C'
	kindWrite      = 'W'
	recordFormat   = 1

	recordHead     = 4 + 2 // length, kind, format
	checkpointHead = 16 + 8 + 16 + 1
	writeHead      = 16 + 2
	flagDone       = 1
)

var errShort = errors.New("it ends too early")

// appendCheckpoint adds cp as a record to b.
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
	return finishRecord(b, start)
}

// appendWrite adds w as a record to b.
func appendWrite(b []byte, w *Write) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0, kindWrite, recordFormat)
	b = appendTask(b, w)
	b = appendTime(b, w.At)
	b = append(b, w.Value...)
	return finishRecord(b, start)
}

// appendTask adds what tells one task's write from another's.
func appendTask(b []byte, w *Write) []byte {
	b = append(b, w.Checkpoint.UUID[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(w.Task))) //nolint:gosec // checkWrite has bounded it
	return append(b, w.Task...)
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.BigEndian.AppendUint64(b, uint64(t.UnixMicro()))
}

func finishRecord(b []byte, start int) []byte {
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-4)) //nolint:gosec // states are bounded by maxBytes
	return b
}

// encode is a thread's string.
func encode(h *History) []byte {
	size := 0
	for i := range h.Checkpoints {
		size += len(h.Checkpoints[i].State) + len(h.Checkpoints[i].Outcome) + 256
	}
	b := make([]byte, 0, size)
	for i := range h.Checkpoints {
		b = appendCheckpoint(b, &h.Checkpoints[i])
	}
	for i := range h.Writes {
		b = appendWrite(b, &h.Writes[i])
	}
	return b
}

// decode reads a thread's string; states are slices of it. Whatever it cannot
// read is an [ErrCorrupt].
func decode(b []byte) (History, error) {
	var h History
	for at := 0; len(b) > 0; at++ {
		if len(b) < recordHead {
			return History{}, fmt.Errorf("%w: record %d: %w", ErrCorrupt, at, errShort)
		}
		n := uint64(binary.BigEndian.Uint32(b)) + 4
		if n < recordHead || n > uint64(len(b)) {
			return History{}, fmt.Errorf("%w: record %d: %w", ErrCorrupt, at, errShort)
		}
		if err := h.read(b[4:n:n]); err != nil {
			return History{}, fmt.Errorf("%w: record %d: %w", ErrCorrupt, at, err)
		}
		b = b[n:]
	}
	return h, nil
}

// read adds one record without its length to h.
func (h *History) read(b []byte) error {
	kind, format := b[0], b[1]
	d := decoder{b: b[2:]}
	switch {
	case format != recordFormat:
		return fmt.Errorf("its format is %d, and this binary reads %d", format, recordFormat)
	case kind == kindCheckpoint && len(h.Writes) == 0:
		cp := d.checkpoint()
		if d.err == nil && (len(d.b) > 0 || len(h.Checkpoints) > 0 && cp.Rev >= h.Checkpoints[len(h.Checkpoints)-1].Rev) {
			return errors.New("it is out of order")
		}
		if d.err == nil {
			d.err = cp.check()
		}
		h.Checkpoints = append(h.Checkpoints, cp)
	case kind == kindWrite:
		w := d.write()
		if d.err == nil {
			d.err = checkWrite(&w)
		}
		h.Writes = append(h.Writes, w)
	default:
		return fmt.Errorf("its kind is %q", kind)
	}
	return d.err
}

// decoder takes values from the front of b until one is not there.
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

func (d *decoder) write() Write {
	var w Write
	w.Checkpoint = d.id()
	if n := d.take(2); n != nil {
		w.Task = string(d.take(uint64(binary.BigEndian.Uint16(n))))
	}
	w.At = d.time()
	w.Value = d.take(uint64(len(d.b)))
	return w
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
