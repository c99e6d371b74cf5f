package escalation

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Webhook posts notices to URLs, as JSON and signed. A receiver knows one that comes twice
// by its id.
type Webhook struct {
	Secret string
	HTTP   *http.Client // it must follow no redirect
}

// webhookBody is what is posted.
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

// Send implements [Channel]. Any answer of the kind 2xx is taken for received.
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.Address, bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("address cannot be read: %w", ErrRefused) // err would quote it
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "nAIber")
	req.Header.Set("Naiber-Signature", Sign(h.Secret, n.At, body))
	res, err := h.HTTP.Do(req)
	if err != nil {
		if failed, is := errors.AsType[*url.Error](err); is {
			err = failed.Err // without the URL, which may hold a secret
		}
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		return "", nil
	case code >= 300 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return "", fmt.Errorf("answer %d: %w", code, ErrRefused)
	default:
		return "", fmt.Errorf("answer %d", code)
	}
}

// Sign returns the header Naiber-Signature of a body that is sent at a time: the seconds
// since 1970 and, over these, a dot and the body, HMAC-SHA256 in hexadecimal.
func Sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
