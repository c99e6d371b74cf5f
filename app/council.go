package app

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/jobs"
	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/personas/health/report"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/checkpoint"
	"github.com/naiber/naiber/store/people"
)

// makeCouncil makes the care council. Its rounds are stored in PostgreSQL alone: Redis holds only
// health checks.
func (a *App) makeCouncil(context.Context) error {
	threads, err := checkpoint.New(a.store, checkpoint.Config{Keep: a.cfg.Checkpoints.Keep, TTL: a.cfg.Checkpoints.TTL, Log: a.log})
	if err != nil {
		return err
	}
	a.onStopDo(threads.Close)
	record := council.Reader{Library: a.store, Trends: a.trendSentences, Raisable: a.recall.Raisable, Now: time.Now}
	a.council, err = council.New(council.Config{
		Model: a.chatModel, Store: a.store, Checkpoints: threads, Read: record.Read, Schedule: a.jobs.ScheduleCouncil, Effects: councilEffects{a.store}, Raisable: a.recall.Raisable,
		HistoryTokens: a.cfg.Council.HistoryTokens, DiscussionTokens: a.cfg.Council.DiscussionTokens, MaxTokens: a.cfg.Council.MessageTokens,
		Log: a.log, Metrics: a.metrics,
	})
	if err != nil {
		return err
	}
	a.follower.OnDiscussion(a.council.Appended)
	a.follower.OnTouch(func(store.PersonID) { a.council.Appended(uuid.Nil, 0) }) // a discussion may have been forgotten
	return nil
}

// trendSentences returns how a person's answers developed, as sentences, and the id of the
// question of each.
func (a *App) trendSentences(ctx context.Context, p people.Person) (questions, sentences []string, err error) {
	now := time.Now()
	points, err := a.store.HealthHistory(ctx, p.ID, now.Add(-report.Window))
	for _, t := range report.Trends(points, report.Of{Name: p.CallName(), Catalogue: report.Catalogue{Packs: a.packs, Language: p.Language}, Since: now.Add(-report.Window), Now: now}) {
		words := t.Latest.Words
		if t.Drift != nil && t.Drift.Words != "" {
			words += " " + t.Drift.Words
		}
		questions, sentences = append(questions, t.QuestionID), append(sentences, t.Short+": "+words)
	}
	return questions, sentences, err
}

// stalledAfter is how long a running discussion may give no sign before its process is presumed
// dead.
const stalledAfter = 3 * council.Beat

// councilChore returns the chore that resumes stalled discussions.
func (a *App) councilChore() jobs.Chore {
	return jobs.Chore{Name: "resume_discussions", Every: stalledAfter / 2, Do: func(ctx context.Context) error {
		left, err := a.store.Stalled(ctx, stalledAfter)
		for _, d := range left {
			err = errors.Join(err, a.store.InTx(ctx, func(tx store.Tx) error { return a.jobs.ScheduleCouncil(ctx, tx, d.DiscussionID, d.LastSeq) }))
		}
		return err
	}}
}
