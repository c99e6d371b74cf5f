// Package console is the web console: place a call, follow it as it happens
// and, in the sandbox, be the elder who answers. It is plain HTML, CSS and
// JavaScript modules, embedded in the binary; it speaks to the REST API with
// the session that its door gives out.
package console

import (
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
)

//go:embed static
var files embed.FS

// Config is what the page has to know.
type Config struct {
	Sandbox bool
	Version string
}

// Mount adds the pages to r behind door.
func Mount(r chi.Router, cfg Config, door *Door) error {
	page, err := template.ParseFS(files, "static/index.html")
	if err != nil {
		return err
	}
	static, err := fs.Sub(files, "static")
	if err != nil {
		return err
	}
	names, err := fs.Glob(static, "*.*")
	if err != nil {
		return err
	}
	r.Group(func(r chi.Router) {
		r.Use(door.Page, secure)
		r.Get("/", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_ = page.ExecuteTemplate(w, "index.html", cfg) // the reader went away
		})
		r.Get("/docs", serve(static, "docs.html"))
		for _, name := range names {
			if !strings.HasSuffix(name, ".html") {
				r.Get("/console/"+name, serve(static, name))
			}
		}
	})
	return nil
}

func serve(static fs.FS, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache") // a new binary brings new files
		http.ServeFileFS(w, r, static, name)
	}
}

// secure lets the page load nothing but its own files, and nobody frame it.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}
