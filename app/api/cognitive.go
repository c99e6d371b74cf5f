package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/internal/r4"
	"github.com/naiber/naiber/personas/cognitive/fhir"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/cognition"
	"github.com/naiber/naiber/store/people"
)

func (a *api) cognitive(h huma.API) {
	op := under("cognitive checks", "/api/v1")
	list := op("list-cognitive-checks", http.MethodGet, "/people/{id}/cognitive-checks", "A person's cognitive checks, task by task, newest first", http.StatusOK)
	list.Description = "The next page, if there is one, is in the Link header as rel=\"next\"."
	route(a, h, list, about(a.find, a.listCognitiveChecks))
	handle(a, h, op("get-cognitive-check", http.MethodGet, "/calls/{id}/cognitive-check", "The cognitive check of one call", http.StatusOK), about(a.findCall, a.getCognitiveCheck))
	handle(a, h, op("correct-cognitive-task", http.MethodPost, "/calls/{id}/cognitive-check/tasks/{taskId}/correction", "Correct the score of a task",
		http.StatusOK, http.StatusConflict), about(a.findCall, a.correctCognitiveTask))
	route(a, h, exporting(op("export-cognitive-fhir", http.MethodGet, "/people/{id}/cognitive-checks/fhir",
		"A person's cognitive checks as a FHIR R4 Bundle of Observation", http.StatusOK), typeFHIR, huma.TypeObject), about(a.find, a.exportCognitiveFHIR))
}

type cognitiveCheck struct {
	CallID      string       `json:"callId"`
	Status      string       `json:"status" enum:"complete,partial,postponed,declined" doc:"partial: it was broken off, or a task is void. postponed: it was no good moment; declined: the person did not want it"`
	Language    string       `json:"language"`
	Form        string       `json:"form" doc:"The forms of its tasks together"`
	StartedAt   time.Time    `json:"startedAt"`
	EndedAt     time.Time    `json:"endedAt"`
	Confounders []confounder `json:"confounders" doc:"What may have disturbed it"`
	Tasks       []taskOut    `json:"tasks" doc:"In the order in which they were put"`
}

type confounder struct {
	Kind  string    `json:"kind" doc:"hearing, noise, illness, sleep, mood, medicine, company, interrupted; postponed: the quote says when it would suit"`
	Quote string    `json:"quote" doc:"The person's words; empty where they may not be kept"`
	At    time.Time `json:"at"`
}

type taskOut struct {
	TaskID     string         `json:"taskId" doc:"It names the measure too"`
	Version    string         `json:"version"`
	Title      string         `json:"title" doc:"What the task is called"`
	Form       string         `json:"form" doc:"Which of its alternate contents it was put in"`
	Status     string         `json:"status" enum:"complete,partial,void,refused,not_reached"`
	Why        string         `json:"why,omitempty" doc:"Of what is void: interrupted, line_dropped, prompted, noise, not_heard"`
	Raw        *int           `json:"raw" doc:"The score by rules; null where there is none"`
	Max        int            `json:"max" doc:"The highest score; 0 where it is open ended"`
	Seconds    *float64       `json:"seconds,omitempty" doc:"From the items' ends to the answers' ends, added up"`
	At         *time.Time     `json:"at,omitempty" doc:"Absent where it was never put"`
	Confidence float64        `json:"confidence" minimum:"0" maximum:"1"`
	Evidence   []evidence     `json:"evidence" doc:"What the score rests on, in order"`
	Correction *correctionOut `json:"correction,omitempty" doc:"The last score that a human gave; it counts in place of raw"`
}

type evidence struct {
	Item   string `json:"item" doc:"What it answers"`
	Quote  string `json:"quote" doc:"The person's words; empty where they may not be kept"`
	Counts bool   `json:"counts" doc:"Whether it gave a point"`
	Why    string `json:"why,omitempty" doc:"variant, repeated, intrusion, wrong, late, talk, corrected"`
}

type correctionOut struct {
	Raw  int       `json:"raw" doc:"The score"`
	By   string    `json:"by" doc:"Who corrected it"`
	Note string    `json:"note,omitempty" doc:"Why"`
	At   time.Time `json:"at"`
}

// CognitiveShapes returns cognitive checks as the API describes them.
func CognitiveShapes(list []cognition.Check) any { return each(list, cognitiveOut) }

func cognitiveOut(c cognition.Check) cognitiveCheck {
	return cognitiveCheck{
		CallID: c.CallID.String(), Status: string(c.Status), Language: c.Language, Form: c.Form, StartedAt: c.StartedAt.UTC(), EndedAt: c.EndedAt.UTC(),
		Confounders: each(c.Confounders, func(f cognition.Confounder) confounder { return confounder{f.Kind, f.Quote, f.At.UTC()} }),
		Tasks:       each(c.Tasks, cognitiveTask),
	}
}

