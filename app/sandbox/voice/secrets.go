package voice

import (
	"maps"
	"net/http"
	"slices"
)

// secret is a value that is never shown again.
type secret struct {
	name, value string
}

func (s *Server) createSecret(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	kind, _ := body["type"].(string)
	name, _ := body["name"].(string)
	value, _ := body["value"].(string)
	switch {
	case kind != "new":
		unprocessable(w, field("Input should be 'new'", "literal_error", "type"))
		return
	case name == "":
		unprocessable(w, field("Field required", "missing", "name"))
		return
	case value == "":
		unprocessable(w, field("Field required", "missing", "value"))
		return
	}
	id := newID("sec_")
	s.mu.Lock()
	s.secrets[id] = secret{name, value}
	s.mu.Unlock()
	answer(w, http.StatusOK, map[string]string{"type": "stored", "secret_id": id, "name": name})
}

func (s *Server) listSecrets(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.secrets)) {
		list = append(list, map[string]any{
			"type": "stored", "secret_id": id, "name": s.secrets[id].name,
			"used_by": map[string]any{"tools": []any{}, "agents": []any{}, "others": []any{}},
		})
	}
	answer(w, http.StatusOK, map[string]any{"secrets": list})
}

func (s *Server) patchSecret(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	kind, _ := body["type"].(string)
	name, _ := body["name"].(string)
	value, _ := body["value"].(string)
	if kind != "update" || name == "" || value == "" {
		unprocessable(w, field("Field required", "missing", "value"))
		return
	}
	id := r.PathValue("id")
	s.mu.Lock()
	_, ok = s.secrets[id]
	if ok {
		s.secrets[id] = secret{name, value}
	}
	s.mu.Unlock()
	if !ok {
		refuse(w, http.StatusNotFound, "secret_not_found", "Secret not found.")
		return
	}
	answer(w, http.StatusOK, map[string]string{"type": "stored", "secret_id": id, "name": name})
}
