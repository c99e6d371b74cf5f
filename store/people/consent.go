package people

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Scope is what a consent allows.
type Scope string

// The scopes of consent.
const (
	ScopeCalls     Scope = "calls"     // being called
	ScopeRecording Scope = "recording" // recording what is said: it is kept word for word
	ScopeMemory    Scope = "memory"    // remembering it in later calls
	ScopeCognitive Scope = "cognitive" // checks of memory and attention
	// Writing down word for word what is said, without recording it.
	ScopeTranscript Scope = "transcript"
	// Recording in a shared room of a care home, where others may be heard.
	ScopeRoom Scope = "room"
)

// Scopes lists all scopes.
var Scopes = []Scope{ScopeCalls, ScopeRecording, ScopeMemory, ScopeCognitive, ScopeTranscript, ScopeRoom}

// KeepsWords reports whether scopes allow storing word for word what is said.
func KeepsWords(scopes map[Scope]bool) bool { return scopes[ScopeRecording] || scopes[ScopeTranscript] }

// Consent is one line of the ledger: who allowed what, when and how, and who withdrew it.
// Lines are added and revoked, never rewritten.
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

// GiveConsent adds a line to the ledger, and makes all processes reread their copies of the
// person's record.
func (s *Store) GiveConsent(ctx context.Context, id pg.PersonID, c Consent) (kept Consent, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		if err := s.db.Q.PersonTouch(ctx, tx, id.UUID); err != nil {
			return err
		}
		kept, err = s.insertConsent(ctx, tx, id, c)
		return err
	})
	return kept, pg.WrapErr(err, "give consent for %s", id)
}

// RevokeConsent withdraws every current consent of one scope and reports whether there was
// any. It takes effect at once, in every process: the next dial sees it, no further word of
// a live call is stored, and cached copies of what is remembered are dropped (see
// [Follower.OnTouch]).
func (s *Store) RevokeConsent(ctx context.Context, id pg.PersonID, scope Scope, by, how string) (had bool, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		// To avoid deadlocks, lock the person first, as deleting and dialling do.
		if err := s.db.Q.PersonTouch(ctx, tx, id.UUID); err != nil {
			return err
		}
		n, err := s.db.Q.ConsentRevoke(ctx, tx, db.ConsentRevokeParams{
			PersonID: id, Scope: string(scope), RevokedBy: by, RevokedHow: how,
		})
		if had = n > 0; err != nil || !had {
			return err
		}
		return s.db.Q.CallsStopRecording(ctx, tx, id.UUID)
	})
	return had, pg.WrapErr(err, "revoke consent of %s", id)
}

// Kept counts what is stored of what a person said.
type Kept struct{ Lines, Turns, Facts, Promises, Summaries int }

// Any reports whether anything is stored.
func (k Kept) Any() bool { return k != Kept{} }

// KeptOf counts what is stored of what a person said. Withdrawing a consent erases none of
// it.
func (s *Store) KeptOf(ctx context.Context, id pg.PersonID) (Kept, error) {
	r, err := s.db.Q.KeptOf(ctx, s.db.Conn, id.UUID)
	return Kept(r), err
}

// Consents returns a person's whole ledger, oldest first.
func (s *Store) Consents(ctx context.Context, id pg.PersonID) ([]Consent, error) {
	rows, err := s.db.Q.ConsentsOf(ctx, s.db.Conn, id)
	return pg.Each(rows, consent), err
}

// ConsentScopes returns what a person currently allows. In a care home, [ScopeRecording] is
// included only with [ScopeRoom].
func (s *Store) ConsentScopes(ctx context.Context, id pg.PersonID) (map[Scope]bool, error) {
	return s.ScopesIn(ctx, s.db.Conn, id)
}

func (s *Store) ScopesIn(ctx context.Context, h db.DBTX, id pg.PersonID) (map[Scope]bool, error) {
	rows, err := s.db.Q.ConsentScopes(ctx, h, id.UUID)
	if err != nil {
		return nil, err
	}
	scopes := make(map[Scope]bool, len(rows))
	for _, r := range rows {
		scopes[Scope(r)] = true
	}
	return scopes, nil
}

func (s *Store) insertConsent(ctx context.Context, h db.DBTX, id pg.PersonID, c Consent) (Consent, error) {
	row, err := s.db.Q.ConsentInsert(ctx, h, db.ConsentInsertParams{ID: pg.NewID(), PersonID: id, Scope: string(c.Scope), GivenBy: c.GivenBy, How: c.How})
	return consent(row), err
}

func consent(r db.Consent) Consent {
	return Consent{
		ID: r.ID, Scope: Scope(r.Scope), GivenAt: r.GivenAt, GivenBy: r.GivenBy, How: r.How,
		RevokedAt: r.RevokedAt, RevokedBy: pg.Value(r.RevokedBy), RevokedHow: pg.Value(r.RevokedHow),
	}
}
