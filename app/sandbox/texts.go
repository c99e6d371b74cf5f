package sandbox

import (
	_ "embed" // a page
	"encoding/json"
	"net/http"

	"github.com/naiber/naiber/app/sandbox/wire"
)

//go:embed contact.html
var contactPage []byte

// contact serves the page with the telephone of a contact who is notified of alerts: its text
// messages, and its keys during a call.
func (s *Sandbox) contact(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(contactPage) // the client may be gone
}

// texts lists the text messages so far.
func (s *Sandbox) texts(w http.ResponseWriter, _ *http.Request) {
	wire.JSON(w, http.StatusOK, map[string]any{"texts": s.carrier.Texts()})
}

// text sends a text message from a number to nAIber.
func (s *Sandbox) text(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Number string `json:"number"`
		Text   string `json:"text"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<10)).Decode(&in); err != nil || in.Number == "" {
		http.Error(w, `send {"number": "+15550100123", "text": "YES"}`, http.StatusBadRequest)
		return
	}
	answer, err := s.carrier.Text(r.Context(), in.Number, in.Text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	wire.JSON(w, http.StatusOK, map[string]string{"answer": answer})
}
