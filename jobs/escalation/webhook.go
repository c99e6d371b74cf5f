package escalation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/naiber/naiber/jobs/webhook"
)

// Webhook posts notices to URLs, as signed JSON. A receiver recognizes a repeated notice by
// its id.
type Webhook struct {
	Secret string
	HTTP   *http.Client // see [webhook.Client]
}

// webhookBody is the posted JSON.
type webhookBody struct {
	ID   string      `json:"id"`
	Type string      `json:"type"`
	At   time.Time   `json:"at"`
	Data webhookData `json:"data"`
}

type webhookData struct {
	AlertID   string    `json:"alertId"`
	UserID    string    `json:"userId,omitempty"`
	Name      string    `json:"name,omitempty"`
	Tier      int       `json:"tier"`
	Kind      string    `json:"kind"`
	CreatedAt time.Time `json:"createdAt"`
	To        string    `json:"to"`
	Text      string    `json:"text"`
	Link      string    `json:"link"`
}

// Send implements [Channel]. Any 2xx answer means that the notice was received.
func (h Webhook) Send(ctx context.Context, n Notice) (string, error) {
	data := webhookData{
		AlertID: n.Alert.ID.String(), Name: n.Person.Name, Tier: int(n.Alert.Tier), Kind: n.Alert.Kind, CreatedAt: n.Alert.CreatedAt.UTC(),
		To: n.Name, Text: n.Text, Link: n.Link,
	}
	if n.Alert.PersonID.Known() {
		data.UserID = n.Alert.PersonID.String()
	}
	body, err := json.Marshal(webhookBody{n.ID.String(), "alert.notice", n.At.UTC(), data})
	if err != nil {
		return "", err
	}
	res, err := webhook.Post(ctx, h.HTTP, n.Address, h.Secret, n.At, body)
	switch code := res.Status; {
	case errors.Is(err, webhook.ErrAddress):
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	case err != nil:
		return "", err
	case res.Received():
		return "", nil
	case code >= 300 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return "", fmt.Errorf("%w: %w", ErrRefused, res.Err())
	default:
		return "", res.Err()
	}
}
