package voice

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The platform's close codes.
const (
	codeNormal  = 1000
	codeAway    = 1001
	codeFailure = 1002
	codeInput   = 1008
)

// An ending is the reason for the end of a conversation.
type ending struct {
	code   int
	kind   string // an error_type; "" for an end that is no error
	reason string
}

// Error returns the reason in words.
func (e *ending) Error() string { return e.reason }

func badInput(kind, format string, args ...any) *ending {
	return &ending{codeInput, kind, fmt.Sprintf(format, args...)}
}

// initiation is the client's first message.
type initiation struct {
	Type      string          `json:"type"`
	Override  map[string]any  `json:"conversation_config_override"`
	ExtraBody json.RawMessage `json:"custom_llm_extra_body"`
	Variables map[string]any  `json:"dynamic_variables"`
	UserID    string          `json:"user_id"`
}

// A setup is a conversation's configuration after overrides and substitution.
type setup struct {
	conversationConfig

	extraBody json.RawMessage
	userID    string
	raw       json.RawMessage // the first message, for the record
}

// errLanguage means that a conversation ends right after its metadata.
var errLanguage = errors.New("language not supported by the agent")

// begin parses the first message and returns the conversation's setup. An error that is an
// *ending means that there is no conversation; errLanguage, that it ends after the metadata.
func (s *Server) begin(a *agent, id, agentID string, b []byte) (*setup, error) {
	var in initiation
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, badInput("invalid_message", "Invalid message received")
	}
	if in.Type != "conversation_initiation_client_data" {
		return nil, badInput("invalid_message", "The first message must be conversation_initiation_client_data")
	}
	allowed := a.Platform.Overrides
	if name := forbidden(in.Override, allowed.Config); name != "" {
		return nil, badInput("override_error", "Override for field '%s' is not allowed by config.", name)
	}
	hasExtra := len(in.ExtraBody) > 0 && string(in.ExtraBody) != "null" && string(in.ExtraBody) != "{}"
	if hasExtra && !allowed.ExtraBody {
		return nil, badInput("override_error", "Override for field 'custom_llm_extra_body' is not allowed by config.")
	}
	doc, _ := a.doc["conversation_config"].(map[string]any)
	set := &setup{userID: in.UserID, raw: b}
	if hasExtra {
		set.extraBody = in.ExtraBody
	}
	if err := decode(merge(doc, withoutNull(in.Override)), &set.conversationConfig); err != nil {
		return nil, badInput("value_error", "Override with a value of the wrong kind")
	}
	if !speedOK(set.TTS.Speed) || set.TTS.VoiceID == "" || set.Conversation.MaxDuration <= 0 {
		return nil, badInput("value_error", "Override with a value that is not possible")
	}
	if err := set.substitute(in.Variables, id, agentID); err != nil {
		return nil, err
	}
	own := a.Conversation
	if _, preset := own.Presets[set.Agent.Language]; set.Agent.Language != own.Agent.Language && !preset {
		return set, errLanguage
	}
	return set, nil
}

// forbidden returns the name of a field of over that allowed does not permit, or "" if there is
// none.
func forbidden(over, allowed map[string]any) string {
	for _, key := range slices.Sorted(maps.Keys(over)) {
		value, isMap := over[key].(map[string]any)
		below, _ := allowed[key].(map[string]any)
		switch found := forbidden(value, below); {
		case found != "":
			return found
		case !isMap && over[key] != nil && allowed[key] != true:
			return key
		}
	}
	return ""
}

// withoutNull returns m without its nulls, since they override nothing.
func withoutNull(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for key, value := range m {
		if below, ok := value.(map[string]any); ok {
			value = withoutNull(below)
		}
		if value != nil {
			out[key] = value
		}
	}
	return out
}

var variable = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_]+)\s*\}\}`)

// substitute puts the variables' values into the prompt and the greeting.
func (set *setup) substitute(given map[string]any, id, agentID string) error {
	values := map[string]string{
		"system__conversation_id": id, "system__agent_id": agentID, "system__current_agent_id": agentID,
		"system__caller_id": "", "system__called_number": "", "system__call_sid": "",
		"system__call_duration_secs": "0", "system__time_utc": time.Now().UTC().Format(time.RFC3339),
	}
	for _, from := range []map[string]any{set.Agent.Variables.Placeholders, given} {
		for name, value := range from {
			switch value.(type) {
			case string, float64, bool:
			default:
				return badInput("value_error", "Dynamic variable '%s' must be a string, a number or a boolean", name)
			}
			if strings.HasPrefix(name, "system__") {
				return badInput("value_error", "Dynamic variable '%s' is reserved", name)
			}
			values[name] = fmt.Sprint(value)
		}
	}
	for _, text := range []*string{&set.Agent.Prompt.Prompt, &set.Agent.FirstMessage} {
		var missing []string
		*text = variable.ReplaceAllStringFunc(*text, func(m string) string {
			name := variable.FindStringSubmatch(m)[1]
			value, ok := values[name]
			if !ok {
				missing = append(missing, name)
			}
			return value
		})
		if len(missing) > 0 {
			return badInput("missing_dynamic_variable", "Missing required dynamic variables: %s", strings.Join(missing, ", "))
		}
	}
	return nil
}
