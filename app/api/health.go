package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/personas/health/report"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/checks"
	"github.com/naiber/naiber/store/people"
)

// trendsSince is the length of a trend if the request names none.
const trendsSince = 365 * 24 * time.Hour

func (a *api) health(h huma.API) {
	op := func(id, path, summary string) huma.Operation {
		return operation("health checks", id, http.MethodGet, path, summary, http.StatusOK)
	}
	list := op("list-health-checks", "/api/v1/people/{id}/health-checks", "A person's health checks with answers and scores, newest first")
	list.Description = "The first one may still be under way. The next page, if there is one, is in the Link header as rel=\"next\"."
	route(a, h, list, about(a.find, a.listHealthChecks))
	trends := op("trends", "/api/v1/people/{id}/trends", "How each question was answered over time, alongside what is usual for this person")
	trends.Description = "A change is a change from this person's own usual, with how sure it is. It is never a diagnosis."
	handle(a, h, trends, about(a.find, a.trends))
	handle(a, h, op("get-health-check", "/api/v1/calls/{id}/health-check", "The health check of one call"), about(a.findCall, a.getHealthCheck))
	a.healthExports(h)
}

type healthChecksQuery struct {
	PersonPath

	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"20"`
	Cursor string `query:"cursor" doc:"From the Link header of the page before"`
}

type healthChecksOut struct {
	Link string `header:"Link" doc:"The next page as rel=\"next\"; absent on the last one"`
	Body []report.HealthCheck
}

func (a *api) listHealthChecks(ctx context.Context, p people.Person, in *healthChecksQuery) (*healthChecksOut, error) {
	q := checks.Query{Limit: in.Limit + 1}
	at, id, err := readCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		q.Before = &checks.Cursor{At: at, CallID: store.CallID{UUID: id}}
	}
	kept, err := a.Store.HealthChecks(ctx, p.ID, q)
	if err != nil {
		return nil, err
	}
	if running, is := a.running(ctx, p.ID); is && q.Before == nil && (len(kept) == 0 || kept[0].CallID != running.CallID) {
		kept = append([]checks.Check{running}, kept...)
	}
	out := &healthChecksOut{}
	if len(kept) > in.Limit {
		kept = kept[:in.Limit]
		last := kept[in.Limit-1].Cursor()
		next := url.Values{"limit": {strconv.Itoa(in.Limit)}, "cursor": {cursor(last.At, last.CallID.UUID)}}
		out.Link = fmt.Sprintf(`</api/v1/people/%s/health-checks?%s>; rel="next"`, p.ID, next.Encode())
	}
	catalogue := a.catalogue(p)
	out.Body = each(kept, func(hc checks.Check) report.HealthCheck { return report.Check(hc, catalogue) })
	return out, nil
}

// running returns the person's check in progress and whether there is one. An error is only
// logged, so that the other checks are shown all the same.
func (a *api) running(ctx context.Context, id store.PersonID) (checks.Check, bool) {
	if a.RunningCheck == nil {
		return checks.Check{}, false
	}
	hc, is, err := a.RunningCheck(ctx, id)
	if err != nil {
		a.Log.WarnContext(ctx, "health check that is under way not shown", "person_id", id, "err", err)
		return checks.Check{}, false
	}
	return hc, is
}

func (a *api) getHealthCheck(ctx context.Context, c calls.Call, _ *CallPath) (out report.HealthCheck, err error) {
	var p people.Person
	if c.PersonID.Known() {
		if p, err = a.find(ctx, c.PersonID.String()); err != nil {
			return out, err
		}
	}
	hc, err := a.Store.HealthCheckOfCall(ctx, c.ID)
	if errors.Is(err, store.ErrNotFound) {
		if running, is := a.running(ctx, c.PersonID); is && running.CallID == c.ID {
			return report.Check(running, a.catalogue(p)), nil
		}
		return out, huma.Error404NotFound("This call has no health check.")
	}
	if err != nil {
		return out, err
	}
	return report.Check(hc, a.catalogue(p)), nil
}

type trendsQuery struct {
	PersonPath

	Since time.Time `query:"since" doc:"Which answers are shown; a year's where nobody says. What is usual does not depend on it"`
}

func (a *api) trends(ctx context.Context, p people.Person, in *trendsQuery) (items[report.Trend], error) {
	now := time.Now()
	of := report.Of{Name: p.CallName(), Catalogue: a.catalogue(p), Since: in.Since, Now: now}
	if of.Since.IsZero() {
		of.Since = now.Add(-trendsSince)
	}
	from := now.Add(-report.Window)
	if of.Since.Before(from) {
		from = of.Since
	}
	points, err := a.Store.HealthHistory(ctx, p.ID, from)
	return items[report.Trend]{Items: report.Trends(points, of)}, err
}

// catalogue returns the questions in the person's language.
func (a *api) catalogue(p people.Person) report.Catalogue {
	return report.Catalogue{Packs: a.Packs, Language: p.Language}
}
