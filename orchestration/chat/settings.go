package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Settings are what an operator may change while the process runs. They are kept
// in the database and hold for every process on it.
type Settings struct {
	RecentEpisodeLimit int     `json:"recentEpisodeLimit" minimum:"1" maximum:"20" doc:"How many of the session's last episodes stand in the prompt"`
	SemanticLimit      int     `json:"semanticLimit" minimum:"1" maximum:"20" doc:"How many recalled episodes stand in the prompt"`
	ScoreThreshold     float64 `json:"scoreThreshold" minimum:"0" maximum:"1" doc:"The least similarity of what only the vectors found"`
	KeywordWeight      float64 `json:"keywordWeight" minimum:"0" doc:"What the keyword list counts for; 0 switches it off"`
	SemanticWeight     float64 `json:"semanticWeight" minimum:"0" doc:"What the vector list counts for; 0 switches it off"`
	Temperature        float64 `json:"temperature" minimum:"0" maximum:"2"`
	RepeatPenalty      float64 `json:"repeatPenalty" minimum:"1" maximum:"2"`
	TopP               float64 `json:"topP" minimum:"0" maximum:"1"`
	TopK               int     `json:"topK" minimum:"1" maximum:"100"`
	// ModelsFolderPath is nil without a folder.
	ModelsFolderPath *string `json:"modelsFolderPath" doc:"A folder of .gguf files for GET /models; null: none"`
	SystemPrompt     string  `json:"systemPrompt" maxLength:"20000" doc:"In a patch, null goes back to the default"`
}

// DefaultSettings are what holds until an operator says otherwise. The weights
// are those of lists that count the same.
func DefaultSettings() Settings {
	return Settings{
		RecentEpisodeLimit: 10, SemanticLimit: 10, ScoreThreshold: 0.45, KeywordWeight: 1, SemanticWeight: 1,
		Temperature: 0.7, RepeatPenalty: 1.1, TopP: 0.9, TopK: 40,
	}
}

// settings are what holds now.
func (s *Server) settings(ctx context.Context) (Settings, error) {
	raw, err := s.store.ChatSettings(ctx)
	if err != nil {
		return Settings{}, err
	}
	return s.merged(raw)
}

// merged lays what was set over the defaults.
func (s *Server) merged(set json.RawMessage) (Settings, error) {
	out := DefaultSettings()
	out.SystemPrompt = s.cfg.SystemPrompt
	if err := json.Unmarshal(set, &out); err != nil {
		return Settings{}, fmt.Errorf("read settings: %w", err)
	}
	return out, nil
}

// settingsIn is taken as it comes, since absent, null and wrong are three things
// here, and each field has its own rule.
type settingsIn struct {
	RawBody []byte `contentType:"application/json"`
}

func (s *Server) settingsRoutes(h huma.API) {
	huma.Register(h, operation("settings", "get-settings", http.MethodGet, "/settings", "What is set", http.StatusOK),
		func(ctx context.Context, _ *struct{}) (*one[Settings], error) {
			set, err := s.settings(ctx)
			return answer(set), s.problem(ctx, err)
		})
	op := operation("settings", "update-settings", http.MethodPatch, "/settings", "Change what is set", http.StatusOK)
	op.Description = "Each field is checked by itself; where one is wrong nothing changes. What is absent stays as it is."
	op.MaxBodyBytes = maxBody
	op.RequestBody = &huma.RequestBody{Required: true}
	op.SkipValidateBody = true // decodePatch does it, field by field
	huma.Register(h, op, s.patchSettings)
	schemas := h.OpenAPI().Components.Schemas
	fields := *schemas.SchemaFromRef(schemas.Schema(reflect.TypeFor[Settings](), true, "").Ref)
	fields.Required, fields.Description = nil, "Any of the fields"
	op.RequestBody.Content = map[string]*huma.MediaType{"application/json": {Schema: &fields}}
}

func (s *Server) patchSettings(ctx context.Context, in *settingsIn) (*one[Settings], error) {
	p, err := decodePatch(in.RawBody)
	if err != nil {
		return nil, err
	}
	set, err := json.Marshal(p.set)
	if err != nil {
		return nil, s.problem(ctx, fmt.Errorf("write settings: %w", err))
	}
	raw, err := s.store.PatchChatSettings(ctx, set, p.remove)
	if err != nil {
		return nil, s.problem(ctx, err)
	}
	now, err := s.merged(raw)
	return answer(now), s.problem(ctx, err)
}
