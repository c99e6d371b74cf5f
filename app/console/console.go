// Package console serves the web console. In it, users place a call, follow it as it happens,
// read a person's health checks, ask the appliance helper and, in the sandbox, answer as the
// elder. It is plain HTML, CSS and JavaScript modules, embedded in the binary, and uses the REST
// API with the session that its guard issues.
package console

import (
	"context"
	"embed"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/store/calls"
)

//go:embed static
var files embed.FS

// Config is the data of the page.
type Config struct {
	Sandbox bool
	Version string
	// CallTypes are the types of call that can be placed; empty: general only.
	CallTypes []calls.CallType
	// CatalogueHost reports whether the catalogue of parts links to a host. Pictures and videos
	// are shown from such hosts only; nil: none are shown.
	CatalogueHost func(ctx context.Context, host string) (bool, error)
	// MailHTML returns the HTML of an e-mail, or [store.ErrNotFound]; nil: none are shown.
	MailHTML func(ctx context.Context, id string) (string, error)
	// CognitiveReport writes the report of a person's cognitive checks, or returns
	// [store.ErrNotFound]; nil: there are no reports.
	CognitiveReport func(ctx context.Context, w io.Writer, id string) error
}

// Account returns the name of the user; there is only one.
func (Config) Account() string { return account }

// Kind is a type of call as the page offers it.
type Kind struct {
	Type  calls.CallType
	Label string
}

// kinds holds the labels of the types of call, in the order in which the page offers them.
var kinds = []Kind{
	{calls.CallGeneral, "general: a friendly chat"},
	{calls.CallHealthCheck, "health check: how are you today?"},
	{calls.CallCognitive, "cognitive: memory and attention"},
	{calls.CallApplianceHelp, "appliance help: something is broken"},
}

// Kinds returns the types of call to choose from. A type without a label is offered by its name,
// after the others.
func (c Config) Kinds() []Kind {
	types := c.CallTypes
	if len(types) == 0 {
		types = []calls.CallType{calls.CallGeneral}
	}
	offered := make([]Kind, 0, len(types))
	for _, k := range kinds {
		if slices.Contains(types, k.Type) {
			offered = append(offered, k)
		}
	}
	for _, t := range types {
		if !slices.ContainsFunc(kinds, func(k Kind) bool { return k.Type == t }) {
			offered = append(offered, Kind{t, string(t)})
		}
	}
	return offered
}

// Mount adds the pages to r behind guard.
func Mount(r chi.Router, cfg Config, guard *Guard) error {
	pages, err := template.ParseFS(files, "static/index.html", "static/frame.html")
	if err != nil {
		return err
	}
	static, err := fs.Sub(files, "static")
	if err != nil {
		return err
	}
	names, err := assets(static)
	if err != nil {
		return err
	}
	r.Group(func(r chi.Router) {
		r.Use(guard.Page, secure)
		r.Get("/", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_ = pages.ExecuteTemplate(w, "index.html", cfg) // the client may be gone
		})
		r.Get("/docs", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", policy+"; style-src 'self' "+iconStyle)
			serve(static, "docs.html")(w, r)
		})
		if cfg.CognitiveReport != nil {
			r.Get("/people/{id}/cognitive-report", cfg.report)
		}
		mountFrames(r, cfg, pages.Lookup("frame.html"))
		for _, name := range names {
			r.Get("/console/"+name, serve(static, name))
		}
	})
	return nil
}

// assets returns the names of the scripts, styles and pictures, including vendored ones.
func assets(static fs.FS) (names []string, err error) {
	err = fs.WalkDir(static, ".", func(name string, _ fs.DirEntry, err error) error {
		switch path.Ext(name) {
		case ".js", ".css", ".svg":
			names = append(names, name)
		default: // folders, pages, and files that are not for browsers
		}
		return err
	})
	return names, err
}

func serve(static fs.FS, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache") // a new binary has new files
		http.ServeFileFS(w, r, static, name)
	}
}

// policy lets a page load only our own files, and forbids framing it.
const policy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// iconStyle is the hash of the only style that the vendored API reference adds to its page: the
// size of its icons. Another version may need another hash; a test checks it.
const iconStyle = "'sha256-MBVp6JYxbC/wICelYC6eULCRpgi9kGezXXSaq/TS2+I='"

// secure sets the headers of a page, with [policy].
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
