package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// MemoryScope says whose memory is meant. Of a turn it names the owners: a
// person, a session of the text channel, a project, or several of them. As a
// filter it is the union of what each that is set may see.
type MemoryScope struct {
	Person           PersonID
	Session, Project uuid.UUID
}

// Owners are the ids that are set, the closest first.
func (s MemoryScope) Owners() []uuid.UUID {
	var owners []uuid.UUID
	for _, id := range []uuid.UUID{s.Person.UUID, s.Session, s.Project} {
		if id != uuid.Nil {
			owners = append(owners, id)
		}
	}
	return owners
}

// Empty reports whether the scope names nobody: that is never everybody.
func (s MemoryScope) Empty() bool { return len(s.Owners()) == 0 }

// MemorySource says how a turn came into the memory.
type MemorySource string

// The sources of turns.
const (
	MemoryFromCall   MemorySource = "call"
	MemoryFromChat   MemorySource = "chat"
	MemoryFromAPI    MemorySource = "api"
	MemoryFromImport MemorySource = "import"
)

// MemoryTurn is one thing that was said, word for word.
type MemoryTurn struct {
	ID           uuid.UUID
	Scope        MemoryScope
	CallID       CallID // zero: not in a call
	Conversation string
	Seq          int // its place in the conversation
	Speaker      Role
	Name         string // of the speaker
	Text         string
	At           time.Time
	Source       MemorySource
	SourceKey    string // what the source calls it
}

// LockMemory makes those who change one owner's memory wait for each other until tx ends.
func (s *Store) LockMemory(ctx context.Context, tx Tx, owner uuid.UUID) error {
	return said(s.q.MemoryLock(ctx, tx, owner), "lock memory of %s", owner)
}

// MemorySeqs returns the last place taken in each of an owner's conversations
// that has turns.
func (s *Store) MemorySeqs(ctx context.Context, tx Tx, owner uuid.UUID, conversations []string) (map[string]int, error) {
	rows, err := s.q.MemorySeqs(ctx, tx, db.MemorySeqsParams{OwnerID: owner, Conversations: conversations})
	seqs := make(map[string]int, len(rows))
	for _, r := range rows {
		seqs[r.Conversation] = int(r.LastSeq)
	}
	return seqs, said(err, "places in memory of %s", owner)
}

// InsertMemoryTurns keeps new turns, all of one scope.
func (s *Store) InsertMemoryTurns(ctx context.Context, tx Tx, in MemoryScope, turns []MemoryTurn) error {
	p := db.MemoryTurnsInsertParams{PersonID: in.Person.ptr(), SessionID: optionalID(in.Session), ProjectID: optionalID(in.Project)}
	for _, t := range turns {
		p.Ids = append(p.Ids, t.ID)
		p.Calls = append(p.Calls, t.CallID.UUID)
		p.Conversations = append(p.Conversations, t.Conversation)
		p.Seqs = append(p.Seqs, int32(t.Seq)) //nolint:gosec // checked where turns are kept
		p.Speakers = append(p.Speakers, string(t.Speaker))
		p.Names = append(p.Names, t.Name)
		p.Bodies = append(p.Bodies, t.Text)
		p.Ats = append(p.Ats, t.At)
		p.Sources = append(p.Sources, string(t.Source))
		p.SourceKeys = append(p.SourceKeys, t.SourceKey)
	}
	return said(s.q.MemoryTurnsInsert(ctx, tx, p), "keep %d turns of %s", len(turns), in.Owners()[0])
}

// ReplaceMemoryTurn rewrites what a turn says, by whom and when; its place stays.
func (s *Store) ReplaceMemoryTurn(ctx context.Context, tx Tx, t MemoryTurn) error {
	err := s.q.MemoryTurnReplace(ctx, tx, db.MemoryTurnReplaceParams{
		ID: t.ID, Body: t.Text, Name: t.Name, At: t.At, Speaker: string(t.Speaker),
	})
	return said(err, "replace turn %s in memory", t.ID)
}

// DeleteMemoryTurns deletes turns, and with each the window that begins with it.
func (s *Store) DeleteMemoryTurns(ctx context.Context, tx Tx, ids []uuid.UUID) error {
	return said(s.q.MemoryTurnsDelete(ctx, tx, ids), "delete %d turns from memory", len(ids))
}

// MemorySessionElsewhere reports whether what was said in a session is seen by
// another project than the given one, or by one where that is zero.
func (s *Store) MemorySessionElsewhere(ctx context.Context, tx Tx, session, project uuid.UUID) (bool, error) {
	is, err := s.q.MemorySessionElsewhere(ctx, tx, db.MemorySessionElsewhereParams{SessionID: session, ProjectID: optionalID(project)})
	return is, said(err, "project of session %s in memory", session)
}

// MemoryScopesOf returns whose the turns of a scope's person or session are.
func (s *Store) MemoryScopesOf(ctx context.Context, tx Tx, in MemoryScope) ([]MemoryScope, error) {
	rows, err := s.q.MemoryScopesOf(ctx, tx, db.MemoryScopesOfParams{PersonID: optionalID(in.Person.UUID), SessionID: optionalID(in.Session)})
	return each(rows, func(r db.MemoryScopesOfRow) MemoryScope {
		return MemoryScope{Person: personID(r.PersonID), Session: uuidOf(r.SessionID), Project: uuidOf(r.ProjectID)}
	}), said(err, "owners in memory of %v", in.Owners())
}

// MoveMemorySession has what was said in a session seen by another project, or
// by none where project is zero.
func (s *Store) MoveMemorySession(ctx context.Context, tx Tx, session, project uuid.UUID) error {
	err := s.q.MemorySessionMove(ctx, tx, db.MemorySessionMoveParams{SessionID: session, ProjectID: optionalID(project)})
	return said(err, "move memory of session %s", session)
}

func memoryTurn(r db.MemoryTurn) MemoryTurn {
	return MemoryTurn{
		ID:     r.ID,
		Scope:  MemoryScope{Person: personID(r.PersonID), Session: uuidOf(r.SessionID), Project: uuidOf(r.ProjectID)},
		CallID: CallID{uuidOf(r.CallID)}, Conversation: r.Conversation, Seq: int(r.Seq), Speaker: Role(r.Speaker), Name: r.Name,
		Text: r.Text, At: r.At, Source: MemorySource(r.Source), SourceKey: r.SourceKey,
	}
}

// uuidOf is the id in such a column, or the zero one.
func uuidOf(id *uuid.UUID) uuid.UUID {
	if id == nil {
		return uuid.Nil
	}
	return *id
}
