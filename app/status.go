package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/naiber/naiber/app/api"
	"github.com/naiber/naiber/telephony/elevenlabs"
)

// Services returns the services that nAIber depends on, each with a check.
func (a *App) Services() []api.Service {
	services := []api.Service{
		{Name: "postgres", Check: func(ctx context.Context) (string, error) { return "", a.store.Ping(ctx) }},
		{Name: "twilio", Check: a.askTwilio},
		{Name: "elevenlabs", Check: func(ctx context.Context) (string, error) {
			_, err := a.eleven.SignedURL(ctx, elevenlabs.AgentID(a.cfg.ElevenLabs.AgentID))
			return "", err
		}},
		{Name: "model", Check: func(ctx context.Context) (string, error) {
			_, err := a.model.Models(ctx)
			return "", err
		}},
		{Name: "embeddings", Check: func(ctx context.Context) (string, error) {
			_, err := a.model.Embed(ctx, []string{"hello"})
			return "", err
		}},
		{Name: "jobs", Check: a.askJobs},
		{Name: "memory", Check: a.askMemory},
	}
	if a.cfg.Qdrant.URL != "" {
		services = slices.Insert(services, 1, api.Service{
			Name: "qdrant", Check: func(ctx context.Context) (string, error) { return "", a.vectors.Ping(ctx) },
		})
	}
	if a.cfg.Calls.MonthlyCost > 0 {
		services = append(services, api.Service{Name: "costs", Check: a.askCosts})
	}
	if a.mails != nil {
		services = append(services, api.Service{Name: "mail", Check: a.askMail})
	}
	if !a.cfg.Redis.URL.Empty() {
		services = slices.Insert(services, 1, api.Service{
			Name: "redis", Check: func(ctx context.Context) (string, error) { return "", a.checkpoints.Ping(ctx) },
		})
	}
	return services
}

// askCosts returns about how much this month's calls have cost so far.
func (a *App) askCosts(ctx context.Context) (string, error) {
	c := a.cfg.Calls
	minutes, err := a.store.CallMinutes(ctx, time.Now(), int(c.TimeLimit/time.Minute))
	return fmt.Sprintf("about %.2f of %.2f this month", float64(minutes)*c.CostPerMinute, c.MonthlyCost), err
}

func (a *App) askTwilio(ctx context.Context) (string, error) {
	account, err := a.twilio.Account(ctx)
	if err != nil {
		return "", err
	}
	if !account.Active() {
		return "", errors.New("the account is not active")
	}
	return "", nil
}

func (a *App) askJobs(ctx context.Context) (string, error) {
	st, err := a.jobs.Stats(ctx)
	if err != nil {
		return "", err
	}
	stuck, err := a.jobs.Stuck(ctx, time.Now().Add(-a.cfg.Watch.QueueAfter))
	if err != nil {
		return "", err
	}
	if len(stuck) > 0 {
		return "", errors.New("jobs wait and nobody works on them")
	}
	return gaveUp(st.Counts["post_call"]["discarded"]), nil
}

func gaveUp(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n) + " gave up; see `naiber jobs list --state discarded`"
}

// Degraded returns what is degraded, or was in the last minutes, besides the
// services that do not answer.
func (a *App) Degraded() []string {
	out := a.lately.degraded()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if st, err := a.jobs.Stats(ctx); err == nil {
		if st.Counts["post_call"]["discarded"] > 0 {
			out = append(out, "post-call work gave up")
		}
		if len(st.Paused) > 0 {
			out = append(out, "queues are paused")
		}
	}
	return out
}
