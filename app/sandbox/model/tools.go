package model

import (
	"slices"
	"strconv"
	"strings"
)

// chooseTools returns the calls that the model makes. alone says that they
// stand without spoken text.
func chooseTools(req *chatRequest) (calls []toolCall, alone bool) {
	if len(req.Tools) == 0 || req.ToolChoice == "none" {
		return nil, false
	}
	sc := readScene(req.Messages)
	switch req.ToolChoice {
	case "auto":
	case "required":
		if t, ok := aptTool(req); ok {
			return []toolCall{callOf(t, sc, len(req.Messages))}, true
		}
		return []toolCall{callOf(req.Tools[0], sc, len(req.Messages))}, true
	default:
		i := slices.IndexFunc(req.Tools, func(t tool) bool { return t.Name == req.ToolChoice })
		return []toolCall{callOf(req.Tools[i], sc, len(req.Messages))}, true
	}
	t, ok := aptTool(req)
	if !ok {
		return nil, false
	}
	return []toolCall{callOf(t, sc, len(req.Messages))}, t.Name != "end_call"
}

// aptTool picks the tool that fits what was said last: leave-taking ends the
// call, "hold on" skips the turn, and any other tool is called when all the
// words of its name were said. After a tool's result none is.
func aptTool(req *chatRequest) (tool, bool) {
	last := req.Messages[len(req.Messages)-1]
	if last.Role != "user" {
		return tool{}, false
	}
	for _, t := range req.Tools {
		if toolFits(t.Name, last.Content) {
			return t, true
		}
	}
	return tool{}, false
}

func toolFits(name, said string) bool {
	switch name {
	case "end_call":
		return isGoodbye(said) || isWrongPerson(said)
	case "skip_turn":
		return hasAny(said, "hold on", "one moment", "just a minute", "wait a minute", "hang on", "just a moment", "give me a minute", "give me a second")
	case "voicemail_detection":
		return hasAny(said, "leave a message", "after the tone", "after the beep")
	}
	stems := stemsOf(said)
	matched := 0
	for part := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return r == '_' || r == '-' }) {
		if slices.Contains([]string{"get", "find", "look", "search", "check", "do", "run", "tool", "to", "call", "number", "agent", "transfer"}, part) {
			continue
		}
		if !slices.Contains(stems, stemOf(part)) {
			return false
		}
		matched++
	}
	return matched > 0
}

// callOf fills the arguments of a call from what was said. A tool whose
// parameters cannot be filled is called with none.
func callOf(t tool, sc *scene, turn int) toolCall {
	args := "{}"
	if t.Parameters != nil {
		if filled, err := fillSchema(t.Parameters, sc); err == nil {
			args = filled
		}
	}
	switch t.Name {
	case "end_call":
		args = `{"reason":"the person said goodbye"}`
	case "skip_turn":
		args = `{"reason":"the person asked for a moment"}`
	}
	return toolCall{ID: "call_" + strconv.Itoa(turn) + "_" + t.Name, Type: "function", Function: functionCall{Name: t.Name, Arguments: args}}
}
