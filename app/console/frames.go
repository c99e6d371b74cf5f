package console

import (
	"bytes"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/personas/cognitive/report"
	"github.com/naiber/naiber/store"
)

// framed is the policy of a page that is shown in a frame of the console. It has no scripts, and
// only the console may frame it.
const framed = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

// hostName matches a host that may be put into a policy.
var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?$`)

// mountFrames adds the pages for frames of the console, which show what its own policy forbids:
// e-mails with their styles, and pictures and videos at other hosts to which the catalogue links.
// The policy of each allows only one of these.
func mountFrames(r chi.Router, cfg Config, frame *template.Template) {
	if cfg.CatalogueHost != nil {
		for kind, source := range map[string]string{"image": "; sandbox; img-src ", "video": "; frame-src "} {
			r.Get("/console/frame/"+kind, cfg.outside(frame, kind, framed+source))
		}
	}
	if cfg.MailHTML != nil {
		r.Get("/console/frame/mail", cfg.mail)
	}
}

// outside returns a handler that shows the picture or video at the address in the query, if the
// catalogue links to its host.
func (c Config) outside(frame *template.Template, kind, policy string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", framed)
		link, err := url.Parse(r.URL.Query().Get("url"))
		if err == nil {
			link.Host = strings.ToLower(link.Host)
		}
		if err != nil || link.Scheme != "https" || link.User != nil || !hostName.MatchString(link.Host) || link.Host == r.Host {
			http.Error(w, "This is no link that can be shown.", http.StatusBadRequest)
			return
		}
		switch known, err := c.CatalogueHost(r.Context(), link.Hostname()); {
		case err != nil:
			http.Error(w, "The catalogue does not answer.", http.StatusServiceUnavailable)
		case !known:
			http.Error(w, "The catalogue has no links to this host.", http.StatusNotFound)
		default:
			h := w.Header()
			h.Set("Content-Security-Policy", policy+"https://"+link.Host)
			h.Set("Referrer-Policy", "strict-origin") // video players require a referrer
			h.Set("Content-Type", "text/html; charset=utf-8")
			_ = frame.Execute(w, map[string]any{"URL": link.String(), "Title": r.URL.Query().Get("title"), "Video": kind == "video"}) // the client may be gone
		}
	}
}

// report serves the report of a person's cognitive checks, which is made for printing, too.
func (c Config) report(w http.ResponseWriter, r *http.Request) {
	var page bytes.Buffer
	switch err := c.CognitiveReport(r.Context(), &page, chi.URLParam(r, "id")); {
	case errors.Is(err, store.ErrNotFound):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, "The report cannot be made now.", http.StatusServiceUnavailable)
	default:
		h := w.Header()
		h.Set("Content-Security-Policy", report.Policy())
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = page.WriteTo(w) // the client may be gone
	}
}

// mail serves the HTML of an e-mail. Its pictures are not loaded.
func (c Config) mail(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", framed+"; sandbox")
	html, err := c.MailHTML(r.Context(), r.URL.Query().Get("id"))
	switch {
	case errors.Is(err, store.ErrNotFound):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, "The e-mail cannot be read now.", http.StatusServiceUnavailable)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, html) // the client may be gone
	}
}
