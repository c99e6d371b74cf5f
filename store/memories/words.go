package memories

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/internal/db"
	"github.com/naiber/naiber/store/internal/pg"
)

// SpokenLine is one line of a call's transcript that is being forgotten.
type SpokenLine struct {
	ID   int64
	Call pg.CallID
	Role calls.Role
	Text string
	At   time.Time
}

// SpokenLines returns the lines of a person's transcripts that f selects.
func (s *Store) SpokenLines(ctx context.Context, tx pg.Tx, f ForgetScope) ([]SpokenLine, error) {
	rows, err := s.db.Q.WordsIn(ctx, s.db.Handle(tx), db.WordsInParams{PersonID: f.Person.UUID, Since: f.Since, Until: f.Until, Config: f.Config, Topics: pg.List(f.Topics)})
	return pg.Each(rows, func(r db.WordsInRow) SpokenLine {
		return SpokenLine{r.ID, r.CallID, calls.Role(r.Role), r.Text, r.At}
	}), pg.WrapErr(err, "words of %s", f.Person)
}

// SpokenLinesByID returns those of the lines that are in the person's transcripts.
func (s *Store) SpokenLinesByID(ctx context.Context, tx pg.Tx, person pg.PersonID, ids []int64) ([]SpokenLine, error) {
	rows, err := s.db.Q.WordsOfUtterances(ctx, s.db.Handle(tx), db.WordsOfUtterancesParams{PersonID: person.UUID, Ids: ids})
	return pg.Each(rows, func(r db.WordsOfUtterancesRow) SpokenLine {
		return SpokenLine{r.ID, r.CallID, calls.Role(r.Role), r.Text, r.At}
	}), pg.WrapErr(err, "%d words of %s", len(ids), person)
}

// ForgetSpokenLines removes the words of lines from the transcript, from requests for
// turns, and from the call's timeline. Places and times stay. It returns how many lines had
// words.
func (s *Store) ForgetSpokenLines(ctx context.Context, tx pg.Tx, lines []SpokenLine) (int, error) {
	var ids []int64
	var all, heard, spoken spokenColumns
	for _, l := range lines {
		ids = append(ids, l.ID)
		all.add(l)
		if l.Role == calls.RoleUser {
			heard.add(l)
		} else {
			spoken.add(l)
		}
	}
	n, err := s.db.Q.UtterancesBlank(ctx, tx, ids)
	if err == nil {
		_, err = s.db.Q.WordsBlankHeard(ctx, tx, db.WordsBlankHeardParams{Calls: heard.calls, Bodies: heard.texts, Ats: heard.ats})
	}
	if err == nil {
		_, err = s.db.Q.WordsBlankReply(ctx, tx, db.WordsBlankReplyParams{Calls: spoken.calls, Bodies: spoken.texts, Ats: spoken.ats})
	}
	if err == nil {
		_, err = s.db.Q.WordsBlankEvents(ctx, tx, db.WordsBlankEventsParams{Calls: all.calls, Bodies: all.texts})
	}
	return int(n), pg.WrapErr(err, "forget %d lines", len(lines))
}

type spokenColumns struct {
	calls []uuid.UUID
	texts []string
	ats   []time.Time
}

func (c *spokenColumns) add(l SpokenLine) {
	c.calls, c.texts, c.ats = append(c.calls, l.Call.UUID), append(c.texts, l.Text), append(c.ats, l.At)
}

// ForgetHeard removes what f selects from a person's requests for turns and from the
// timelines of calls.
func (s *Store) ForgetHeard(ctx context.Context, tx pg.Tx, f ForgetScope) error {
	_, err := s.db.Q.WordsBlankIn(ctx, tx, db.WordsBlankInParams{PersonID: f.Person.UUID, Since: f.Since, Until: f.Until, Config: f.Config, Topics: pg.List(f.Topics)})
	if err == nil {
		_, err = s.db.Q.WordsBlankEventsIn(ctx, tx, db.WordsBlankEventsInParams{PersonID: f.Person.UUID, Since: f.Since, Until: f.Until, Config: f.Config, Topics: pg.List(f.Topics)})
	}
	return pg.WrapErr(err, "forget what was heard of %s", f.Person)
}

// CallsIn returns the person's calls that f selects: those in the period, or those whose
// summaries mention a topic.
func (s *Store) CallsIn(ctx context.Context, tx pg.Tx, f ForgetScope) ([]uuid.UUID, error) {
	ids, err := s.db.Q.CallsIn(ctx, s.db.Handle(tx), db.CallsInParams{PersonID: f.Person.UUID, Since: f.Since, Until: f.Until, Config: f.Config, Topics: pg.List(f.Topics)})
	return ids, pg.WrapErr(err, "calls of %s", f.Person)
}

// ForgetCallSummaries deletes the summaries of calls, and returns how many. Learning from
// such a call again makes new ones from what is left.
func (s *Store) ForgetCallSummaries(ctx context.Context, tx pg.Tx, calls []uuid.UUID) (int, error) {
	n, err := s.db.Q.CallSummariesForget(ctx, tx, calls)
	return int(n), pg.WrapErr(err, "forget summaries of %d calls", len(calls))
}

