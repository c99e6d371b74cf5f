package cli

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/naiber/naiber/store/calls"
)

// afterCall bounds how long `call` waits for the work that follows a call.
const afterCall = 3 * time.Minute

// moment bounds the wait after a call's end for the event that work follows. Both events are
// written together, and so arrive together.
const moment = 2 * time.Second

// callTypes are the types of call that have a persona, the default first.
var callTypes = []string{string(calls.CallGeneral), string(calls.CallHealthCheck), string(calls.CallApplianceHelp), string(calls.CallCognitive)}

func call(p Program) *cobra.Command {
	var callType, reason string
	var follow bool
	cmd := &cobra.Command{
		Use: "call NAME|ID|PHONE", Short: "Phone somebody and follow the call", Args: cobra.ExactArgs(1),
		Long:    "Asks the running server for a call, then follows it until the work after it is done.\nIn the sandbox the elder answers by a script, unless somebody is that elder in the console.",
		Example: "  naiber call margaret --type general",
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains(callTypes, callType) {
			return misuse("--type is %s", strings.Join(callTypes, " or "))
		}
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
	cmd.Flags().StringVar(&callType, "type", callTypes[0], strings.Join(callTypes, " or "))
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record")
	cmd.Flags().BoolVar(&follow, "follow", true, "follow the call until its end")
	return cmd
}

var (
	errWorkWaits = errors.New("the work after the call is still waiting")
	errNoWork    = errors.New("nothing follows the call")
)

// beneath is the separator that indents a further line of an event to the words of the first.
var beneath = "\n" + strings.Repeat(" ", len("   12.3s  "))

// followCall prints the timeline as it grows, until the work after the call is
// done. Ctrl-C stops following; the call goes on.
func followCall(cmd *cobra.Command, r *Remote, name, callID string) error {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	var waiting *time.Timer // ends the wait for an event that may never come
	until := func(d time.Duration, why error) {
		if waiting != nil {
			waiting.Stop()
		}
		waiting = time.AfterFunc(d, func() { cancel(why) })
	}
	var began time.Time
	ended := false
	err := r.Follow(ctx, callID, func(e Event) bool {
		if began.IsZero() {
			began = e.At
		}
		if line := Describe(e, name); line != "" {
			cmd.Printf("%7.1fs  %s\n", e.At.Sub(began).Seconds(), strings.ReplaceAll(line, "\n", beneath))
		}
		switch e.Kind {
		case "ended": // the work that follows, if any, is scheduled at the same moment
			ended = true
			until(moment, errNoWork)
		case "post_call_scheduled":
			until(afterCall, errWorkWaits)
		}
		return !settled(e)
	})
	switch {
	case cmd.Context().Err() != nil && ended:
		cmd.Println("No longer following; the work after the call goes on.")
	case cmd.Context().Err() != nil:
		cmd.Println("No longer following; the call goes on.")
	case errors.Is(context.Cause(ctx), errNoWork):
	case errors.Is(context.Cause(ctx), errWorkWaits):
		cmd.Println("The work after the call is still waiting; see `naiber jobs list`.")
	default:
		return err
	}
	return nil
}

// settled reports whether an event is the last of a call.
func settled(e Event) bool {
	switch e.Kind {
	case "post_call_done":
		return true
	case "post_call_failed":
		var d struct {
			Final bool `json:"final"`
		}
		return json.Unmarshal(e.Data, &d) == nil && d.Final
	default:
		return false
	}
}
