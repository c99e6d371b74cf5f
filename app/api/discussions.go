package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/naiber/naiber/personas/council"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/discussions"
	"github.com/naiber/naiber/telephony"
)

// Discussion is a discussion in a list. It is exported because the description of the API skips
// embedded types that are not.
type Discussion struct {
	ID        string    `json:"id"`
	UserID    string    `json:"userId"`
	Question  string    `json:"question,omitempty"`
	AskedBy   string    `json:"askedBy"`
	Status    string    `json:"status" enum:"running,waiting,complete,stopped,failed" doc:"waiting: for what carers answer; failed: the round can be asked for again"`
	LastSeq   int64     `json:"lastSeq" doc:"Number of the last event"`
	StartedAt time.Time `json:"startedAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

type discussionFull struct {
	Discussion
	council.Shown
}

type startDiscussionIn struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200"`
	Body           struct {
		UserID   string `json:"userId" doc:"Who is discussed"`
		Question string `json:"question,omitempty" maxLength:"1000" doc:"What a carer wants to know; else what is on record is looked through"`
		By       string `json:"by,omitempty" maxLength:"200" doc:"Who asks; it is on the audit"`
		Rounds   int    `json:"rounds,omitempty" minimum:"1" maximum:"5" default:"2" doc:"At most so many; a discussion that is at its end has fewer"`
	}
}

// asker returns the name in by, or "api" if it is blank.
func asker(by string) string { return cmp.Or(strings.TrimSpace(by), "api") }

type startedOut struct {
	DiscussionID string `json:"discussionId"`
	Status       string `json:"status"`
}

// DiscussionPath names a discussion.
type DiscussionPath struct {
	ID string `path:"id" doc:"discussionId"`
}

func (p DiscussionPath) named() string { return p.ID }

func (a *api) discussions(r chi.Router, h huma.API) {
	if a.Council == nil {
		return
	}
	op := under("council", "/api/v1/discussions")
	handle(a, h, op("start-discussion", http.MethodPost, "", "Have the care council discuss a person", http.StatusAccepted, http.StatusNotFound), a.startDiscussion)
	handle(a, h, op("list-discussions", http.MethodGet, "", "Discussions, newest first", http.StatusOK), a.listDiscussions)
	handle(a, h, op("get-discussion", http.MethodGet, "/{id}", "A discussion with its rounds, and what it proposes", http.StatusOK), about(a.findDiscussion, a.getDiscussion))
	handle(a, h, op("add-round", http.MethodPost, "/{id}/rounds", "One more round, with what a carer asks or answers", http.StatusAccepted, http.StatusConflict), about(a.findDiscussion, a.addRound))
	handleEmpty(a, h, op("stop-discussion", http.MethodPost, "/{id}/stop", "End a discussion", http.StatusNoContent), about(a.findDiscussion, a.stopDiscussion))
	for verb, confirm := range map[string]bool{"confirm": true, "dismiss": false} {
		summary := map[bool]string{true: "Confirm an action: it becomes what it says", false: "Dismiss an action"}[confirm]
		handle(a, h, op(verb+"-action", http.MethodPost, "/{id}/actions/{actionId}/"+verb, summary, http.StatusOK, http.StatusConflict), about(a.findDiscussion, a.decide(confirm)))
	}
	a.streams(r, h)
}

// findDiscussion returns the discussion with an id, or [store.ErrNotFound].
func (a *api) findDiscussion(ctx context.Context, id string) (discussions.Discussion, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return discussions.Discussion{}, store.ErrNotFound
	}
	return a.Store.Discussion(ctx, parsed)
}

