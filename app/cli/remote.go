package cli

import (
	"bufio"
	"bytes"
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
)

// Remote is the API of a running server, as a client sees it.
type Remote struct {
	URL   string // no trailing slash
	Token string
	HTTP  *http.Client
}

// NewPerson is somebody to be added.
type NewPerson struct {
	Name, PreferredName, Phone, Timezone, Language, Notes string
	Consents                                              []string
	ConsentBy                                             string
}

// Event is one line of a call's timeline.
type Event struct {
	ID   int64           `json:"id"`
	Kind string          `json:"kind"`
	At   time.Time       `json:"at"`
	Data json.RawMessage `json:"data"`
}

// person is what a command shows of a person.
type person struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	PreferredName string `json:"preferredName"`
	Phone         string `json:"phone"`
}

// FindPerson takes an id, a telephone number or a name, and wants exactly one.
func (r *Remote) FindPerson(ctx context.Context, who string) (id, name string, err error) {
	var page struct {
		Items []person `json:"items"`
	}
	query := "name"
	if strings.HasPrefix(who, "+") {
		query = "phone"
	}
	var one person
	if r.do(ctx, http.MethodGet, "/api/v1/people/"+url.PathEscape(who), nil, &one) == nil {
		return one.ID, one.Name, nil
	}
	if err := r.do(ctx, http.MethodGet, "/api/v1/people?"+query+"="+url.QueryEscape(who), nil, &page); err != nil {
		return "", "", err
	}
	exact := slices.IndexFunc(page.Items, func(p person) bool {
		return strings.EqualFold(p.Name, who) || strings.EqualFold(p.PreferredName, who)
	})
	switch {
	case len(page.Items) == 0:
		return "", "", fmt.Errorf("nobody is called %q", who)
	case exact >= 0:
		return page.Items[exact].ID, page.Items[exact].Name, nil
	case len(page.Items) > 1:
		return "", "", fmt.Errorf("%d people match %q; use the whole name", len(page.Items), who)
	}
	return page.Items[0].ID, page.Items[0].Name, nil
}

// AddPerson adds a person and returns the id.
func (r *Remote) AddPerson(ctx context.Context, np NewPerson) (string, error) {
	body := map[string]any{
		"name": np.Name, "preferredName": np.PreferredName, "phone": np.Phone, "timezone": np.Timezone,
		"language": np.Language, "notes": np.Notes,
		"consent": map[string]any{
			"calls": slices.Contains(np.Consents, "calls"), "recording": slices.Contains(np.Consents, "recording"),
			"memory": slices.Contains(np.Consents, "memory"), "source": np.ConsentBy,
		},
	}
	var out struct {
		ID string `json:"id"`
	}
	err := r.do(ctx, http.MethodPost, "/api/v1/people", body, &out)
	return out.ID, err
}

// PlaceCall asks for a call and returns its id.
func (r *Remote) PlaceCall(ctx context.Context, userID, callType, reason string) (string, error) {
	var out struct {
		CallID string `json:"callId"`
	}
	err := r.do(ctx, http.MethodPost, "/call", map[string]string{"userId": userID, "callType": callType, "reason": reason}, &out)
	return out.CallID, err
}

// HangUp ends a live call.
func (r *Remote) HangUp(ctx context.Context, callID string) error {
	return r.do(ctx, http.MethodPost, "/api/v1/calls/"+callID+"/hangup", nil, nil)
}

// Call reads one call into out.
func (r *Remote) Call(ctx context.Context, callID string, out any) error {
	return r.do(ctx, http.MethodGet, "/api/v1/calls/"+callID, nil, out)
}

// Follow hands each event of a call to do until do returns false, ctx ends or
// the server closes the stream.
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
	if err := lines.Err(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("follow call: %w", err)
	}
	return ctx.Err()
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

func (r *Remote) do(ctx context.Context, method, path string, body, out any) error {
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

// answer is a problem document as a sentence.
func answer(res *http.Response) error {
	var p struct {
		Title  string     `json:"title"`
		Detail string     `json:"detail"`
		Rule   string     `json:"rule"`
		Until  *time.Time `json:"until"`
		Errors []struct {
			Location string `json:"location"`
			Message  string `json:"message"`
		} `json:"errors"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&p); err != nil {
		return errors.New(res.Status)
	}
	text := p.Detail
	if text == "" {
		text = p.Title
	}
	if p.Rule != "" {
		text += " (rule: " + p.Rule
		if p.Until != nil {
			text += ", until " + clock(*p.Until)
		}
		text += ")"
	}
	for _, e := range p.Errors {
		text += fmt.Sprintf("\n  %s: %s", e.Location, e.Message)
	}
	return errors.New(text)
}
