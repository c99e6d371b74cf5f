package chat

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/naiber/naiber/store/survive"
)

// serviceWait is how long each service has to answer.
const serviceWait = 3 * time.Second

type chatHealth struct {
	Status   string   `json:"status" enum:"ok"`
	Services []string `json:"services" doc:"What the channel depends on; GET /health/services asks after each"`
}

type chatService struct {
	Name      string `json:"name"`
	Status    string `json:"status" enum:"ok,down"`
	LatencyMS int64  `json:"latencyMs"`
	Detail    string `json:"detail,omitempty"`
}

func (s *Server) healthRoutes(h huma.API) {
	huma.Register(h, operation("health", "get-health", http.MethodGet, "/health", "That the channel is there", http.StatusOK),
		func(context.Context, *struct{}) (*one[chatHealth], error) {
			out := chatHealth{Status: "ok", Services: make([]string, len(s.cfg.Services))}
			for i, service := range s.cfg.Services {
				out.Services[i] = service.Name
			}
			return answer(out), nil
		})
	op := operation("health", "get-service-health", http.MethodGet, "/health/services", "How each service stands", http.StatusOK)
	op.Description = "All are asked at once and have three seconds each. A service that is down does not make this a failure."
	huma.Register(h, op, func(ctx context.Context, _ *struct{}) (*one[[]chatService], error) {
		return answer(s.askServices(ctx)), nil
	})
}

func (s *Server) askServices(ctx context.Context) []chatService {
	out := make([]chatService, len(s.cfg.Services))
	var wg sync.WaitGroup
	for i, service := range s.cfg.Services {
		wg.Go(func() { out[i] = s.askService(ctx, service) })
	}
	wg.Wait()
	return out
}

// askService asks after one. What is wrong with it goes to the log: an error may
// name addresses.
func (s *Server) askService(ctx context.Context, service Service) chatService {
	ctx, cancel := context.WithTimeout(ctx, serviceWait)
	defer cancel()
	began := time.Now()
	out := chatService{Name: service.Name, Status: "ok"}
	err := survive.Try(s.log, "service_check", func() (err error) {
		out.Detail, err = service.Check(ctx)
		return err
	})
	out.LatencyMS = time.Since(began).Milliseconds()
	if err != nil {
		s.log.WarnContext(ctx, "service does not answer", "service", service.Name, "err", err)
		out.Status, out.Detail = "down", "does not answer"
	}
	return out
}