func (a *api) startDiscussion(ctx context.Context, in *startDiscussionIn) (startedOut, error) {
	person, err := store.ParsePersonID(in.Body.UserID)
	if err != nil || !person.Known() {
		return startedOut{}, telephony.ErrUnknownPerson
	}
	d, err := a.Council.Start(ctx, council.Wish{
		PersonID: person, Question: strings.TrimSpace(in.Body.Question), Rounds: in.Body.Rounds, By: asker(in.Body.By), Key: in.IdempotencyKey,
	})
	if errors.Is(err, store.ErrNotFound) {
		err = telephony.ErrUnknownPerson
	}
	return startedOut{d.DiscussionID.String(), d.Status}, err
}

type discussionsQuery struct {
	UserID string `query:"userId"`
	Status string `query:"status" enum:"running,waiting,complete,stopped,failed"`
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listDiscussions(ctx context.Context, in *discussionsQuery) (out page[Discussion], err error) {
	f := discussions.Filter{Status: in.Status, Limit: in.Limit + 1}
	if in.UserID != "" {
		if f.PersonID, err = store.ParsePersonID(in.UserID); err != nil || !f.PersonID.Known() {
			return out, invalid("query.userId", "is not an id")
		}
	}
	if f.Before, err = readIDCursor(in.Cursor); err != nil {
		return out, err
	}
	list, err := a.Store.Discussions(ctx, f)
	return paged(list, in.Limit, func(d discussions.Discussion) string { return d.DiscussionID.String() }, discussionBody), err
}

func discussionBody(d discussions.Discussion) Discussion {
	return Discussion{
		ID: d.DiscussionID.String(), UserID: d.PersonID.String(), Question: d.Question, AskedBy: d.AskedBy, Status: d.Status,
		LastSeq: d.LastSeq, StartedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(),
	}
}

func (a *api) getDiscussion(ctx context.Context, d discussions.Discussion, _ *DiscussionPath) (discussionFull, error) {
	d, shown, err := a.Council.Show(ctx, d.DiscussionID)
	return discussionFull{discussionBody(d), shown}, err
}

type addRoundIn struct {
	DiscussionPath

	Body struct {
		Question string `json:"question,omitempty" maxLength:"1000"`
		By       string `json:"by,omitempty" maxLength:"200" doc:"Who asks; it is on the audit"`
	}
}

type roundOut struct {
	Round int `json:"round"`
}

func (a *api) addRound(ctx context.Context, d discussions.Discussion, in *addRoundIn) (roundOut, error) {
	round, err := a.Council.Prolong(ctx, d.DiscussionID, strings.TrimSpace(in.Body.Question), asker(in.Body.By))
	return roundOut{round}, err
}

type stopIn struct {
	DiscussionPath

	Body *struct {
		By string `json:"by,omitempty" maxLength:"200" doc:"Who stops it; it is on the audit"`
	}
}

func (a *api) stopDiscussion(ctx context.Context, d discussions.Discussion, in *stopIn) (none, error) {
	by := ""
	if in.Body != nil {
		by = in.Body.By
	}
	return none{}, a.Council.Stop(ctx, d.DiscussionID, asker(by))
}

type decideIn struct {
	DiscussionPath

	ActionID string `path:"actionId"`
	Body     struct {
		By   string `json:"by" minLength:"1" maxLength:"200" doc:"Who decides"`
		Note string `json:"note,omitempty" maxLength:"1000"`
	}
}

// decide returns the handler that confirms an action, or dismisses it if confirm is false.
func (a *api) decide(confirm bool) func(context.Context, discussions.Discussion, *decideIn) (council.ActionShown, error) {
	return func(ctx context.Context, d discussions.Discussion, in *decideIn) (council.ActionShown, error) {
		action, err := uuid.Parse(in.ActionID)
		if err != nil {
			return council.ActionShown{}, store.ErrNotFound
		}
		by := strings.TrimSpace(in.Body.By)
		if by == "" {
			return council.ActionShown{}, invalid("body.by", "say who decides")
		}
		decided, err := a.Council.Decide(ctx, d.DiscussionID, action, council.Decision{Confirm: confirm, By: by, Note: strings.TrimSpace(in.Body.Note)})
		return council.ActionOf(decided), err
	}
}
