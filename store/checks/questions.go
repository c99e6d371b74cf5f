package checks

import (
	"context"
	"strconv"

	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// Question is a question that someone wants asked in a person's health check.
type Question = db.HealthQuestion

// CarerPack is the pack of such questions, and the prefix of the ids of their answers.
const CarerPack = "carer"

// QuestionID returns the id of the answer to a question.
func QuestionID(q Question) string { return CarerPack + "." + strconv.FormatInt(q.N, 10) }

// MaxQuestion is the maximum length of a question in characters.
const MaxQuestion = 200

// AskInHealthCheck schedules a question for the person's next health check, inside tx. One
// with the same id is left unchanged. An empty or too long text returns [pg.ErrConflict].
func (s *Store) AskInHealthCheck(ctx context.Context, tx pg.Tx, q Question) error {
	err := s.db.Q.HealthQuestionInsert(ctx, tx, db.HealthQuestionInsertParams{
		ID: q.ID, PersonID: q.PersonID, Text: pg.Storable(q.Text), AskedBy: pg.Storable(q.AskedBy),
	})
	return pg.WrapErr(err, "ask %s in a health check", q.PersonID)
}
