package voice

import (
	"cmp"
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

// shapes are the built-in tools that work on a telephone call, and their
// arguments: the required ones, and the optional one.
var shapes = map[string]struct {
	about    string
	required []string
	optional string
}{
	"end_call":  {"End the call when the conversation is over.", []string{"reason"}, "message"},
	"skip_turn": {"Say nothing and wait for the user.", []string{}, "reason"},
}

// offered reports whether the agent may use the tool.
func (set *setup) offered(name string) bool { return set.Agent.Prompt.Tools[name] != nil }

// offers are the tools to offer to the model.
func (set *setup) offers() []toolOffer {
	var out []toolOffer
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		if !set.offered(name) {
			continue
		}
		shape := shapes[name]
		properties := map[string]any{shape.optional: map[string]string{"type": "string"}}
		for _, arg := range shape.required {
			properties[arg] = map[string]string{"type": "string"}
		}
		about := cmp.Or(set.Agent.Prompt.Tools[name].Description, shape.about)
		out = append(out, toolOffer{"function", toolShape{name, about, map[string]any{
			"type": "object", "properties": properties, "required": shape.required,
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
	case name == "skip_turn":
		c.pushTool(said, call, "Turn skipped", false)
		c.toolUsed(call, false)
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
