package chat

import (
	"context"
	"encoding/json"
	"fmt"
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

// Settings returns what holds now.
func (s *Channel) Settings(ctx context.Context) (Settings, error) {
	raw, err := s.store.ChatSettings(ctx)
	if err != nil {
		return Settings{}, err
	}
	return s.merged(raw)
}

// ChangeSettings sets some fields, by their names in JSON, has others go back to
// their defaults, and returns what holds then. The values must be right.
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

// merged lays what was set over the defaults.
func (s *Channel) merged(set json.RawMessage) (Settings, error) {
	out := DefaultSettings()
	out.SystemPrompt = s.cfg.SystemPrompt
	if err := json.Unmarshal(set, &out); err != nil {
		return Settings{}, fmt.Errorf("read settings: %w", err)
	}
	return out, nil
}