func cognitiveTask(t cognition.Task) taskOut {
	out := taskOut{
		TaskID: t.TaskID, Version: t.Version, Title: t.Title, Form: t.Form, Status: string(t.Status), Why: t.Why,
		Raw: t.Raw, Max: t.Max, Seconds: t.Seconds, Confidence: t.Confidence,
		Evidence: each(t.Evidence, func(e cognition.Evidence) evidence { return evidence(e) }),
	}
	if !t.At.IsZero() {
		out.At = utc(&t.At)
	}
	if c := t.Correction; c != nil {
		out.Correction = &correctionOut{c.Raw, c.By, c.Note, c.At.UTC()}
	}
	return out
}

type cognitiveChecksOut struct {
	Link string `header:"Link" doc:"The next page as rel=\"next\"; absent on the last one"`
	Body []cognitiveCheck
}

func (a *api) listCognitiveChecks(ctx context.Context, p people.Person, in *healthChecksQuery) (*cognitiveChecksOut, error) {
	q := cognition.Query{Limit: in.Limit + 1}
	at, id, err := readCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		q.Before = &cognition.Cursor{At: at, CallID: store.CallID{UUID: id}}
	}
	kept, err := a.Store.CognitiveChecks(ctx, p.ID, q)
	if err != nil {
		return nil, err
	}
	out := &cognitiveChecksOut{}
	if len(kept) > in.Limit {
		kept = kept[:in.Limit]
		last := kept[in.Limit-1]
		next := url.Values{"limit": {strconv.Itoa(in.Limit)}, "cursor": {cursor(last.StartedAt, last.CallID.UUID)}}
		out.Link = fmt.Sprintf(`</api/v1/people/%s/cognitive-checks?%s>; rel="next"`, p.ID, next.Encode())
	}
	out.Body = each(kept, cognitiveOut)
	return out, nil
}

func (a *api) getCognitiveCheck(ctx context.Context, c calls.Call, _ *CallPath) (cognitiveCheck, error) {
	kept, err := a.Store.CognitiveCheckOfCall(ctx, c.ID)
	if errors.Is(err, store.ErrNotFound) {
		err = huma.Error404NotFound("This call has no cognitive check.")
	}
	return cognitiveOut(kept), err
}

func (a *api) exportCognitiveFHIR(ctx context.Context, p people.Person, in *exportQuery) (*file, error) {
	list, err := a.Store.CognitiveChecks(ctx, p.ID, cognition.Query{Limit: cognition.Lifetime, Since: in.Since})
	if err != nil {
		return nil, err
	}
	list = each(list, func(c cognition.Check) cognition.Check { return c.In(p.Location()) })
	body, err := json.Marshal(fhir.NewBundle(list, time.Now().In(p.Location()), r4.Options{Base: a.PublicURL}))
	if err != nil {
		return nil, fmt.Errorf("write cognitive checks as FHIR: %w", err)
	}
	return &file{ContentType: typeFHIR, Disposition: filename("cognitive-checks", p, "fhir.json"), Body: body}, nil
}

type correctionIn struct {
	CallPath

	TaskID string `path:"taskId" maxLength:"100" doc:"The task"`
	Body   struct {
		Raw  int    `json:"raw" minimum:"0" maximum:"1000" doc:"The score, no more than the task's max"`
		By   string `json:"by" minLength:"1" maxLength:"200" doc:"Who corrects it"`
		Note string `json:"note,omitempty" maxLength:"2000" doc:"Why"`
	}
}

func (a *api) correctCognitiveTask(ctx context.Context, c calls.Call, in *correctionIn) (taskOut, error) {
	by := strings.TrimSpace(in.Body.By)
	if by == "" {
		return taskOut{}, invalid("body.by", "must not be blank")
	}
	err := a.Store.CorrectCognitiveTask(ctx, c.ID, in.TaskID, cognition.Correction{Raw: in.Body.Raw, By: by, Note: strings.TrimSpace(in.Body.Note)})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return taskOut{}, huma.Error404NotFound("This call has no such task.")
	case errors.Is(err, store.ErrConflict):
		return taskOut{}, huma.Error409Conflict("This is no score that the task can have, or it has none to correct.")
	case err != nil:
		return taskOut{}, err
	}
	kept, err := a.Store.CognitiveCheckOfCall(ctx, c.ID)
	for _, t := range kept.Tasks {
		if t.TaskID == in.TaskID {
			return cognitiveTask(t), err
		}
	}
	return taskOut{}, err
}