// ForgetTopics removes what f selects from the topics that a person talks about: those that
// mention a topic of f or, without topics, all mentions in calls. It also removes those
// whose words come only from lines.
func (s *Store) ForgetTopics(ctx context.Context, tx pg.Tx, f ForgetScope, calls []uuid.UUID, lines []SpokenLine) error {
	var err error
	switch {
	case f.about():
		_, err = s.db.Q.TopicsAboutForget(ctx, tx, db.TopicsAboutForgetParams{PersonID: f.Person, Config: f.Config, Topics: f.Topics})
	case len(calls) > 0:
		_, err = s.db.Q.TopicMentionsOfCallsForget(ctx, tx, calls)
	}
	if err == nil && len(lines) > 0 {
		gone := map[uuid.UUID]string{}
		for _, l := range lines {
			gone[l.Call.UUID] += l.Text + "\n"
		}
		p := db.TopicMentionsForgetParams{PersonID: f.Person, Config: f.Config}
		for call, text := range gone {
			p.Calls, p.Gone = append(p.Calls, call), append(p.Gone, text)
		}
		_, err = s.db.Q.TopicMentionsForget(ctx, tx, p)
	}
	if err == nil {
		err = s.db.Q.TopicsRecount(ctx, tx, f.Person)
	}
	if err == nil {
		err = s.db.Q.TopicsUnmentionedDelete(ctx, tx, f.Person)
	}
	return pg.WrapErr(err, "forget topics of %s", f.Person)
}

// ForgetChat deletes episodes of a person's sessions in the text channel: those given, and
// those that f selects, if any. The names and summaries of their sessions are deleted too.
// It returns the number of episodes.
func (s *Store) ForgetChat(ctx context.Context, tx pg.Tx, f ForgetScope, ids []int64) (int, error) {
	n, err := s.db.Q.ChatEpisodesForget(ctx, tx, db.ChatEpisodesForgetParams{
		PersonID: f.Person.UUID, Ids: ids, Since: f.Since, Until: f.Until, Topics: pg.List(f.Topics), Config: f.Config,
	})
	return int(n), pg.WrapErr(err, "forget chats of %s", f.Person)
}

// forgottenQuestion replaces the words of a carer's question that was forgotten.
const forgottenQuestion = "A question that was forgotten"

// ForgetHealthWords removes the words that f selects from a person's health answers,
// cognitive checks and alerts, from the saved state of an unfinished check, from questions
// that a carer wants or wanted asked, from carers' notes on schedules, and from what the
// person asked for about their calls. Values stay. It returns the call of each answer,
// task, check and alert that lost words.
func (s *Store) ForgetHealthWords(ctx context.Context, tx pg.Tx, f ForgetScope) ([]uuid.UUID, error) {
	ids, err := s.db.Q.HealthWordsForget(ctx, tx, db.HealthWordsForgetParams{
		Asked: forgottenQuestion, PersonID: f.Person, Since: f.Since, Until: f.Until, Topics: pg.List(f.Topics), Config: f.Config,
	})
	if err == nil {
		_, err = s.db.Q.HealthSessionsForget(ctx, tx, db.HealthSessionsForgetParams{
			PersonID: f.Person, Since: f.Since, Until: f.Until, Topics: pg.List(f.Topics), Config: f.Config,
		})
	}
	if err == nil {
		err = s.db.Q.HealthQuestionsForget(ctx, tx, db.HealthQuestionsForgetParams{
			PersonID: f.Person, Since: f.Since, Until: f.Until, Topics: pg.List(f.Topics), Config: f.Config,
		})
	}
	if err == nil {
		var more []pg.CallID
		more, err = s.forgetCognitiveWords(ctx, tx, f)
		ids = append(ids, more...)
	}
	if err == nil {
		var more []pg.CallID
		more, err = s.db.Q.AlertWordsForget(ctx, tx, db.AlertWordsForgetParams{PersonID: f.Person, Since: f.Since, Until: f.Until, Topics: pg.List(f.Topics), Config: f.Config})
		ids = append(ids, more...)
	}
	if err == nil {
		_, err = s.db.Q.ScheduleNotesForget(ctx, tx, db.ScheduleNotesForgetParams{PersonID: f.Person, Since: f.Since, Until: f.Until, Topics: pg.List(f.Topics), Config: f.Config})
	}
	if err == nil {
		_, err = s.db.Q.ScheduleChangeWordsForget(ctx, tx, db.ScheduleChangeWordsForgetParams{PersonID: f.Person, Since: f.Since, Until: f.Until, Topics: pg.List(f.Topics), Config: f.Config})
	}
	return pg.Each(ids, func(id pg.CallID) uuid.UUID { return id.UUID }), pg.WrapErr(err, "forget words of health answers of %s", f.Person)
}

func (s *Store) forgetCognitiveWords(ctx context.Context, tx pg.Tx, f ForgetScope) ([]pg.CallID, error) {
	p := db.CognitiveWordsForgetParams{PersonID: f.Person, Since: f.Since, Until: f.Until, Topics: pg.List(f.Topics), Config: f.Config}
	tasks, err := s.db.Q.CognitiveWordsForget(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	checks, err := s.db.Q.CognitiveConfoundersForget(ctx, tx, db.CognitiveConfoundersForgetParams(p))
	if err != nil {
		return nil, err
	}
	return append(tasks, checks...), s.db.Q.CognitiveNotesForget(ctx, tx, db.CognitiveNotesForgetParams(p))
}
