package elevenlabs

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/naiber/naiber/telephony/internal/rest"
)

// do sends r; a read may be sent again if its outcome is unknown.
func (c *Client) do(ctx context.Context, r rest.Request, out any) error {
	r.Idempotent = r.Method == "" || r.Method == http.MethodGet
	_, err := c.rest.Do(ctx, r, out)
	return err
}

// create sends a request that creates what, and decodes the answer into out. It fails if complete
// then reports that the answer lacks a required field.
func (c *Client) create(ctx context.Context, what, path string, body, out any, complete func() bool) error {
	op := "create " + what
	err := c.do(ctx, rest.Request{Op: op, Method: http.MethodPost, Path: path, JSON: body}, out)
	if err == nil && !complete() {
		return &Error{Op: op, Err: errors.New("the answer lacks what was made"), Class: ClassUnavailable}
	}
	return err
}

// SignedURL returns the address of a new conversation with the agent, valid for 15 minutes to begin
// it. It is a secret: dial it unchanged, and do not log it.
func (c *Client) SignedURL(ctx context.Context, agent AgentID) (Secret, error) {
	op := "get signed URL for agent " + string(agent)
	var out struct {
		SignedURL string `json:"signed_url"`
	}
	err := c.do(ctx, rest.Request{
		Op: op, Path: "/v1/convai/conversation/get-signed-url",
		Query: url.Values{"agent_id": {string(agent)}},
	}, &out)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(out.SignedURL)
	if err != nil || u.Host == "" || (u.Scheme != "wss" && (u.Scheme != "ws" || !rest.IsLoopback(u.Hostname()))) {
		return "", &Error{Op: op, Err: errors.New("the answer is not a wss address"), Class: ClassUnavailable}
	}
	return Secret(out.SignedURL), nil
}

// Agent is an agent's current configuration.
type Agent struct {
	ID   AgentID
	Name string
	// Config is the whole document, for [Diff]. It may hold headers with credentials: do not log
	// it.
	Config Document
}

// CreateAgent creates an agent and returns its id.
func (c *Client) CreateAgent(ctx context.Context, config Document) (AgentID, error) {
	var out AgentSummary
	err := c.create(ctx, "agent", "/v1/convai/agents/create", config, &out, func() bool { return out.ID != "" })
	return out.ID, err
}

// GetAgent returns an agent's configuration.
func (c *Client) GetAgent(ctx context.Context, id AgentID) (Agent, error) {
	return c.agent(ctx, "get agent "+string(id), http.MethodGet, id, nil)
}

// UpdateAgent applies patch to an agent, see [Patch], and returns the resulting configuration.
func (c *Client) UpdateAgent(ctx context.Context, id AgentID, patch Document) (Agent, error) {
	return c.agent(ctx, "update agent "+string(id), http.MethodPatch, id, patch)
}

func (c *Client) agent(ctx context.Context, op, method string, id AgentID, patch Document) (Agent, error) {
	r := rest.Request{Op: op, Method: method, Path: rest.Path("/v1/convai/agents/", string(id), "")}
	if patch != nil {
		r.JSON = patch
	}
	var config Document
	err := c.do(ctx, r, &config)
	if err == nil && config == nil {
		err = &Error{Op: op, Err: ErrMalformed, Class: ClassUnavailable}
	}
	name, _ := config["name"].(string) // "" when absent
	return Agent{ID: id, Name: name, Config: config}, err
}

// AgentSummary is an agent as lists show it.
type AgentSummary struct {
	ID   AgentID `json:"agent_id"`
	Name string  `json:"name"`
}

// FindAgents returns the first agents, at most 30, whose name matches search.
func (c *Client) FindAgents(ctx context.Context, search string) ([]AgentSummary, error) {
	var page struct {
		Agents []AgentSummary `json:"agents"`
	}
	err := c.do(ctx, rest.Request{
		Op: "find agents", Path: "/v1/convai/agents",
		Query: url.Values{"search": {search}, "page_size": {"30"}},
	}, &page)
	return page.Agents, err
}

// SecretInfo is a workspace secret without its value, which cannot be read.
type SecretInfo struct {
	ID   SecretID `json:"secret_id"`
	Name string   `json:"name"`
}

