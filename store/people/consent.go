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
	ScopeCalls     Scope = "calls"     // being phoned
	ScopeRecording Scope = "recording" // recording what is said: it is kept word for word
	ScopeMemory    Scope = "memory"    // remembering it in later calls
	ScopeCognitive Scope = "cognitive" // checks of memory and attention
	// Writing down what is said word for word, without recording it.
	ScopeTranscript Scope = "transcript"
	// Recording in a room of a care home, where others may be heard.
	ScopeRoom Scope = "room"
)

// Scopes are all scopes there are.
var Scopes = []Scope{ScopeCalls, ScopeRecording, ScopeMemory, ScopeCognitive, ScopeTranscript, ScopeRoom}

// KeepsWords reports whether scopes allow that what is said is kept word for word.
func KeepsWords(scopes map[Scope]bool) bool { return scopes[ScopeRecording] || scopes[ScopeTranscript] }

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

// GiveConsent adds a line to the ledger, and has copies of what is known of the
// person read anew.
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

// RevokeConsent takes back every standing consent of one scope and reports
// whether there was any. It holds at once, in every process: the next dial sees
// it, no word of a live call is kept from now on, and copies of what is
// remembered are dropped (see [Follower.OnTouch]).
func (s *Store) RevokeConsent(ctx context.Context, id pg.PersonID, scope Scope, by, how string) (had bool, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		// The person first, as whoever deletes or dials them: nobody waits in a circle.
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

// Kept is how much is kept of what a person said.
type Kept struct{ Lines, Turns, Facts, Promises, Summaries int }

// Any reports whether anything is.
func (k Kept) Any() bool { return k != Kept{} }

// KeptOf counts what is kept of what a person said. A consent that is taken back
// erases none of it.
func (s *Store) KeptOf(ctx context.Context, id pg.PersonID) (Kept, error) {
	r, err := s.db.Q.KeptOf(ctx, s.db.Conn, id.UUID)
	return Kept(r), err
}

// Consents returns a person's whole ledger, oldest first.
func (s *Store) Consents(ctx context.Context, id pg.PersonID) ([]Consent, error) {
	rows, err := s.db.Q.ConsentsOf(ctx, s.db.Conn, id)
	return pg.Each(rows, consent), err
}

// ConsentScopes returns what a person allows now. In a care home [ScopeRecording] holds
// only where [ScopeRoom] does.
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
