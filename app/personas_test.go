package app

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/memory"
	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/personas/health"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/people"
)

// A person whose health check broke off and who phones us back is on with the
// check again: before the work after the call, and after it. Others want company.
func TestCallBackGoesOnWithTheCheck(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	if types := a.replies[calls.CallHealthCheck]; types == nil || a.finishers[calls.CallHealthCheck] == nil {
		t.Fatal("no persona holds health checks")
	}
	ada := people.Person{Name: "Ada Winter", PreferredName: "Ada", Phone: "+15550100123", Timezone: "UTC", Language: "en"}
	ada, err := a.store.CreatePerson(t.Context(), ada, nil, []people.Consent{{Scope: people.ScopeRecording, GivenBy: "Ada", How: "on paper"}})
	if err != nil {
		t.Fatal(err)
	}
	call, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: calls.CallHealthCheck, Direction: calls.Outbound, Phone: ada.Phone})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.inboundType(t.Context(), ada); got != calls.CallGeneral {
		t.Errorf("before anything: %s", got)
	}
	if err := a.store.AddConversation(t.Context(), call.ID, "conv_1"); err != nil {
		t.Fatal(err)
	}
	call.ConversationID = "conv_1"
	line := calls.Line{Call: call, Person: ada, ConversationID: "conv_1"}
	said := "Hello Ada. Is this a good moment?"
	var history []llm.Message
	for _, heard := range []string{"Yes, it is.", "About a seven.", "I slept very well."} {
		history = append(history, llm.Message{Role: llm.RoleAssistant, Content: said}, llm.Message{Role: llm.RoleUser, Content: heard})
		s := orchestration.NewSpeech()
		turn := &orchestration.Turn{
			ID: store.NewTurnID(), Line: line, Place: len(history), Kind: calls.TurnSpeech, Heard: heard,
			Messages: slices.Clone(history), At: time.Now(),
		}
		if err := a.health.Reply(t.Context(), turn, s); err != nil {
			t.Fatal(err)
		}
		if said = s.Text(); said == "" {
			t.Fatal("nothing was said")
		}
	}
	if h, err := a.checkpoints.Load(t.Context(), health.ThreadName(ada.ID, "conv_1")); err != nil || len(h.Checkpoints) == 0 {
		t.Errorf("the thread has another name than the one by which it is forgotten: %+v, %v", h, err)
	}
	if hc, is, err := a.runningCheck(t.Context(), ada.ID); err != nil || !is || hc.CallID != call.ID || len(hc.Answers) == 0 {
		t.Errorf("under way: %+v, %t, %v", hc, is, err)
	}
	_, _, err = a.store.FinishCall(t.Context(), call.ID, calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"},
		func(store.Tx, calls.Call) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if got := a.inboundType(t.Context(), ada); got != calls.CallHealthCheck {
		t.Errorf("right after: %s", got)
	}
	if _, is, err := a.runningCheck(t.Context(), ada.ID); is || err != nil {
		t.Errorf("still under way after its call: %v", err)
	}
	if err := a.finishers[calls.CallHealthCheck](t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if got := a.inboundType(t.Context(), ada); got != calls.CallHealthCheck {
		t.Errorf("after the work that follows the call: %s", got)
	}
	if got := a.inboundType(t.Context(), people.Person{ID: store.NewPersonID()}); got != calls.CallGeneral {
		t.Errorf("somebody else: %s", got)
	}
}

// What was said of an illness on record, in whichever way, keeps nAIber from
// coming back to it for a while; but not of those who do not want to be remembered.
func TestCoolDownFollows(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	ada := a.remembered(t, people.Person{Conditions: []string{"Type 2 diabetes"}})
	cooling := func() bool {
		t.Helper()
		topics, err := a.store.MemoryLimitTopics(t.Context(), nil, []store.PersonID{ada.ID}, time.Now(), memories.CoolDown)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.store.Pool().Exec(t.Context(), "delete from memory_limits"); err != nil {
			t.Fatal(err)
		}
		return slices.Equal(topics, []string{"diabetes"})
	}
	finish := func(kind calls.CallType) {
		t.Helper()
		c, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: kind, Direction: calls.Outbound, Phone: ada.Phone})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.store.AddUtterance(t.Context(), calls.Utterance{CallID: c.ID, Role: calls.RoleUser, Text: "My diabetes is better.", At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		ending := calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"}
		if _, _, err := a.store.FinishCall(t.Context(), c.ID, ending, func(store.Tx, calls.Call) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if c, err = a.store.Call(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
		_ = a.finishers[kind](t.Context(), c) // there is no model to learn with
	}
	for kind := range a.finishers {
		if finish(kind); !cooling() {
			t.Errorf("after a call of type %s it is not left alone", kind)
		}
	}
	ses, _, err := a.store.EnsureChatSession(t.Context(), "letters", ada.ID, uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	_, err = a.memory.Keep(t.Context(), []memory.Turn{{
		Scope: memory.Scope{Person: ada.ID, Session: ses.ID}, Conversation: ses.ID.String(), Speaker: calls.RoleUser, Text: "My diabetes is worse.",
		At: now, Source: memories.FromChat, SourceKey: memory.EpisodeKey(ses.ID, 1, calls.RoleUser),
	}})
	if err != nil {
		t.Fatal(err)
	}
	_ = a.finishWriting(t.Context(), memories.Writing{Session: ses.ID, PersonID: ada.ID, After: now.Add(-time.Hour), Through: now.Add(time.Minute)})
	if !cooling() {
		t.Error("after writing it is not left alone")
	}
	if _, err := a.store.RevokeConsent(t.Context(), ada.ID, people.ScopeMemory, "Ada", "by letter"); err != nil {
		t.Fatal(err)
	}
	if finish(calls.CallGeneral); cooling() {
		t.Error("kept without consent")
	}
}

// A story that is told in place of an answer is remembered as it would be from any
// other call.
func TestStoryInAHealthCheckIsRemembered(t *testing.T) {
	t.Parallel()
	a := made(t, "")
	consents := []people.Consent{{Scope: people.ScopeRecording, GivenBy: "Ada", How: "on paper"}, {Scope: people.ScopeMemory, GivenBy: "Ada", How: "on paper"}}
	ada, err := a.store.CreatePerson(t.Context(), people.Person{Name: "Ada Winter", Phone: "+15550100123", Timezone: "UTC", Language: "en"}, nil, consents)
	if err != nil {
		t.Fatal(err)
	}
	call, err := a.store.CreateCall(t.Context(), calls.NewCall{PersonID: ada.ID, Type: calls.CallHealthCheck, Direction: calls.Inbound, Phone: ada.Phone})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.store.AddConversation(t.Context(), call.ID, "conv_1"); err != nil {
		t.Fatal(err)
	}
	const story = "Our boat was called Marigold, and every summer my brother Edwin rowed us over to the island with a basket of plums, until the year it sank."
	for i, said := range []calls.Utterance{{Role: calls.RoleAssistant, Text: "How is your energy today?"}, {Role: calls.RoleUser, Text: story}} {
		said.CallID, said.ConversationID, said.At = call.ID, "conv_1", time.Now().Add(time.Duration(i)*time.Second)
		if _, err := a.store.AddUtterance(t.Context(), said); err != nil {
			t.Fatal(err)
		}
	}
	end := calls.Ending{Verified: calls.Presumed, Outcome: calls.OutcomeReached, Cause: "hung_up", By: "person"}
	if call, _, err = a.store.FinishCall(t.Context(), call.ID, end, func(store.Tx, calls.Call) error { return nil }); err != nil {
		t.Fatal(err)
	}
	// Without a model nothing else is learned yet, and the job is to come back.
	if err := a.finishers[calls.CallHealthCheck](t.Context(), call); err == nil {
		t.Error("there is a model")
	}
	kept, err := a.store.MemoryTurnsOf(t.Context(), memories.Scope{Person: ada.ID}, time.Now().Add(time.Hour), uuid.Max, 10)
	if err != nil || !slices.ContainsFunc(kept, func(m memories.Turn) bool { return m.Text == story && m.CallID == call.ID }) {
		t.Errorf("kept: %+v, %v", kept, err)
	}
}
