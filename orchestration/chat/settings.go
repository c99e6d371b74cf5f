package chat

import (
	"context"
	"encoding/json"
	"fmt"
)

// Settings are what an operator may change while the process runs. They are stored in the database
// and apply to every process that uses it.
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
	// ModelsFolderPath is nil if there is no folder.
	ModelsFolderPath *string `json:"modelsFolderPath" doc:"A folder of .gguf files for GET /models; null: none"`
	SystemPrompt     string  `json:"systemPrompt" maxLength:"20000" doc:"In a patch, null goes back to the default"`
}

// DefaultSettings returns the settings that apply until an operator changes them. Its weights count
// both lists equally. SystemPrompt is empty.
func DefaultSettings() Settings {
	return Settings{
		RecentEpisodeLimit: 10, SemanticLimit: 10, ScoreThreshold: 0.45, KeywordWeight: 1, SemanticWeight: 1,
		Temperature: 0.7, RepeatPenalty: 1.1, TopP: 0.9, TopK: 40,
	}
}

// Settings returns the current settings.
func (s *Channel) Settings(ctx context.Context) (Settings, error) {
	raw, err := s.store.ChatSettings(ctx)
	if err != nil {
		return Settings{}, err
	}
	return s.merged(raw)
}

// ChangeSettings sets some fields, by their names in JSON, resets others to their defaults, and
// returns the resulting settings. The caller must validate the values.
func (s *Channel) ChangeSettings(ctx context.Context, set map[string]any, remove []string) (Settings, error) {
	raw, err := json.Marshal(set)
	if err != nil {
		return Settings{}, fmt.Errorf("write settings: %w", err)
	}
	if raw, err = s.store.PatchChatSettings(ctx, raw, remove); err != nil {
		return Settings{}, err
	}
	return s.merged(raw)
}

// merged returns the defaults overridden by what was set.
func (s *Channel) merged(set json.RawMessage) (Settings, error) {
	out := DefaultSettings()
	out.SystemPrompt = s.cfg.SystemPrompt
	if err := json.Unmarshal(set, &out); err != nil {
		return Settings{}, fmt.Errorf("read settings: %w", err)
	}
	return out, nil
}
