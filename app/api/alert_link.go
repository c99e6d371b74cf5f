package api

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"html/template"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/naiber/naiber/jobs/escalation"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/people"
)

//go:embed alert_link.html
var linkPage string

var linkTemplate = template.Must(template.New("link").Parse(linkPage))

const (
	// linkPerMinute and linkBurst bound the requests for links from one address, so that no token
	// can be found by guessing.
	linkPerMinute = 60
	linkBurst     = 30
	// maxLinkForm bounds the form that is posted to a link, in bytes.
	maxLinkForm = 16 << 10
	// linkPolicy keeps the page from loading anything.
	linkPolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

// linkToken matches a token.
var linkToken = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// links adds the pages behind the links of notices. They need no login. Opening one acknowledges
// nothing, since programs open links to preview them.
func (a *api) links(r chi.Router) {
	limit := newLimiter(linkPerMinute, linkBurst)
	r.Group(func(r chi.Router) {
		r.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del("Authorization") // else one client could count as many
				h := w.Header()
				h.Set("Cache-Control", "no-store")
				h.Set("Content-Security-Policy", linkPolicy)
				h.Set("Referrer-Policy", "no-referrer") // the address is the credential
				h.Set("X-Content-Type-Options", "nosniff")
				h.Set("X-Robots-Tag", "noindex, nofollow")
				limit.limit(next).ServeHTTP(w, r)
			})
		})
		r.Get("/a/{token}", func(w http.ResponseWriter, r *http.Request) { a.showLink(w, r, http.StatusOK, false) })
		r.Post("/a/{token}", a.answerLink)
	})
}

// linkView holds the data of the page of a link.
type linkView struct {
	W           escalation.Words
	Head        string
	Details     bool // whether to show the time, the quote and the number to ring
	When, Quote string
	Ring, Phone string
	Say         []string
	Missing     bool
	Form        string // acknowledge, close, or empty for none
	Name        string
}

// showLink answers with the page of a link, which shows the state of its alert.
func (a *api) showLink(w http.ResponseWriter, r *http.Request, status int, missing bool) {
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	token := chi.URLParam(r, "token")
	now := time.Now()
	l, err := a.link(ctx, token)
	var p people.Person
	if err == nil && l.Alert.PersonID.Known() {
		p, err = a.Store.Person(ctx, l.Alert.PersonID)
	}
	if err == nil && r.Method == http.MethodGet {
		err = a.Store.OpenAlertLink(ctx, token, now)
	}
	view := linkView{Missing: missing}
	switch {
	case errors.Is(err, store.ErrNotFound):
		status, view.W = http.StatusNotFound, escalation.WordsIn(r.Header.Get("Accept-Language"))
		view.Head = view.W.Page.Unknown
	case err != nil:
		a.linkFailed(w, r, err)
		return
	default:
		view.fill(l, p, now)
		if !now.Before(l.ExpiresAt) || l.Alert.Status == alerts.Closed {
			status = http.StatusGone
		}
	}
	var body bytes.Buffer
	if err := linkTemplate.Execute(&body, view); err != nil {
		a.linkFailed(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // the client may be gone
}

// fill sets the view from a link and its alert. The details are shown only if the alert may be
// taken, or was taken with this link; a later visitor learns only that it is taken or closed.
func (v *linkView) fill(l alerts.Link, p people.Person, now time.Time) {
	v.W = escalation.WordsIn(l.Language)
	k, expired := l.Alert, !now.Before(l.ExpiresAt)
	closed := k.Status == alerts.Closed
	mine := l.UsedAt != nil
	v.Head, v.Name, v.Missing = v.W.Head(p, k.Kind), l.Name, v.Missing && !expired
	v.When, v.Quote, v.Phone = escalation.When(p, k.CreatedAt), k.Quote, p.Phone
	v.Ring = escalation.Fill(v.W.Page.Call, "name", p.CallName())
	v.Details = !expired && !closed && (k.Awaited() || mine)
	if expired || closed {
		v.Head = "nAIber"
	}
	if expired {
		v.Say = []string{v.W.Page.Expired}
	}
	if k.Unsure && v.Details {
		v.Say = append(v.Say, v.W.Notice.Unsure)
	}
	switch {
	case closed && !expired:
		v.Say = append(v.Say, escalation.Fill(v.W.Page.Closed, "who", k.ClosedBy))
	case !k.Awaited():
		v.Say = append(v.Say, escalation.Fill(v.W.Page.Taken, "who", k.AcknowledgedBy, "when", escalation.When(p, *k.AcknowledgedAt)))
		if mine && !expired && k.Status == alerts.Acknowledged {
			v.Say, v.Form = append(v.Say, v.W.Page.Thanks), "close"
		}
	case !expired && !mine:
		v.Form = "acknowledge"
	}
}

// answerLink acknowledges or closes the alert of a link and redirects to the link's page.
func (a *api) answerLink(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
	defer cancel()
	r.Body = http.MaxBytesReader(w, r.Body, maxLinkForm)
	if err := r.ParseForm(); err != nil {
		http.Error(w, "The form cannot be read.", http.StatusBadRequest)
		return
	}
	token, by, outcome := chi.URLParam(r, "token"), cut(r.PostForm.Get("by"), 200), cut(r.PostForm.Get("outcome"), 2000)
	l, err := a.link(ctx, token)
	if err == nil {
		switch r.PostForm.Get("action") {
		case "acknowledge":
			_, err = a.Store.AcknowledgeByLink(ctx, token, alerts.Answer{By: by, How: "link"})
		case "close":
			_, err = a.Store.CloseByLink(ctx, token, alerts.Answer{By: l.Alert.AcknowledgedBy, How: "link"}, outcome)
		default:
			http.Error(w, "The form cannot be read.", http.StatusBadRequest)
			return
		}
	}
	switch {
	case errors.Is(err, alerts.ErrUnsaid):
		a.showLink(w, r, http.StatusUnprocessableEntity, true)
	case err == nil, errors.Is(err, alerts.ErrTaken), errors.Is(err, alerts.ErrClosed), errors.Is(err, alerts.ErrLink):
		http.Redirect(w, r, "/a/"+token, http.StatusSeeOther) //nolint:gosec // to a path of ours, where it says how things stand
	case errors.Is(err, store.ErrNotFound):
		a.showLink(w, r, http.StatusNotFound, false)
	default:
		a.linkFailed(w, r, err)
	}
}

// link returns the link of a token, or [store.ErrNotFound]. It does not look up a malformed
// token, and reports a link as not found if its recipient may no longer be told of the alert.
func (a *api) link(ctx context.Context, token string) (alerts.Link, error) {
	if !linkToken.MatchString(token) {
		return alerts.Link{}, store.ErrNotFound
	}
	l, err := a.Store.AlertLink(ctx, token)
	if err == nil && a.MayBeTold != nil {
		var may bool
		if may, err = a.MayBeTold(ctx, l.Alert, l.Channel, l.Address); err == nil && !may {
			err = store.ErrNotFound
		}
	}
	return l, err
}

func (a *api) linkFailed(w http.ResponseWriter, r *http.Request, err error) {
	a.Log.ErrorContext(r.Context(), "page of an alert failed", "err", err)
	http.Error(w, "Something went wrong on our side; please try again in a minute.", http.StatusInternalServerError)
}

// cut returns text without surrounding space, cut to n characters.
func cut(text string, n int) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > n {
		text = string(r[:n])
	}
	return text
}
