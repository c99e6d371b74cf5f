package general

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/personas/recall"
	"github.com/naiber/naiber/store/people"
)

// library is a memory whose words mean what their first one says.
type library struct {
	mu       sync.Mutex    // guards what follows
	slow     time.Duration // of meanings
	err      error         // of meanings
	heavy    time.Duration // of searches for what is alike in meaning
	searches []string
}

func (l *library) Embed(ctx context.Context, text string) ([]float32, error) {
	l.mu.Lock()
	slow, err := l.slow, l.err
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	switch first, _, _ := strings.Cut(text, " "); strings.Trim(first, ",") {
	case "garden":
		return []float32{1, 0.2}, nil
	case "roses": // much the same as the garden
		return []float32{0.9, 0.4}, nil
	default:
		return []float32{-0.2, 1}, nil
	}
}

func (l *library) Recall(_ context.Context, _ people.Person, words string, meaning []float32) ([]string, error) {
	l.mu.Lock()
	heavy := l.heavy
	l.mu.Unlock()
	how := "meaning"
	if meaning == nil {
		how, heavy = "words", 0
	}
	time.Sleep(heavy) //nolint:forbidigo // fake time, in a synctest bubble
	l.mu.Lock()
	defer l.mu.Unlock()
	l.searches = append(l.searches, how+" of "+words)
	return []string{how + " of " + words}, nil
}

func (l *library) change(slow time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slow, l.err = slow, err
}

func (l *library) hang(heavy time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heavy = heavy
}

// taken returns what was searched since it was last asked for.
func (l *library) taken() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := strings.Join(l.searches, ", ")
	l.searches = nil
	return out
}

func TestTopicIsSearchedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lib, m := &library{}, &model{reply: "I see."}
		p := newPersona(t, m, lib, nil)
		line := known()
		for _, step := range []struct {
			heard    string
			pause    time.Duration // before it
			searched string
			told     string
		}{
			{"garden is in bloom", 0, "meaning of garden is in bloom", "meaning of garden is in bloom"},
			{"roses above all", time.Second, "", "meaning of garden is in bloom"},
			{"um", time.Second, "", "meaning of garden is in bloom"},
			{"roses, which did I plant?", time.Second, "meaning of roses, which did I plant?", "meaning of roses, which"},
			{"doctor rang me yesterday", time.Second, "meaning of doctor rang me yesterday", "meaning of doctor"},
			{"garden again", time.Second, "meaning of garden again", "meaning of garden again"},
			{"roses are fine", recall.DefaultHighlightsFor, "meaning of roses are fine", "meaning of roses are fine"},
		} {
			time.Sleep(step.pause) //nolint:forbidigo // fake time, in a synctest bubble
			if degraded := reply(t, p, turnOf(line, "Hello.", step.heard)).Notes["degraded"]; degraded != nil {
				t.Errorf("%q: degraded %v", step.heard, degraded)
			}
			if got := lib.taken(); got != step.searched {
				t.Errorf("%q: searched %q, want %q", step.heard, got, step.searched)
			}
			if s := m.last(t).Messages[0].Content; !strings.Contains(s, "- «"+step.told) || strings.Count(s, "\n- ") != 1 {
				t.Errorf("%q: the model was told %q, want %q", step.heard, s, step.told)
			}
		}
		// Another call has its own topic.
		reply(t, p, turnOf(known(), "Hello.", "roses are fine"))
		if got := lib.taken(); got == "" {
			t.Error("one call was answered from another's topic")
		}
		p.cfg.Recall.Close()
	})
}

// What means nothing, or takes too long to, is searched by words alone.
func TestRecallByWords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		lib, m := &library{}, &model{reply: "I see."}
		p := newPersona(t, m, lib, nil)
		line := known()
		say := func(heard, degraded, told, searched string) {
			t.Helper()
			began := time.Now()
			got := fmt.Sprint(reply(t, p, turnOf(line, "Hello.", heard)).Notes["degraded"])
			if took := time.Since(began); took > recall.DefaultDeadline {
				t.Errorf("%q: the first word waited %s", heard, took)
			}
			time.Sleep(2 * time.Second) //nolint:forbidigo // fake time, in a synctest bubble
			if s := m.last(t).Messages[0].Content; got != degraded || !strings.Contains(s, told) {
				t.Errorf("%q: degraded %s, told %q; want %s, %q", heard, got, s, degraded, told)
			}
			if got := lib.taken(); got != searched {
				t.Errorf("%q: searched %q, want %q", heard, got, searched)
			}
		}
		lib.change(0, errors.New("away"))
		say("garden is in bloom", "[recall_by_words]", "words of garden is", "words of garden is in bloom")
		// It is back, but slow: the words serve now, the meaning the next turn.
		lib.change(time.Second, nil)
		say("garden is green", "<nil>", "words of garden is green", "words of garden is green, meaning of garden is green")
		lib.change(0, nil)
		say("roses are fine", "<nil>", "meaning of garden is green", "")
		// A little slow is in time.
		lib.change(recall.DefaultDeadline*2/3, nil)
		say("doctor rang me", "<nil>", "meaning of doctor rang me", "words of doctor rang me, meaning of doctor rang me")
		// What is alike in meaning is looked for by a server that hangs.
		lib.change(0, nil)
		lib.hang(time.Second)
		say("garden has weeds", "<nil>", "words of garden has weeds", "words of garden has weeds, meaning of garden has weeds")
		lib.hang(0)
		say("roses have none", "<nil>", "meaning of garden has weeds", "")
		p.cfg.Recall.Close()
	})
}

// panicking panics where memory is asked.
type panicking struct{ embed bool }

func (p panicking) Embed(context.Context, string) ([]float32, error) {
	if p.embed {
		panic("in Embed")
	}
	return nil, nil
}

func (panicking) Recall(context.Context, people.Person, string, []float32) ([]string, error) {
	panic("in Recall")
}

// A panic in recalling costs the turn its memories.
func TestRecallThatPanics(t *testing.T) {
	t.Parallel()
	for _, r := range []panicking{{true}, {false}} {
		p := newPersona(t, &model{reply: "How lovely."}, r, nil)
		got := reply(t, p, turnOf(known(), "Hello.", "The garden is in bloom"))
		if got.Text != "How lovely." || fmt.Sprint(got.Notes["degraded"]) != "[recall_failed]" {
			t.Errorf("%+v: %+v", r, got)
		}
	}
}
