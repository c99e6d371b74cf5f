package agent

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestSync(t *testing.T) {
	t.Parallel()
	yes, no := func() bool { return true }, func() bool { return false }
	tests := []struct {
		name    string
		new     bool // start from nothing
		prepare func(w *workspace)
		change  func(*Settings)
		confirm func() bool
		dry     bool
		want    []string
		absent  []string
		changes bool
		fails   bool
	}{
		{
			name: "from nothing", new: true, confirm: yes, changes: true,
			want: []string{
				"  - will create the agent naiber\n", `      conversation_config.tts.voice_id: (not set) → "voice_1"`,
				"✓ created the agent agent_3\n", "✓ read back",
				"  ELEVENLABS_AGENT_ID=agent_3\n", "  ELEVENLABS_WEBHOOK_SECRET=wsec_wh_2\n",
			},
			absent: []string{"Note:", "is as nAIber needs it; there"},
		},
		{
			name: "refused", new: true, confirm: no,
			want: []string{"will create the agent", "Nothing was changed."}, absent: []string{"ELEVENLABS_"},
		},
		{
			name: "dry run", new: true, dry: true, confirm: func() bool { panic("asked in a dry run") },
			want: []string{"will create the agent"}, absent: []string{"✓"},
		},
		{
			name: "nothing to do", confirm: yes, changes: true, change: func(s *Settings) { s.AgentID = "agent_3" },
			want:   []string{"there is nothing to do", "written anew", "✓ wrote the value of the secret naiber-llm\n"},
			absent: []string{"ELEVENLABS_AGENT_ID="},
		},
		{
			name: "found by name", confirm: yes, changes: true,
			want: []string{"there is nothing to do", "ELEVENLABS_AGENT_ID=agent_3\n"},
		},
		{
			name: "nothing to do, dry", dry: true,
			want: []string{"there is nothing to do", "not compared"}, absent: []string{"written"},
		},
		{
			name: "a lost webhook secret", dry: true, change: func(s *Settings) { s.HasWebhookSecret = false },
			want: []string{"Note: The webhook wh_2 exists, but ELEVENLABS_WEBHOOK_SECRET is not set"},
		},
		{
			name: "the webhook's secret is shown though the rest failed", new: true, confirm: yes, changes: true, fails: true,
			prepare: func(w *workspace) { w.refuse = "POST /v1/convai/agents/create" },
			want:    []string{"ELEVENLABS_WEBHOOK_SECRET=wsec_wh_2"}, absent: []string{"read back", "ELEVENLABS_AGENT_ID"},
		},
		{
			name: "long values are cut", dry: true,
			prepare: func(w *workspace) { w.agents["agent_3"]["name"] = strings.Repeat("ö", 500) },
			change:  func(s *Settings) { s.AgentID = "agent_3"; s.VoiceID = strings.Repeat("v", 500) },
			want:    []string{"vvv…"}, absent: []string{strings.Repeat("v", shownRunes)},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace()
			c := w.client(t)
			if !tt.new {
				w, c = made(t)
			}
			if tt.prepare != nil {
				tt.prepare(w)
			}
			s := settings()
			if tt.change != nil {
				tt.change(&s)
			}
			var out bytes.Buffer
			_, err := Sync(t.Context(), &out, c, s, tt.confirm, tt.dry)
			if (err != nil) != tt.fails {
				t.Fatalf("err = %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is missing in:\n%s", want, out.String())
				}
			}
			for _, absent := range append(tt.absent, secretValue) {
				if strings.Contains(out.String(), absent) {
					t.Errorf("%q should not be in:\n%s", absent, out.String())
				}
			}
			if got := w.changed(); (len(got) > 0) != tt.changes {
				t.Errorf("changed: %v", got)
			}
		})
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("pipe is broken") }

func TestSyncChangesNothingUnseen(t *testing.T) {
	t.Parallel()
	w := newWorkspace()
	_, err := Sync(t.Context(), brokenWriter{}, w.client(t), settings(), func() bool { return true }, false)
	if err == nil || len(w.changed()) > 0 {
		t.Errorf("err = %v, want one and no change", err)
	}
}
