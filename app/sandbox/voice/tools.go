package voice

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
)

// shapes are the built-in tools that work on a telephone call, with their arguments.
var shapes = map[string]struct{ about, parameters string }{
	"end_call": {
		"End the call when the conversation is over.",
		`{"type":"object","properties":{"reason":{"type":"string"},"message":{"type":"string"}},"required":["reason"]}`,
	},
	"skip_turn": {
		"Say nothing and wait for the user.",
		`{"type":"object","properties":{"reason":{"type":"string"}},"required":[]}`,
	},
}

// offers returns the tools to offer to the model.
func (set *setup) offers() []any {
	var out []any
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		if tool := set.Agent.Prompt.Tools[name]; tool != nil {
			out = append(out, map[string]any{"type": "function", "function": map[string]any{
				"name": name, "description": cmp.Or(tool.Description, shapes[name].about), "parameters": json.RawMessage(shapes[name].parameters),
			}})
		}
	}
	return out
}

// use carries out a tool call of the model, which said the text in said first.
func (c *conversation) use(call toolCall, said string) {
	name := call.Function.Name
	var args struct {
		Message string `json:"message"`
	}
	err := json.Unmarshal([]byte(call.Function.Arguments), &args)
	switch {
	case c.set.Agent.Prompt.Tools[name] == nil:
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

// toolFailed tells the model that a tool did not work. If the model has said nothing, it may go
// on.
func (c *conversation) toolFailed(call toolCall, said, why string) {
	c.pushTool(said, call, why, true)
	c.toolUsed(call, true)
	c.followUp(said)
}

// maxFollowUps bounds how often the model may use tools before it speaks.
const maxFollowUps = 5

// followUp lets the model go on after a tool if it has said nothing yet.
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

// farewell ends the conversation once everything is sent. The model's last message is spoken only
// if it has said nothing.
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

// toolUsed reports a tool call to the client.
func (c *conversation) toolUsed(call toolCall, isError bool) {
	c.emit("agent_tool_response", map[string]any{"agent_tool_response": map[string]any{
		"tool_name": call.Function.Name, "tool_call_id": call.ID, "tool_type": "system",
		"is_error": isError, "is_called": true, "event_id": c.nextEvent(),
	}})
}
