package voice

import (
	"encoding/json"
	"maps"
	"slices"
)

// toolOffer is a tool in a request to the model.
type toolOffer struct {
	Type     string    `json:"type"`
	Function toolShape `json:"function"`
}

type toolShape struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
}

// shapes are the arguments of the built-in tools: the required ones first.
var shapes = map[string]struct {
	about              string
	required, optional []string
}{
	"end_call":               {"End the call when the conversation is over.", []string{"reason"}, []string{"message"}},
	"skip_turn":              {"Say nothing and wait for the user.", nil, []string{"reason"}},
	"language_detection":     {"Change the language of the conversation.", []string{"reason", "language"}, nil},
	"voicemail_detection":    {"End the call because an answering machine answered.", []string{"reason"}, nil},
	"transfer_to_number":     {"Transfer the user to a person.", []string{"transfer_number", "client_message", "agent_message"}, []string{"reason"}},
	"transfer_to_agent":      {"Transfer the user to another agent.", []string{"agent_number"}, []string{"reason"}},
	"play_keypad_touch_tone": {"Play keypad tones.", []string{"dtmf_tones"}, []string{"reason"}},
}

// offered reports whether the agent may use the tool.
func (set *setup) offered(name string) bool {
	return set.Agent.Prompt.Tools[name].on
}

// offers are the tools to offer to the model.
func (set *setup) offers() []toolOffer {
	var out []toolOffer
	for _, name := range slices.Sorted(maps.Keys(set.Agent.Prompt.Tools)) {
		if !set.offered(name) {
			continue
		}
		shape := shapes[name]
		properties := map[string]any{}
		for _, arg := range slices.Concat(shape.required, shape.optional) {
			properties[arg] = map[string]string{"type": "string"}
		}
		about := set.Agent.Prompt.Tools[name].Description
		if about == "" {
			about = shape.about
		}
		required := shape.required
		if required == nil {
			required = []string{}
		}
		out = append(out, toolOffer{"function", toolShape{name, about, map[string]any{
			"type": "object", "properties": properties, "required": required,
		}}})
	}
	return out
}

// use does what the model asked for with a tool, after it said what it said.
func (c *conversation) use(call toolCall, said string) {
	name := call.Function.Name
	var args struct {
		Message string `json:"message"`
	}
	err := json.Unmarshal([]byte(call.Function.Arguments), &args)
	switch {
	case !c.set.offered(name):
		c.toolFailed(call, said, "Tool not found: "+name)
	case err != nil:
		c.toolFailed(call, said, "The arguments are not a JSON object")
	case name == "end_call":
		c.farewell(call, said, args.Message)
	case name == "voicemail_detection":
		c.farewell(call, said, c.set.Agent.Prompt.Tools[name].Params.VoicemailMessage)
	case name == "skip_turn":
		c.pushTool(said, call, "Turn skipped", false)
		c.toolUsed(call, false)
	case name == "language_detection":
		c.pushTool(said, call, "Language changed", false)
		c.toolUsed(call, false)
		c.followUp(said)
	default:
		c.toolFailed(call, said, "This is not possible on this call")
	}
}

// toolFailed tells the model that a tool did not work. It may speak again when
// it has not spoken.
func (c *conversation) toolFailed(call toolCall, said, why string) {
	c.pushTool(said, call, why, true)
	c.toolUsed(call, true)
	c.followUp(said)
}

// maxFollowUps bounds how often the model may use tools before it speaks.
const maxFollowUps = 5

// followUp lets the model go on after a tool when it has said nothing yet.
func (c *conversation) followUp(said string) {
	if said != "" {
		return
	}
	if c.followUps++; c.followUps > maxFollowUps {
		c.end(&ending{codeFailure, "custom_llm_error", "The model keeps using tools"})
		return
	}
	c.ask()
}

// farewell ends the conversation once everything is sent.
func (c *conversation) farewell(call toolCall, said, last string) {
	if said == "" && last != "" {
		c.newReply()
		c.reply.text.WriteString(last)
		c.speakUpTo(len(last))
		c.finishReply()
		said = last
	}
	c.pushTool(said, call, "Call ended", false)
	c.leaving = &call
}

// toolUsed tells the client about a tool.
func (c *conversation) toolUsed(call toolCall, isError bool) {
	c.emit("agent_tool_response", map[string]any{"agent_tool_response": map[string]any{
		"tool_name": call.Function.Name, "tool_call_id": call.ID, "tool_type": "system",
		"is_error": isError, "is_called": true, "event_id": c.nextEvent(),
	}})
}
