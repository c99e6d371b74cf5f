package people

import (
	"context"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"regexp"
	"time"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// ErrPIN says that a PIN has an invalid form.
var ErrPIN = errors.New("a PIN has 4 to 8 digits, and not all of them the same")

const (
	// pinTries is how many wrong PINs in a row lock it, for pinLock.
	pinTries = 3
	pinLock  = time.Hour
	// pinRounds makes guessing slow for anyone who has the database.
	pinRounds = 200_000
)

var pinForm = regexp.MustCompile(`^[0-9]{4,8}$`)

// SetPIN stores a hash of the PIN that a person keys to verify who they are; an empty PIN
// removes it. It returns [pg.ErrNotFound] if there is no such person, or nothing to remove.
func (s *Store) SetPIN(ctx context.Context, id pg.PersonID, pin string) error {
	if pin == "" {
		n, err := s.db.Q.PinDelete(ctx, s.db.Conn, id)
		return pg.WrapErr(pg.OrAbsent(n, err), "remove pin of %s", id)
	}
	if !pinForm.MatchString(pin) || alike(pin) {
		return ErrPIN
	}
	if _, err := s.Person(ctx, id); err != nil {
		return err
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails, see crypto/rand
	hash, err := pinHash(pin, salt)
	if err != nil {
		return err
	}
	return pg.WrapErr(s.db.Q.PinSet(ctx, s.db.Conn, db.PinSetParams{PersonID: id, Salt: salt, Hash: hash}), "set pin of %s", id)
}

// ForgetPIN removes a person's PIN inside tx, if they have one.
func (s *Store) ForgetPIN(ctx context.Context, tx pg.Tx, id pg.PersonID) error {
	_, err := s.db.Q.PinDelete(ctx, tx, id)
	return err
}

// PINUsable reports whether a person has a PIN that may be tried now.
func (s *Store) PINUsable(ctx context.Context, id pg.PersonID, now time.Time) (bool, error) {
	return s.db.Q.PinUsable(ctx, s.db.Conn, db.PinUsableParams{PersonID: id, Now: now})
}

// TryPIN reports whether keys are a person's PIN. Wrong ones in a row, in whatever calls,
// lock it for a while, during which even the right one is refused. Concurrent tries are
// serialized.
func (s *Store) TryPIN(ctx context.Context, id pg.PersonID, keys string, now time.Time) (right bool, err error) {
	err = s.db.InTx(ctx, func(tx pg.Tx) error {
		row, found, err := pg.IfAny(s.db.Q.PinLock(ctx, tx, id))
		if err != nil || !found || row.LockedUntil != nil && now.Before(*row.LockedUntil) {
			return err
		}
		hash, err := pinHash(keys, row.Salt)
		if err != nil {
			return err
		}
		tried := db.PinTriedParams{PersonID: id}
		if right = subtle.ConstantTimeCompare(hash, row.Hash) == 1; !right {
			if tried.Wrong = row.Wrong + 1; tried.Wrong >= pinTries {
				until := now.Add(pinLock)
				tried.Wrong, tried.LockedUntil = 0, &until
			}
		}
		return s.db.Q.PinTried(ctx, tx, tried)
	})
	return right && err == nil, pg.WrapErr(err, "try pin of %s", id)
}

func pinHash(pin string, salt []byte) ([]byte, error) {
	return pbkdf2.Key(sha256.New, pin, salt, pinRounds, sha256.Size)
}

// alike reports whether all digits are the same.
func alike(pin string) bool {
	for i := range pin {
		if pin[i] != pin[0] {
			return false
		}
	}
	return true
}
