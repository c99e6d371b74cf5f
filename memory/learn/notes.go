package learn

import (
	"context"
	"strings"

	"github.com/naiber/naiber/internal/english"
	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/memories"
)

// joinNotes adds a note to what is known of somebody, without what it says is
// over or another now: who is home is not in hospital.
func joinNotes(name, have, note string) string {
	have = withoutNotes(have, func(part string) bool {
		verdict, _ := judge(memories.Fact{Text: name + " " + note}, []memories.Fact{{Text: name + " " + part}})
		return verdict == Delete || verdict == Replace
	})
	switch {
	case have == "":
		return english.Clip(note, maxNoteRunes)
	case english.Share(note, have) == 1 || len([]rune(have))+len([]rune(note)) > maxNoteRunes-2:
		return have
	default:
		return have + "; " + note
	}
}

// withoutNotes is notes without the parts that are over.
func withoutNotes(notes string, over func(part string) bool) string {
	var left []string
	all := strings.FieldsFunc(notes, func(r rune) bool { return r == ';' || r == ',' })
	for _, part := range all {
		if part = strings.TrimSpace(part); part != "" && !over(part) {
			left = append(left, part)
		}
	}
	if len(left) == len(all) {
		return notes
	}
	return strings.Join(left, "; ")
}

// unnote takes out of the notes on those whom a closed fact is about what it said
// of them, unless the fact that closed it says so too.
func (s *lesson) unnote(ctx context.Context, tx store.Tx, closed, by memories.Fact) error {
	subject, said, found := english.CutSubject(closed.Text)
	if !found {
		return nil
	}
	about := " " + memory.Alias(subject) + " "
	known, err := s.cfg.Store.KnownMemoryEntities(ctx, tx, memories.Scope{Person: s.of.person}, maxEntities)
	if err != nil {
		return err
	}
	for _, e := range known {
		if !named(e, about) {
			continue
		}
		notes := withoutNotes(e.Notes, func(part string) bool {
			return len(english.Content(part)) > 0 && english.Share(part, said) >= leastSupport && english.Share(part, by.Text) < leastSupport
		})
		if notes == e.Notes {
			continue
		}
		e.Notes = notes
		if err := s.cfg.Store.SaveMemoryEntity(ctx, tx, s.of.person, e, e.LastSeen, nil); err != nil {
			return err
		}
	}
	return nil
}

// endDenied ends the relations that stand on no fact, and that one of this part of the
// call speaks against.
func (b *binder) endDenied(ctx context.Context, tx store.Tx) error {
	facts, err := b.factsHere(ctx, tx)
	if err != nil || len(facts) == 0 {
		return err
	}
	loose, err := b.cfg.Store.GroundlessMemoryRelations(ctx, tx, b.of.person, maxEntities)
	if err != nil {
		return err
	}
	for _, r := range loose {
		holds := memories.Fact{Text: r.From + " " + strings.ReplaceAll(r.Label, "_", " ") + " " + r.To}
		for _, f := range facts {
			verdict, _ := judge(f, []memories.Fact{holds})
			if f.LearnedAt.Before(r.Since) || verdict != Delete && verdict != Replace {
				continue
			}
			if err := b.cfg.Store.EndMemoryRelation(ctx, tx, r.ID, until(f)); err != nil {
				return err
			}
			break
		}
	}
	return nil
}
