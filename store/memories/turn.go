package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Scope names the owners of a memory. For a turn these are a person, a session of the text
// channel, a project, or several of them. As a filter, it is the union of what each owner
// that is set may see.
type Scope struct {
	Person           pg.PersonID
	Session, Project uuid.UUID
}

// Owners returns the ids that are set, the closest first.
func (s Scope) Owners() []uuid.UUID {
	var owners []uuid.UUID
	for _, id := range []uuid.UUID{s.Person.UUID, s.Session, s.Project} {
		if id != uuid.Nil {
			owners = append(owners, id)
		}
	}
	return owners
}

// Empty reports whether the scope has no owner. An empty scope never means all.
func (s Scope) Empty() bool { return len(s.Owners()) == 0 }

// Source is how a turn came into the memory.
type Source string

// The sources of turns.
const (
	FromCall   Source = "call"
	FromChat   Source = "chat"
	FromAPI    Source = "api"
	FromImport Source = "import"
)

// Turn is one thing that was said, word for word.
type Turn struct {
	ID           uuid.UUID
	Scope        Scope
	CallID       pg.CallID // zero if not in a call
	Conversation string
	Seq          int // its place in the conversation
	Speaker      calls.Role
	Name         string // of the speaker
	Text         string
	At           time.Time
	Source       Source
	SourceKey    string // the key of the source
}

// LockMemory serializes changes to one owner's memory until tx ends.
func (s *Store) LockMemory(ctx context.Context, tx pg.Tx, owner uuid.UUID) error {
	return s.db.Q.MemoryLock(ctx, tx, owner)
}

// MemorySeqs returns the last place used in each of an owner's conversations that have
// turns.
func (s *Store) MemorySeqs(ctx context.Context, tx pg.Tx, owner uuid.UUID, conversations []string) (map[string]int, error) {
	rows, err := s.db.Q.MemorySeqs(ctx, tx, db.MemorySeqsParams{OwnerID: owner, Conversations: conversations})
	seqs := make(map[string]int, len(rows))
	for _, r := range rows {
		seqs[r.Conversation] = r.LastSeq
	}
	return seqs, err
}

// InsertMemoryTurns stores new turns, all of one scope.
func (s *Store) InsertMemoryTurns(ctx context.Context, tx pg.Tx, in Scope, turns []Turn) error {
	p := db.MemoryTurnsInsertParams{PersonID: in.Person.UUID, SessionID: in.Session, ProjectID: in.Project}
	for _, t := range turns {
		p.Ids = append(p.Ids, t.ID)
		p.Calls = append(p.Calls, t.CallID.UUID)
		p.Conversations = append(p.Conversations, t.Conversation)
		p.Seqs = append(p.Seqs, t.Seq)
		p.Speakers = append(p.Speakers, string(t.Speaker))
		p.Names = append(p.Names, t.Name)
		p.Bodies = append(p.Bodies, t.Text)
		p.Ats = append(p.Ats, t.At)
		p.Sources = append(p.Sources, string(t.Source))
		p.SourceKeys = append(p.SourceKeys, t.SourceKey)
	}
	return s.db.Q.MemoryTurnsInsert(ctx, tx, p)
}

// ReplaceMemoryTurn replaces the text, name, speaker and time of a turn; its place stays.
func (s *Store) ReplaceMemoryTurn(ctx context.Context, tx pg.Tx, t Turn) error {
	return s.db.Q.MemoryTurnReplace(ctx, tx, db.MemoryTurnReplaceParams{ID: t.ID, Body: t.Text, Name: t.Name, At: t.At, Speaker: string(t.Speaker)})
}

// DeleteMemoryTurns deletes turns, each with the window that ends with it.
func (s *Store) DeleteMemoryTurns(ctx context.Context, tx pg.Tx, ids []uuid.UUID) error {
	return s.db.Q.MemoryTurnsDelete(ctx, tx, ids)
}

// MemorySessionElsewhere reports whether what was said in a session is visible to another
// project than the given one or, if that is zero, to any project.
func (s *Store) MemorySessionElsewhere(ctx context.Context, tx pg.Tx, session, project uuid.UUID) (bool, error) {
	return s.db.Q.MemorySessionElsewhere(ctx, tx, db.MemorySessionElsewhereParams{SessionID: session, ProjectID: project})
}

// MemoryScopesOf returns the scopes of the turns of a person or session.
func (s *Store) MemoryScopesOf(ctx context.Context, tx pg.Tx, in Scope) ([]Scope, error) {
	rows, err := s.db.Q.MemoryScopesOf(ctx, tx, db.MemoryScopesOfParams{PersonID: in.Person.UUID, SessionID: in.Session})
	return pg.Each(rows, func(r db.MemoryScopesOfRow) Scope {
		return Scope{Person: r.PersonID, Session: r.SessionID, Project: r.ProjectID}
	}), err
}

// MoveMemorySession makes what was said in a session visible to another project, or to none
// if project is zero.
func (s *Store) MoveMemorySession(ctx context.Context, tx pg.Tx, session, project uuid.UUID) error {
	return s.db.Q.MemorySessionMove(ctx, tx, db.MemorySessionMoveParams{SessionID: session, ProjectID: project})
}

func memoryTurns(rows []db.MemoryTurn, err error) ([]Turn, error) {
	return pg.Each(rows, memoryTurn), err
}

func memoryTurn(r db.MemoryTurn) Turn {
	return Turn{
		ID:     r.ID,
		Scope:  Scope{Person: r.PersonID, Session: r.SessionID, Project: r.ProjectID},
		CallID: r.CallID, Conversation: r.Conversation, Seq: r.Seq, Speaker: calls.Role(r.Speaker), Name: r.Name,
		Text: r.Text, At: r.At, Source: Source(r.Source), SourceKey: r.SourceKey,
	}
}
