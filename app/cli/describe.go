package cli

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Describe returns an event of a call's timeline in words, or the empty string
// if it is of no interest to a reader. What a turn of a health check asked and
// recorded is on a line of its own.
func Describe(e Event, name string) string {
	var d map[string]any
	if err := json.Unmarshal(e.Data, &d); err != nil {
		d = nil
	}
	text := func(key string) string {
		switch v := d[key].(type) {
		case nil:
			return ""
		case string:
			return v
		case float64:
			return fmt.Sprintf("%.0f", v)
		default:
			return fmt.Sprint(v)
		}
	}
	switch e.Kind {
	case "heard":
		who := name
		if text("role") == "assistant" {
			who = "nAIber"
		}
		words, kept := d["text"]
		switch {
		case !kept: // the person does not consent to keeping the words
			return who + " speaks"
		case d["corrected"] == true:
			return fmt.Sprintf("%s was cut short: %v", who, words)
		default:
			return fmt.Sprintf("%s: %v", who, words)
		}
	case "turn":
		line := "turn " + text("place") + " " + text("outcome")
		if d["ttftMs"] != nil {
			line += ", first token after " + text("ttftMs") + " ms"
		}
		if check := describeCheck(e.Data); check != "" {
			line += "\n   " + check
		}
		return line
	case "danger":
		return "DANGER: " + name + " tells of danger (" + strings.ReplaceAll(text("kind"), "_", " ") + "); nAIber says to ring for help"
	case "connected":
		return text("to") + " talks with " + name + "; nAIber does not listen"
	case "danger_over":
		return name + " says to be all right"
	case "first_word":
		return "first word after " + text("ms") + " ms"
	case "ended":
		return fmt.Sprintf("ended: %s (%s, by %s)", text("outcome"), strings.ReplaceAll(text("cause"), "_", " "), text("by"))
	case "summary":
		return "summary: " + text("text")
	case "topics":
		return "topics: " + joined(d["topics"])
	case "amd":
		return "answered by " + strings.ReplaceAll(text("answeredBy"), "_", " ")
	case "keypad":
		return "keypad: " + text("digits")
	case "interrupted":
		return name + " interrupts"
	case "post_call_failed":
		return "post-call work failed: " + text("error")
	case "stream_started":
		if d["reconnect"] == true {
			return "the line is back"
		}
		return ""
	case "initiated", "conversation_started", "queued", "stream_status", "voice_service_report":
		return ""
	default:
		return strings.ReplaceAll(e.Kind, "_", " ")
	}
}

func joined(v any) string {
	list, ok := v.([]any)
	if !ok {
		return ""
	}
	parts := make([]string, len(list))
	for i, p := range list {
		if m, ok := p.(map[string]any); ok {
			p = m["label"]
		}
		parts[i] = fmt.Sprint(p)
	}
	return strings.Join(parts, ", ")
}
