package chat

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
)

const (
	// answerWithin bounds a request that only asks our own database, a folder or a
	// list of the model server.
	answerWithin = 10 * time.Second
	// maxBody bounds a request's body: a long letter, escaped.
	maxBody = 256 << 10
)

// roots are the addresses that the channel takes.
var roots = []string{"/chat", "/sessions", "/episodes", "/projects", "/summaries", "/settings", "/models", "/health"}

// Mount adds the channel's routes to r, all behind door, and describes them in
// doc: the process has one description of its API. A nil doc describes them
// nowhere.
func (s *Server) Mount(r chi.Router, doc *huma.OpenAPI, door func(http.Handler) http.Handler) {
	if doc == nil {
		doc = huma.DefaultConfig("nAIber", "").OpenAPI
	}
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: decode}
	locked := chi.NewRouter()
	locked.Use(private, door, s.limits.limit, legible)
	h := humachi.New(locked, huma.Config{
		OpenAPI: doc, Formats: map[string]huma.Format{"application/json": format, "json": format}, DefaultFormat: "application/json",
		RejectUnknownQueryParameters: true,
	})
	h.UseMiddleware(bounded)
	s.chatRoutes(h)
	s.sessionRoutes(h)
	s.episodeRoutes(h)
	s.projectRoutes(h)
	s.summaryRoutes(h)
	s.settingsRoutes(h)
	s.modelRoutes(h)
	s.healthRoutes(h)
	locked.NotFound(func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, http.StatusNotFound, "There is nothing at this address.")
	})
	locked.MethodNotAllowed(wrongMethod(locked))
	for _, root := range roots {
		r.Handle(root, locked)
		r.Handle(root+"/*", locked)
	}
}

// bounded gives each request its time, but for those that wait for a model,
// which has deadlines of its own.
func bounded(c huma.Context, next func(huma.Context)) {
	if c.Operation().Metadata["model"] != nil {
		next(c)
		return
	}
	ctx, cancel := context.WithTimeout(c.Context(), answerWithin)
	defer cancel()
	next(huma.WithContext(c, ctx))
}

// operation describes a route.
func operation(tag, id, method, path, summary string, success int) huma.Operation {
	op := huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{tag}, Summary: summary, DefaultStatus: success,
		Errors: []int{http.StatusUnauthorized, http.StatusTooManyRequests}, MaxBodyBytes: maxBody,
	}
	if strings.Contains(path, "{id}") {
		op.Errors = append(op.Errors, http.StatusNotFound)
	}
	return op
}

// asksModel marks an operation that waits for a model.
func asksModel(op huma.Operation) huma.Operation {
	op.Metadata = map[string]any{"model": true}
	op.Errors = append(op.Errors, http.StatusBadGateway, http.StatusGatewayTimeout)
	return op
}

// wrongMethod says which methods there are for an address.
func wrongMethod(routes chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
			if routes.Match(chi.NewRouteContext(), m, r.URL.Path) {
				allowed = append(allowed, m)
			}
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, http.StatusMethodNotAllowed, "This address takes "+strings.Join(allowed, ", ")+".")
	}
}

// private keeps what people wrote out of every cache.
func private(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// legible refuses requests whose address is not text: the database keeps no NUL
// character and no broken UTF-8.
func legible(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		texts := []string{r.URL.Path}
		for _, values := range r.URL.Query() {
			texts = append(texts, values...)
		}
		for _, s := range texts {
			if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
				writeProblem(w, http.StatusBadRequest, "The address is not text in UTF-8.")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

var errNUL = errors.New("a NUL character is not text")

// decode reads JSON that holds no NUL character. Broken UTF-8 is replaced by the
// decoder itself.
func decode(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	if loose, ok := v.(*any); ok && holdsNUL(*loose) {
		return errNUL
	}
	return nil
}

func holdsNUL(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.ContainsRune(v, 0)
	case []any:
		return slices.ContainsFunc(v, holdsNUL)
	case map[string]any:
		for name, item := range v {
			if strings.ContainsRune(name, 0) || holdsNUL(item) {
				return true
			}
		}
	}
	return false
}

// one is an answer with a body.
type one[T any] struct{ Body T }

func answer[T any](body T) *one[T] { return &one[T]{Body: body} }

// page is a part of a list; the next part begins after NextCursor.
type page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor,omitempty" doc:"cursor of the next page; absent on the last one"`
}

// paged makes a page of at most limit of the rows; more rows than that mean that
// there is a next one.
func paged[R, T any](rows []R, limit int, cursor func(R) string, to func(R) T) *one[page[T]] {
	out := page[T]{Items: make([]T, 0, min(len(rows), limit))}
	if len(rows) > limit {
		rows = rows[:limit]
		out.NextCursor = cursor(rows[limit-1])
	}
	for _, r := range rows {
		out.Items = append(out.Items, to(r))
	}
	return answer(out)
}
