package checks

import (
	"context"
	"strconv"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Question is one that somebody wants to be put to a person in a health check.
type Question = db.HealthQuestion

// CarerPack is the pack of such questions, and what the ids of their answers begin with.
const CarerPack = "carer"

// QuestionID is the id of the answer to a question.
func QuestionID(q Question) string { return CarerPack + "." + strconv.FormatInt(q.N, 10) }

// MaxQuestion is how many characters a question has at most.
const MaxQuestion = 200

// AskInHealthCheck has a question put in the person's next health check, inside tx. One
// with the same id stays as it is. A text that is empty or too long is [pg.ErrConflict].
func (s *Store) AskInHealthCheck(ctx context.Context, tx pg.Tx, q Question) error {
	err := s.db.Q.HealthQuestionInsert(ctx, tx, db.HealthQuestionInsertParams{
		ID: q.ID, PersonID: q.PersonID, Text: pg.Storable(q.Text), AskedBy: pg.Storable(q.AskedBy),
	})
	return pg.WrapErr(err, "ask %s in a health check", q.PersonID)
}
