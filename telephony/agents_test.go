package telephony

import (
	"testing"
	"testing/synctest"

	"github.com/naiber/naiber/store/calls"
)

func TestAgentFollowsTheCallType(t *testing.T) {
	t.Parallel()
	both := Config{AgentID: "a", CognitiveAgentID: "c"}
	for _, tt := range []struct {
		name string
		cfg  Config
		kind calls.CallType
		want string
	}{
		{"ordinary", both, calls.CallGeneral, "a"},
		{"cognitive", both, calls.CallCognitive, "c"},
		{"cognitive without an agent of its own", Config{AgentID: "a"}, calls.CallCognitive, "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				defer r.close()
				r.bridge.cfg.AgentID, r.bridge.cfg.CognitiveAgentID = tt.cfg.AgentID, tt.cfg.CognitiveAgentID
				call := rigCall
				call.Type = tt.kind
				r.tokens["t1"] = call
				r.begin()
				r.mu.Lock()
				defer r.mu.Unlock()
				if n := len(r.agents); n == 0 || r.agents[n-1] != tt.want {
					t.Errorf("addresses were asked for %q, want the last for %s", r.agents, tt.want)
				}
			})
		})
	}
}
