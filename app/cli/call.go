package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// afterCall is how long `call` waits for the work that follows a call.
const afterCall = 3 * time.Minute

func call(p Program) *cobra.Command {
	var callType, reason string
	var follow bool
	cmd := &cobra.Command{
		Use: "call NAME|ID|PHONE", Short: "Phone somebody and follow the call", Args: cobra.ExactArgs(1),
		Long:    "Asks the running server for a call, then follows it until the work after it is done.\nIn the sandbox the elder answers by a script, unless somebody is that elder in the console.",
		Example: "  naiber call margaret --type general",
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r, err := p.Remote(cmd.Context())
		if err != nil {
			return err
		}
		id, name, err := r.FindPerson(cmd.Context(), args[0])
		if err != nil {
			return err
		}
		callID, err := r.PlaceCall(cmd.Context(), id, callType, reason)
		if err != nil {
			return err
		}
		cmd.Printf("calling %s (call %s)\n", name, callID)
		if !follow {
			return nil
		}
		return followCall(cmd, r, name, callID)
	}
	cmd.Flags().StringVar(&callType, "type", "general", "general, health_check, cognitive or appliance_help")
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record")
	cmd.Flags().BoolVar(&follow, "follow", true, "follow the call until its end")
	return cmd
}

// followCall prints the timeline as it grows. Ctrl-C stops following; the call goes on.
func followCall(cmd *cobra.Command, r *Remote, name, callID string) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	var began time.Time
	work := false
	err := r.Follow(ctx, callID, func(e Event) bool {
		if began.IsZero() {
			began = e.At
		}
		if line := Describe(e, name); line != "" {
			cmd.Printf("%7.1fs  %s\n", e.At.Sub(began).Seconds(), line)
		}
		switch e.Kind {
		case "post_call_scheduled":
			work = true
		case "ended":
			if !work {
				return false
			}
			time.AfterFunc(afterCall, cancel)
		case "post_call_done":
			return false
		case "post_call_failed":
			var d struct {
				Final bool `json:"final"`
			}
			return json.Unmarshal(e.Data, &d) != nil || !d.Final
		}
		return true
	})
	if cmd.Context().Err() == nil && ctx.Err() != nil {
		cmd.Println("The work after the call is still waiting; see `naiber jobs list`.")
		return nil
	}
	return err
}

// Describe puts an event of a call's timeline into words; an empty text means
// that it is of no interest to a reader.
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
		if d["corrected"] == true {
			return who + " was cut short: " + text("text")
		}
		return who + ": " + text("text")
	case "turn":
		return fmt.Sprintf("turn %s %s, first token after %s ms", text("place"), text("outcome"), text("ttftMs"))
	case "first_word":
		return "first word after " + text("ms") + " ms"
	case "ended":
		return fmt.Sprintf("ended: %s (%s, by %s)", text("outcome"), strings.ReplaceAll(text("cause"), "_", " "), text("by"))
	case "summary":
		return "summary: " + text("text")
	case "topics":
		return "topics: " + joined(d["topics"])
	case "amd":
		return "answered by " + text("answeredBy")
	case "keypad":
		return "keypad: " + text("digits")
	case "interrupted":
		return name + " interrupts"
	case "post_call_failed":
		return "post-call work failed: " + text("error")
	case "stream_started", "initiated", "conversation_started", "queued":
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