// Secrets lists the workspace's secrets.
func (c *Client) Secrets(ctx context.Context) ([]SecretInfo, error) {
	var page struct {
		Secrets []SecretInfo `json:"secrets"`
	}
	err := c.do(ctx, rest.Request{Op: "list secrets", Path: "/v1/convai/secrets"}, &page)
	return page.Secrets, err
}

// CreateSecret stores a secret in the workspace and returns its id.
func (c *Client) CreateSecret(ctx context.Context, name string, value Secret) (SecretID, error) {
	var out SecretInfo
	err := c.create(ctx, "secret "+name, "/v1/convai/secrets",
		map[string]string{"type": "new", "name": name, "value": string(value)}, &out, func() bool { return out.ID != "" })
	return out.ID, err
}

// UpdateSecret replaces a secret's name and value.
func (c *Client) UpdateSecret(ctx context.Context, id SecretID, name string, value Secret) error {
	return c.do(ctx, rest.Request{
		Op: "update secret " + string(id), Method: http.MethodPatch, Path: rest.Path("/v1/convai/secrets/", string(id), ""),
		JSON: map[string]string{"type": "update", "name": name, "value": string(value)},
	}, nil)
}

// Webhook is a webhook of the workspace.
type Webhook struct {
	ID   WebhookID `json:"webhook_id"`
	Name string    `json:"name"`
	URL  string    `json:"webhook_url"`
	// Disabled is set by an operator; AutoDisabled is set by ElevenLabs after ten failures in a
	// row.
	Disabled      bool `json:"is_disabled"`
	AutoDisabled  bool `json:"is_auto_disabled"`
	RetryEnabled  bool `json:"retry_enabled"`
	LastErrorCode int  `json:"most_recent_failure_error_code"` // HTTP status, 0 for none
}

// Webhooks lists the workspace's webhooks.
func (c *Client) Webhooks(ctx context.Context) ([]Webhook, error) {
	var page struct {
		Webhooks []Webhook `json:"webhooks"`
	}
	err := c.do(ctx, rest.Request{Op: "list webhooks", Path: "/v1/workspace/webhooks"}, &page)
	return page.Webhooks, err
}

// CreateWebhook creates a webhook and returns its id and the secret that signs its deliveries. Keep
// the secret: it may never be shown again.
func (c *Client) CreateWebhook(ctx context.Context, name, address string) (WebhookID, Secret, error) {
	var out struct {
		ID     WebhookID `json:"webhook_id"`
		Secret string    `json:"webhook_secret"`
	}
	settings := map[string]string{"auth_type": "hmac", "name": name, "webhook_url": address}
	err := c.create(ctx, "webhook "+name, "/v1/workspace/webhooks", map[string]any{"settings": settings}, &out,
		func() bool { return out.ID != "" && out.Secret != "" })
	return out.ID, Secret(out.Secret), err
}

// UpdateWebhook sets a webhook's name and switches, and leaves its address and secret unchanged. To
// enable one that was disabled automatically, set disabled to false.
func (c *Client) UpdateWebhook(ctx context.Context, id WebhookID, name string, disabled, retry bool) error {
	return c.do(ctx, rest.Request{
		Op: "update webhook " + string(id), Method: http.MethodPatch, Path: rest.Path("/v1/workspace/webhooks/", string(id), ""),
		JSON: map[string]any{"name": name, "is_disabled": disabled, "retry_enabled": retry},
	}, nil)
}

// Subscription is the workspace's plan.
type Subscription struct {
	Tier           string `json:"tier"`
	Status         string `json:"status"` // "active", "trialing", "free", "past_due", …
	CharacterCount int64  `json:"character_count"`
	CharacterLimit int64  `json:"character_limit"`
}

// Exhausted reports whether the plan's quota is used up.
func (s Subscription) Exhausted() bool {
	return s.CharacterLimit > 0 && s.CharacterCount >= s.CharacterLimit
}

// Subscription returns the workspace's plan. Success also proves that the API key is valid.
func (c *Client) Subscription(ctx context.Context) (Subscription, error) {
	var s Subscription
	err := c.do(ctx, rest.Request{Op: "get subscription", Path: "/v1/user/subscription"}, &s)
	return s, err
}
