package api

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/naiber/naiber/store/survive"
)

const (
	// statusTimeout bounds the check of each service.
	statusTimeout = 3 * time.Second
	// statusKept is how long an answer is reused. Everybody may ask, and each check sends
	// requests in our name.
	statusKept = 2 * time.Second
)

// Service is something that nAIber depends on. Check returns a short word on its state, which may
// be empty.
type Service struct {
	Name  string
	Check func(ctx context.Context) (detail string, err error)
}

// Statuses reports the state of the process.
type Statuses interface {
	Services() []Service
	Degraded() []string // what is degraded right now
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
	}, func(ctx context.Context, _ *none) (*one[statusOut], error) {
		out := a.standing.get(ctx, a.ask)
		if known, _ := ctx.Value(knownKey{}).(bool); !known {
			out.Services, out.Degraded = nil, nil
		}
		return &one[statusOut]{out}, nil
	})
}

// knownKey is the context key for whether the sender of a request may read details.
type knownKey struct{}

// standing caches the last answer. Requests during a check wait for it.
type standing struct {
	mu   sync.Mutex // guards what follows; held while services are checked
	at   time.Time
	last statusOut
}

// get returns the last answer, or calls ask if that is too old. A client that gives up does not
// cancel the check for the others: its time is bounded anyway.
func (s *standing) get(ctx context.Context, ask func(context.Context) statusOut) statusOut {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at.IsZero() || time.Since(s.at) > statusKept {
		s.last, s.at = ask(context.WithoutCancel(ctx)), time.Now()
	}
	return s.last
}

func (a *api) ask(ctx context.Context) statusOut {
	out := statusOut{Status: "ok", Version: a.Version, Services: []serviceOut{}}
	degraded := append([]string{}, a.Statuses.Degraded()...)
	for _, s := range a.probe(ctx, a.Statuses.Services()) {
		o := serviceOut{Name: s.name, Status: "ok", LatencyMS: float64(s.took.Microseconds()) / 1000, Detail: s.detail}
		if s.err != nil {
			o.Status, o.Detail = "down", "does not answer as it should"
			degraded = append(degraded, s.name)
		}
		out.Services = append(out.Services, o)
	}
	if len(degraded) > 0 {
		out.Status = "degraded"
	}
	out.Degraded = &degraded
	return out
}

// probed is the state of a service.
type probed struct {
	name, detail string
	took         time.Duration
	err          error
}

// probe checks all services at once. Errors are logged, since they may name addresses.
func (a *api) probe(ctx context.Context, services []Service) []probed {
	out := make([]probed, len(services))
	var wg sync.WaitGroup
	for i, s := range services {
		wg.Go(func() {
			began := time.Now()
			ctx, cancel := context.WithTimeout(ctx, statusTimeout)
			defer cancel()
			p := probed{name: s.Name}
			p.err = survive.Try(a.Log, "service_check", func() (err error) {
				p.detail, err = s.Check(ctx)
				return err
			})
			p.took = time.Since(began)
			if p.err != nil {
				a.Log.WarnContext(ctx, "service does not answer", "service", s.Name, "err", p.err)
			}
			out[i] = p
		})
	}
	wg.Wait()
	return out
}

// chatServices are the services that the text channel depends on.
var chatServices = []string{"postgres", "model", "embeddings", "memory", "qdrant"}

type chatHealth struct {
	Status    string    `json:"status" enum:"ok"`
	Timestamp time.Time `json:"timestamp" doc:"Now"`
	Services  []string  `json:"services" doc:"What the channel depends on; GET /health/services asks after each"`
}

type chatService struct {
	Name      string `json:"name"`
	Status    string `json:"status" enum:"ok,down"`
	LatencyMS int64  `json:"latencyMs"`
	Detail    string `json:"detail,omitempty"`
}

func (a *api) chatHealth(h huma.API) {
	services := func() []Service {
		return slices.DeleteFunc(slices.Clone(a.Statuses.Services()), func(s Service) bool { return !slices.Contains(chatServices, s.Name) })
	}
	describe := underChat("health", "/health")
	handle(a, h, describe("get-health", http.MethodGet, "", "That the channel is there", http.StatusOK),
		func(context.Context, *none) (chatHealth, error) {
			return chatHealth{Status: "ok", Timestamp: time.Now().UTC(), Services: each(services(), func(s Service) string { return s.Name })}, nil
		})
	op := describe("get-service-health", http.MethodGet, "/services", "How each service stands", http.StatusOK)
	op.Description = "All are asked at once and have three seconds each. A service that is down does not make this a failure."
	handle(a, h, op, func(ctx context.Context, _ *none) ([]chatService, error) {
		return each(a.probe(ctx, services()), func(s probed) chatService {
			if s.err != nil {
				return chatService{Name: s.name, Status: "down", LatencyMS: s.took.Milliseconds(), Detail: "does not answer"}
			}
			return chatService{Name: s.name, Status: "ok", LatencyMS: s.took.Milliseconds(), Detail: s.detail}
		}), nil
	})
}
