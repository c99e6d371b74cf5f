package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
)

// Scope is what a consent allows.
type Scope string

// The scopes of consent.
const (
	ScopeCalls     Scope = "calls"     // being phoned
	ScopeRecording Scope = "recording" // keeping what was said, word for word
	ScopeMemory    Scope = "memory"    // remembering it in later calls
)

// Scopes are all scopes there are.
var Scopes = []Scope{ScopeCalls, ScopeRecording, ScopeMemory}

// Consent is one line of the ledger: who allowed what, when and how, and who
// took it back. Lines are added and revoked, never rewritten.
type Consent struct {
	ID         uuid.UUID
	Scope      Scope
	GivenAt    time.Time
	GivenBy    string
	How        string // by telephone, on paper, by the daughter who holds power of attorney, ...
	RevokedAt  *time.Time
	RevokedBy  string
	RevokedHow string
}

// GiveConsent adds a line to the ledger.
func (s *Store) GiveConsent(ctx context.Context, id PersonID, c Consent) (Consent, error) {
	kept, err := s.insertConsent(ctx, s.pool, id, c)
	return kept, said(err, "give consent for %s", id)
}

// RevokeConsent takes back every standing consent of one scope and reports
// whether there was any. The next dial already sees it.
func (s *Store) RevokeConsent(ctx context.Context, id PersonID, scope Scope, by, how string) (bool, error) {
	n, err := s.q.ConsentRevoke(ctx, s.pool, db.ConsentRevokeParams{
		PersonID: id.UUID, Scope: string(scope), RevokedBy: by, RevokedHow: how,
	})
	return n > 0, said(err, "revoke consent of %s", id)
}

// Consents returns a person's whole ledger, oldest first.
func (s *Store) Consents(ctx context.Context, id PersonID) ([]Consent, error) {
	rows, err := s.q.ConsentsOf(ctx, s.pool, id.UUID)
	return each(rows, consent), said(err, "consents of %s", id)
}

// ConsentScopes returns what a person allows now.
func (s *Store) ConsentScopes(ctx context.Context, id PersonID) (map[Scope]bool, error) {
	scopes, err := s.consentScopes(ctx, s.pool, id)
	return scopes, said(err, "consent scopes of %s", id)
}

func (s *Store) consentScopes(ctx context.Context, h db.DBTX, id PersonID) (map[Scope]bool, error) {
	rows, err := s.q.ConsentScopes(ctx, h, id.UUID)
	if err != nil {
		return nil, err
	}
	scopes := make(map[Scope]bool, len(rows))
	for _, r := range rows {
		scopes[Scope(r)] = true
	}
	return scopes, nil
}

func (s *Store) insertConsent(ctx context.Context, h db.DBTX, id PersonID, c Consent) (Consent, error) {
	row, err := s.q.ConsentInsert(ctx, h, db.ConsentInsertParams{
		ID: newID(), PersonID: id.UUID, Scope: string(c.Scope), GivenBy: c.GivenBy, How: c.How,
	})
	return consent(row), err
}

func consent(r db.Consent) Consent {
	c := Consent{
		ID: r.ID, Scope: Scope(r.Scope), GivenAt: r.GivenAt, GivenBy: r.GivenBy, How: r.How, RevokedAt: r.RevokedAt,
	}
	if r.RevokedBy != nil {
		c.RevokedBy = *r.RevokedBy
	}
	if r.RevokedHow != nil {
		c.RevokedHow = *r.RevokedHow
	}
	return c
}
