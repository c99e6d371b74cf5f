package search

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// list is the result of one way of searching: windows in ranked order.
type list struct {
	name   string
	weight float64
	ids    []uuid.UUID
}

// ranking is the fused score of one window.
type ranking struct {
	id    uuid.UUID
	score float64
	lists []string
}

// fuse joins lists by reciprocal rank: each adds weight/(k+rank), with ranks from 1. A list
// without weight adds nothing, not even its windows.
func fuse(k float64, lists ...list) []ranking {
	at := map[uuid.UUID]int{}
	var all []ranking
	for _, l := range lists {
		if l.weight <= 0 {
			continue
		}
		for rank, id := range l.ids {
			i, ok := at[id]
			if !ok {
				i = len(all)
				at[id] = i
				all = append(all, ranking{id: id})
			}
			all[i].score += l.weight / (k + float64(rank+1))
			all[i].lists = append(all[i].lists, l.name)
		}
	}
	return sorted(all)
}

func sorted(all []ranking) []ranking {
	slices.SortFunc(all, func(a, b ranking) int {
		return cmp.Or(cmp.Compare(b.score, a.score), bytes.Compare(b.id[:], a.id[:]))
	})
	return all
}

// boost adds a list for the period that a question names: first what the other lists found
// in it, in their order, then what else was said in it, newest first. Windows outside the
// period keep their scores.
func (r *recall) boost(ranked []ranking) []ranking {
	in := map[uuid.UUID]bool{}
	for _, id := range r.places.Inside {
		in[id] = true
	}
	for _, w := range r.places.Windows {
		in[w.ID] = in[w.ID] || !w.At.Before(r.when.From) && w.At.Before(r.when.To)
	}
	var then []uuid.UUID
	for _, w := range ranked {
		if in[w.id] {
			then = append(then, w.id)
		}
	}
	for _, id := range r.places.Period {
		if !in[id] {
			then = append(then, id)
		}
	}
	then = then[:min(len(then), r.set.Candidates)]
	return merge(ranked, list{ListDate, r.set.DateWeight, then}, r.set.RRFK)
}

// merge adds one more list to a fused ranking.
func merge(ranked []ranking, l list, k float64) []ranking {
	at := make(map[uuid.UUID]int, len(ranked))
	for i, r := range ranked {
		at[r.id] = i
	}
	for _, r := range fuse(k, l) {
		if i, ok := at[r.id]; ok {
			ranked[i].score += r.score
			ranked[i].lists = append(ranked[i].lists, r.lists...)
			continue
		}
		ranked = append(ranked, r)
	}
	return sorted(ranked)
}
