package forget

import (
	"context"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/repairs"
)

// forgetWords removes the words outside of memory: in transcripts, requests for turns,
// timelines, summaries of calls, chats and health answers.
func (o *forgetting) forgetWords(ctx context.Context, lines []memories.SpokenLine) error {
	db := o.cfg.Store
	var err error
	if o.out.Lines, err = db.ForgetSpokenLines(ctx, o.tx, lines); err != nil {
		return err
	}
	// Summaries and topics were made from a whole call: they are dropped with any of its
	// words.
	if !o.r.byIDs() {
		if err := db.ForgetHeard(ctx, o.tx, o.out.scope); err != nil {
			return err
		}
		calls, err := db.CallsIn(ctx, o.tx, o.out.scope)
		if err != nil {
			return err
		}
		if err := db.ForgetTopics(ctx, o.tx, o.out.scope, calls, lines); err != nil {
			return err
		}
		o.out.calls = memory.Unique(append(o.out.calls, calls...))
		answered, err := db.ForgetHealthWords(ctx, o.tx, o.out.scope)
		if err != nil {
			return err
		}
		o.out.Quotes, o.out.worded = len(answered), append(o.out.worded, answered...)
	} else if err := db.ForgetTopics(ctx, o.tx, o.out.scope, nil, lines); err != nil {
		return err
	}
	n, err := db.ForgetCallSummaries(ctx, o.tx, o.out.calls)
	if err != nil {
		return err
	}
	o.out.Summaries += n
	o.out.Episodes, err = db.ForgetChat(ctx, o.tx, o.out.scope, o.out.episodes)
	return err
}

// forgetDiscussions deletes the discussions that used what was forgotten: calls that lost
// words, and facts. For a topic, it also deletes those that mention it.
func (o *forgetting) forgetDiscussions(ctx context.Context) error {
	gone, err := o.cfg.Store.ForgetDiscussions(ctx, o.tx, discussions.Forgetting{
		Person: o.r.Person, All: o.r.All, Sources: append(o.out.worded, o.out.facts...),
		Topics: o.out.scope.Topics, Until: o.out.scope.Until, Config: o.out.scope.Config,
	})
	o.out.Discussions = len(gone)
	return err
}

// forgetRepairs deletes mails, and repair sessions as a whole, since the state of a session
// is based on everything said in it.
func (o *forgetting) forgetRepairs(ctx context.Context) error {
	f := o.out.scope
	sessions, mails, err := o.cfg.Store.ForgetRepairs(ctx, o.tx, repairs.Forgetting{
		Person: o.r.Person, Calls: o.out.worded, Topics: f.Topics, Since: f.Since, Until: f.Until, Config: f.Config,
	})
	for _, s := range sessions {
		o.out.ids = append(o.out.ids, memory.RepairID(s))
	}
	o.out.ids = append(o.out.ids, mails...)
	o.out.Repairs, o.out.Mails = len(sessions), len(mails)
	return err
}
