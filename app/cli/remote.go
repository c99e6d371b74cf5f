package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/naiber/naiber/store"
)

// Remote is a client for the API of a running server.
type Remote struct {
	URL   string // no trailing slash
	Token string
	HTTP  *http.Client
}

// NewPerson is a person to be added.
type NewPerson struct {
	Name, PreferredName, Phone, SecondPhone, Timezone, Language, Email, BirthDate, Notes, Region string
	Facility                                                                                     bool
	Consents                                                                                     []string
	ConsentBy                                                                                    string
}

// Event is one line of a call's timeline.
type Event struct {
	ID   int64           `json:"id"`
	Kind string          `json:"kind"`
	At   time.Time       `json:"at"`
	Data json.RawMessage `json:"data"`
}

// person is the part of a person that a command shows.
type person struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	PreferredName string `json:"preferredName"`
	Phone         string `json:"phone"`
}

// FindPerson returns the one person with the id, telephone number or name who;
// it fails if there is none or more than one.
func (r *Remote) FindPerson(ctx context.Context, who string) (id, name string, err error) {
	if _, err := store.ParsePersonID(who); err == nil {
		var p person
		err := r.do(ctx, http.MethodGet, "/api/v1/people/"+url.PathEscape(who), nil, &p)
		return p.ID, p.Name, err
	}
	query := url.Values{}
	if strings.HasPrefix(who, "+") {
		query.Set("phone", who)
	} else {
		query.Set("name", who)
	}
	var page struct {
		Items []person `json:"items"`
	}
	if err := r.do(ctx, http.MethodGet, "/api/v1/people?"+query.Encode(), nil, &page); err != nil {
		return "", "", err
	}
	p, err := pick(who, page.Items, func(p person) (string, string) { return p.Name, p.PreferredName })
	return p.ID, p.Name, err
}

// AddPerson adds a person and returns the id.
func (r *Remote) AddPerson(ctx context.Context, np NewPerson) (string, error) {
	body := map[string]any{
		"name": np.Name, "preferredName": np.PreferredName, "phone": np.Phone, "secondPhone": np.SecondPhone, "timezone": np.Timezone,
		"language": np.Language, "email": np.Email, "birthDate": np.BirthDate, "notes": np.Notes,
		"facility": np.Facility, "region": np.Region,
		"consent": map[string]any{
			"calls": slices.Contains(np.Consents, "calls"), "recording": slices.Contains(np.Consents, "recording"),
			"memory": slices.Contains(np.Consents, "memory"), "cognitive": slices.Contains(np.Consents, "cognitive"),
			"transcript": slices.Contains(np.Consents, "transcript"), "room": slices.Contains(np.Consents, "room"), "source": np.ConsentBy,
		},
	}
	var out struct {
		ID string `json:"id"`
	}
	err := r.do(ctx, http.MethodPost, "/api/v1/people", body, &out)
	return out.ID, err
}

// PlaceCall requests a call and returns its id.
func (r *Remote) PlaceCall(ctx context.Context, userID, callType, reason string) (string, error) {
	var out struct {
		CallID string `json:"callId"`
	}
	err := r.do(ctx, http.MethodPost, "/call", map[string]string{"userId": userID, "callType": callType, "reason": reason}, &out)
	return out.CallID, err
}

// NewWebhook is a webhook that was added. Only this answer contains its secret.
type NewWebhook struct {
	ID     string   `json:"id"`
	URL    string   `json:"url"`
	Events []string `json:"events"`
	Secret string   `json:"secret"`
}

// AddWebhook subscribes a URL to events; the running server makes its secret.
func (r *Remote) AddWebhook(ctx context.Context, address string, events []string) (out NewWebhook, err error) {
	err = r.do(ctx, http.MethodPost, "/api/v1/webhooks", map[string]any{"url": address, "events": events}, &out)
	return out, err
}

// Follow calls do with each event of a call until do returns false. It returns
// an error if ctx is done or the stream ends before.
func (r *Remote) Follow(ctx context.Context, callID string, do func(Event) bool) error {
	req, err := r.request(ctx, http.MethodGet, "/api/v1/calls/"+callID+"/events", nil)
	if err != nil {
		return err
	}
	res, err := r.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("follow call: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return answer(res)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var e Event
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("read event: %w", err)
		}
		if !do(e) {
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.New("nAIber has stopped, or the line to it is broken; the call may go on")
}

func (r *Remote) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var rd io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode request: %w", err)
		}
		rd = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, r.URL+path, rd)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, nil
}

// answerTimeout bounds a request to the server. The longest creates a call, for
// which telephony takes up to 45 s.
const answerTimeout = time.Minute

func (r *Remote) do(ctx context.Context, method, path string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req, err := r.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	res, err := r.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("no nAIber answers at %s; start it with `naiber serve` (%w)", r.URL, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 300 {
		return answer(res)
	}
	if out == nil || res.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return fmt.Errorf("read answer of %s: %w", path, err)
	}
	return nil
}

// answer returns the error that a problem document describes, as a sentence.
// For status 404 it matches [ErrNotFound].
func answer(res *http.Response) error {
	var p struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
		Rule   string `json:"rule"`
		Errors []struct {
			Location string `json:"location"`
			Message  string `json:"message"`
		} `json:"errors"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&p); err != nil || p.Title+p.Detail == "" {
		return errors.New("nAIber answers " + res.Status)
	}
	var text strings.Builder
	text.WriteString(cmp.Or(p.Detail, p.Title))
	if p.Rule != "" { // the sentence says how long it applies
		fmt.Fprintf(&text, " (rule: %s)", p.Rule)
	}
	for _, e := range p.Errors {
		fmt.Fprintf(&text, "\n  %s: %s", e.Location, e.Message)
	}
	if res.StatusCode == http.StatusNotFound {
		return &notFoundError{text.String()}
	}
	return errors.New(text.String())
}

// ErrNotFound matches the error for something that the server does not know.
var ErrNotFound = errors.New("not found")

type notFoundError struct{ text string }

func (e *notFoundError) Error() string        { return e.text }
func (e *notFoundError) Is(target error) bool { return target == ErrNotFound }
