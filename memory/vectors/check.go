package vectors

import (
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"
)

// Unit returns v scaled to length one, and its original length. For a vector without a
// direction it returns [ErrBadVector].
func Unit(v []float32) (unit []float32, norm float32, err error) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	length := math.Sqrt(sum)
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil, 0, ErrBadVector
	}
	unit = make([]float32, len(v))
	for i, x := range v {
		unit[i] = float32(float64(x) / length)
	}
	// The float32 nearest to a tiny or a huge length may be zero or infinite.
	norm = float32(min(max(length, math.SmallestNonzeroFloat32), math.MaxFloat32))
	return unit, norm, nil
}

// prepared is a checked point, with its vector scaled to length one.
type prepared struct {
	Point
	norm float32
}

// prepare checks points and scales their vectors to length one. Of several points with the
// same id, it keeps the last.
func prepare(points []Point, dims int) ([]prepared, error) {
	out := make([]prepared, 0, len(points))
	place := make(map[uuid.UUID]int, len(points))
	for i := range points {
		p, err := prepareOne(points[i], dims)
		if err != nil {
			return nil, fmt.Errorf("point %d (%s): %w", i, points[i].ID, err)
		}
		if at, again := place[p.ID]; again {
			out[at] = p
			continue
		}
		place[p.ID] = len(out)
		out = append(out, p)
	}
	return out, nil
}

func prepareOne(p Point, dims int) (prepared, error) {
	switch {
	case p.ID == uuid.Nil:
		return prepared{}, fmt.Errorf("no id: %w", ErrInvalid)
	case p.Scope.Empty():
		return prepared{}, ErrEmptyScope
	case p.Kind == "" || p.Model == "":
		return prepared{}, fmt.Errorf("no kind or no model: %w", ErrInvalid)
	case p.At.IsZero():
		return prepared{}, fmt.Errorf("no time: %w", ErrInvalid)
	}
	unit, norm, err := sized(p.Vector, dims)
	p.Vector = unit
	return prepared{p, norm}, err
}

// sized is like [Unit], but returns an error unless v has dims dimensions.
func sized(v []float32, dims int) (unit []float32, norm float32, err error) {
	if dims == 0 {
		return nil, 0, fmt.Errorf("ensure was not called: %w", ErrNotReady)
	}
	if len(v) != dims {
		return nil, 0, fmt.Errorf("%d instead of %d: %w", len(v), dims, ErrDimension)
	}
	return Unit(v)
}

// prepareQuery checks a query and scales its vector to length one.
func prepareQuery(q Query, dims int) (Query, error) {
	if q.Scope.Empty() {
		return q, ErrEmptyScope
	}
	if q.Model == "" || slices.Contains(q.Kinds, "") {
		return q, fmt.Errorf("no model, or an empty kind: %w", ErrInvalid)
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return q, fmt.Errorf("limit %d is not within 1 and %d: %w", q.Limit, MaxLimit, ErrInvalid)
	}
	unit, _, err := sized(q.Vector, dims)
	q.Vector = unit
	return q, err
}

func checkDims(dims int) error {
	if dims < 1 || dims > MaxDims {
		return fmt.Errorf("%d dimensions are not within 1 and %d: %w", dims, MaxDims, ErrDimension)
	}
	return nil
}
