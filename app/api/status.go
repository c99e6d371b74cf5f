package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

const (
	// statusTimeout bounds each question of a status check.
	statusTimeout = 3 * time.Second
	// statusKept is how long an answer is good for. Everybody may ask, and each
	// time others would be asked in our name.
	statusKept = 2 * time.Second
)

// Service is one thing that nAIber depends on, and how to ask after it. Check
// returns a short word on how it stands, which may be empty.
type Service struct {
	Name  string
	Check func(ctx context.Context) (detail string, err error)
}

// Statuses says how the process stands.
type Statuses interface {
	Services() []Service
	Degraded() []string // what is served in a lesser way right now
}

type serviceOut struct {
	Name      string  `json:"name"`
	Status    string  `json:"status" enum:"ok,down"`
	LatencyMS float64 `json:"latencyMs"`
	Detail    string  `json:"detail,omitempty"`
}

type statusOut struct {
	Status   string       `json:"status" enum:"ok,degraded"`
	Version  string       `json:"version"`
	Services []serviceOut `json:"services,omitempty" doc:"With the bearer or a session only"`
	Degraded *[]string    `json:"degraded,omitempty" doc:"With the bearer or a session only"`
}

func (a *api) status(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "status", Method: http.MethodGet, Path: "/status", Tags: []string{"operation"},
		Summary: "How nAIber and what it depends on stand", Security: []map[string][]string{},
		Middlewares: huma.Middlewares{func(c huma.Context, next func(huma.Context)) {
			r, _ := humachi.Unwrap(c)
			next(huma.WithValue(c, knownKey{}, a.Known(r)))
		}},
	}, func(ctx context.Context, _ *struct{}) (*one[statusOut], error) {
		out := a.standing.get(ctx, a.ask)
		if known, _ := ctx.Value(knownKey{}).(bool); !known {
			out.Services, out.Degraded = nil, nil
		}
		return answer(out), nil
	})
}

// knownKey is where a request's context says whether its sender may read details.
type knownKey struct{}

// standing is the last answer. Those who ask meanwhile wait for it.
type standing struct {
	mu   sync.Mutex // guards what follows, and is held while others are asked
	at   time.Time
	last statusOut
}

// get returns the last answer, or asks where that is too old. Whoever gives up
// spoils it for nobody: the questions are bounded by themselves.
func (s *standing) get(ctx context.Context, ask func(context.Context) statusOut) statusOut {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at.IsZero() || time.Since(s.at) > statusKept {
		s.last, s.at = ask(context.WithoutCancel(ctx)), time.Now()
	}
	return s.last
}

func (a *api) ask(ctx context.Context) statusOut {
	services := a.Statuses.Services()
	out := statusOut{Status: "ok", Version: a.Version, Services: make([]serviceOut, len(services))}
	degraded := append([]string{}, a.Statuses.Degraded()...)
	var wg sync.WaitGroup
	for i, s := range services {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, statusTimeout)
			defer cancel()
			began := time.Now()
			detail, err := s.Check(ctx)
			out.Services[i] = serviceOut{Name: s.Name, Status: "ok", LatencyMS: float64(time.Since(began).Microseconds()) / 1000, Detail: detail}
			if err != nil {
				// The reason stays in the log: this page is open to everybody.
				a.Log.WarnContext(ctx, "service does not answer", "service", s.Name, "err", err)
				out.Services[i].Status, out.Services[i].Detail = "down", "does not answer as it should"
			}
		})
	}
	wg.Wait()
	for _, s := range out.Services {
		if s.Status != "ok" {
			degraded = append(degraded, s.Name)
		}
	}
	if len(degraded) > 0 {
		out.Status = "degraded"
	}
	out.Degraded = &degraded
	return out
}
