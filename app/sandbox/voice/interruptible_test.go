package voice_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/naiber/naiber/app/sandbox/voice"
)

const (
	// greeting takes ten seconds to say, which are one here.
	greeting = "one two three four five six seven eight nine ten eleven twelve, and all that once again: " +
		"one two three four five six seven eight nine ten eleven twelve."
	inFull   = `"language":"en","disable_first_message_interruptions":true`
	noted    = `"turn_eagerness":"patient","transcribe_on_disabled_interruptions":true`
	ignoring = `"turn_eagerness":"patient","interruption_ignore_terms":["mm-hmm","mm-hm"]`
)

func slowly(c *voice.Config) { c.WPM = 120 }

// neverInterrupted fails when an interruption is among events.
func neverInterrupted(t *testing.T, events []map[string]any) {
	t.Helper()
	for _, m := range events {
		if m["type"] == "interruption" {
			t.Errorf("interrupted: %v", kinds(events))
		}
	}
}

// A first message that may not be interrupted is heard to its end, and what was
// said over it is answered then. The reply to that may be interrupted.
func TestFirstMessageIsHeardInFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slowly, `"Hello."`, `"`+greeting+`"`, `"language":"en"`, inFull, `"turn_eagerness":"patient"`, noted)
		st.answer(says(greeting), says("Sorry."))
		c := st.call(initData)
		c.response()
		<-time.After(100 * time.Millisecond)
		c.say("Who is there?")
		c.say("Who are you?")
		_, before := c.until("user_transcript")
		neverInterrupted(t, before)
		if got, want := st.ask().dialogue(), "assistant: "+greeting+"\nuser: Who is there? Who are you?\n"; got != want {
			t.Errorf("dialogue:\n%swant:\n%s", got, want)
		}
		c.response()
		<-time.After(300 * time.Millisecond)
		c.say("Stop it now.")
		c.next("interruption")
	})
}

// Unless it is to be transcribed, nothing that is said over it is heard at all.
func TestNothingIsHeardOverFirstMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slowly, `"Hello."`, `"`+greeting+`"`, `"language":"en"`, inFull)
		c := st.call(initData)
		c.response()
		c.say("Who is there?")
		c.hears("twelve.")
		<-time.After(2 * time.Second) // what was sent is played
		c.say("Now then.")
		if got, want := st.ask().dialogue(), "assistant: "+greeting+"\nuser: Now then.\n"; got != want {
			t.Errorf("dialogue:\n%swant:\n%s", got, want)
		}
	})
}

// What is typed over it waits, too.
func TestTypedOverFirstMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slowly, `"Hello."`, `"`+greeting+`"`, `"language":"en"`, inFull)
		c := st.call(initData)
		c.response()
		c.send(`{"type":"user_message","text":"[keypad: 1]"}`)
		_, before := c.until("user_transcript")
		neverInterrupted(t, before)
		if got, want := st.ask().dialogue(), "assistant: "+greeting+"\nuser: [keypad: 1]\n"; got != want {
			t.Errorf("dialogue:\n%swant:\n%s", got, want)
		}
	})
}

// The sounds of a listener do not interrupt, but words after them do, and after
// the reply they are an answer.
func TestIgnoredTerms(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat(greeting+" ", 3)
		st := newStage(t, slowly, `"Hello."`, `""`, `"turn_eagerness":"patient"`, ignoring)
		st.answer(says(long), says("Yes?"), says("Fine."))
		c := st.call(initData)
		c.say("Please count.")
		st.ask()
		c.response()
		for range 2 {
			c.say("Mm-hm.")
			<-time.After(500 * time.Millisecond)
		}
		c.say("Mm-hmm, but stop it now.")
		_, before := c.until("interruption")
		for _, m := range before {
			if m["type"] == "user_transcript" {
				t.Errorf("a turn before it: %v", kinds(before))
			}
		}
		if got := st.ask().dialogue(); !strings.HasSuffix(got, "\nuser: Mm-hmm, but stop it now.\n") || !strings.Contains(got, "one two three") {
			t.Errorf("dialogue:\n%s", got)
		}
		c.hears("Yes?")
		<-time.After(300 * time.Millisecond)
		c.say("Mm-hm.")
		if got := st.ask().dialogue(); !strings.HasSuffix(got, "\nassistant: Yes?\nuser: Mm-hm.\n") {
			t.Errorf("dialogue:\n%s", got)
		}
	})
}
