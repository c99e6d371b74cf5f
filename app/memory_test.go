package app

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/memory/search"
	"github.com/naiber/naiber/memory/vectors/qdranttest"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/store/storetest"
)

// Neither a Qdrant that is away nor an embedding model that is keeps the process
// from starting, what is said from being kept, or its words from being found. It
// is counted, and vectors are made when both are there.
func TestMemoryWithoutItsParts(t *testing.T) {
	t.Parallel()
	cfg := complete()
	cfg.DataDir, cfg.Server.Host, cfg.Server.Port = t.TempDir(), "127.0.0.1", 0
	qdrant := qdranttest.New(t, qdranttest.Options{})
	cfg.Qdrant.URL = qdrant.URL()
	qdrant.Stop()
	nobody := "http://127.0.0.1:1"
	cfg.OpenAI.BaseURL, cfg.Twilio.BaseURL, cfg.ElevenLabs.BaseURL = nobody, nobody, nobody
	a, err := New(t.Context(), cfg, Options{DatabaseURL: storetest.URL(t)}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.release(context.Background()) })
	if known, err := a.asks(t, "qdrant"); !known || err == nil {
		t.Errorf("a Qdrant that is away: asked after %t, %v", known, err)
	}
	ada, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada", Phone: "+15550100123", Timezone: "UTC", Language: "en"},
		nil, []people.Consent{{Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	turn := memory.Turn{Scope: memory.Scope{Person: ada.ID}, Speaker: calls.RoleUser, Text: "My bees swarmed.", At: time.Now(), Source: memories.FromAPI, SourceKey: "1"}
	if _, err := a.memory.Keep(t.Context(), []memory.Turn{turn}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.recall.Embed(t.Context(), "bees"); err == nil {
		t.Error("nobody embeds, and it is not said")
	}
	got, err := a.recall.Recall(t.Context(), ada, "How are the bees?", nil)
	if err != nil || !strings.Contains(strings.Join(got, "\n"), "My bees swarmed.") {
		t.Errorf("recalled by words %q, %v", got, err)
	}
	if all := strings.Join(a.Degraded(), ", "); !strings.Contains(all, "memory: embedder") {
		t.Errorf("degraded: %s", all)
	}
	var said string
	for _, s := range a.Services() {
		if s.Name == "memory" {
			said, err = s.Check(t.Context())
		}
	}
	if err != nil || said != "1 vectors are still to be made" {
		t.Errorf("memory is said to be %q, %v", said, err)
	}
	qdrant.Start(t)
	until(t, "qdrant is back", func() bool { _, err := a.asks(t, "qdrant"); return err == nil })
}

// What config.yaml says is what memory does by itself, and what was measured.
func TestMemorySettingsAreItsDefaults(t *testing.T) {
	t.Parallel()
	if got, want := Default().memorySettings(), search.DefaultSettings(); got != want {
		t.Errorf("by default memory is set to %+v, and by itself to %+v", got, want)
	}
}
