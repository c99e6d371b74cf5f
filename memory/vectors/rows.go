package vectors

import (
	"slices"

	"github.com/google/uuid"
)

// rows holds vectors as codes, with what a search needs. The codes of vector i are
// codes[i*words:(i+1)*words].
type rows struct {
	words         int
	ids           []uuid.UUID
	kinds         []uint32 // indices in names
	scales, slips []float32
	codes         []uint64
	names         []string
}

// bytesOf returns the bytes of memory for one vector of dims dimensions.
func bytesOf(dims int) int64 {
	const id, kind, scale, slip, word = 16, 4, 4, 4, 8
	return id + kind + scale + slip + word*int64(words(dims))
}

// nameBytes is the approximate size of the name of a kind.
const nameBytes = 32

// size returns the memory of the rows, in bytes.
func (r *rows) size(dims int) int64 {
	return int64(cap(r.ids))*bytesOf(dims) + nameBytes*int64(len(r.names))
}

// room sets the capacity to exactly n vectors in total: the spare room of append is not
// worth its memory.
func (r *rows) room(n int) {
	r.ids, r.kinds = moved(r.ids, n), moved(r.kinds, n)
	r.scales, r.slips = moved(r.scales, n), moved(r.slips, n)
	r.codes = moved(r.codes, n*r.words)
}

func moved[E any](s []E, room int) []E { return append(make([]E, 0, room), s...) }

// kind returns the index of a kind's name, adding it if needed. There are only a handful.
func (r *rows) kind(name string) uint32 {
	at := slices.Index(r.names, name)
	if at < 0 {
		at = len(r.names)
		r.names = append(r.names, name)
	}
	return uint32(at) //nolint:gosec // fewer than there are vectors
}

// add encodes a vector and appends it. There must be room.
func (r *rows) add(id uuid.UUID, kind string, v []float32) {
	r.extend()
	i := len(r.ids) - 1
	r.ids[i], r.kinds[i] = id, r.kind(kind)
	r.scales[i], r.slips[i] = encode(r.codes[i*r.words:], v)
}

// extend appends an empty vector. There must be room.
func (r *rows) extend() {
	n := len(r.ids) + 1
	r.ids, r.kinds = r.ids[:n], r.kinds[:n]
	r.scales, r.slips, r.codes = r.scales[:n], r.slips[:n], r.codes[:n*r.words]
}

// set overwrites vector i with vector j of other rows.
func (r *rows) set(i int, from *rows, j int) {
	r.ids[i], r.scales[i], r.slips[i] = from.ids[j], from.scales[j], from.slips[j]
	r.kinds[i] = r.kind(from.names[from.kinds[j]])
	copy(r.codes[i*r.words:(i+1)*r.words], from.codes[j*r.words:])
}

// remove overwrites vector i with the last vector, and shortens the rows.
func (r *rows) remove(i int) {
	last := len(r.ids) - 1
	r.set(i, r, last)
	r.ids, r.kinds = r.ids[:last], r.kinds[:last]
	r.scales, r.slips, r.codes = r.scales[:last], r.slips[:last], r.codes[:last*r.words]
}
