package api

import (
	"time"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
)

type lineText struct {
	Role     string    `json:"role" enum:"user,assistant"`
	Text     string    `json:"text"`
	At       time.Time `json:"at"`
	Intended string    `json:"intended,omitempty" doc:"What was meant to be said, where it was cut short"`
}

type turnOut struct {
	Place      int       `json:"place"`
	Attempt    int       `json:"attempt"`
	Kind       string    `json:"kind"`
	Heard      string    `json:"heard"`
	Reply      string    `json:"reply"`
	Withheld   string    `json:"withheld,omitempty" doc:"What the model said and was not spoken: the kind and the sentence, a line each"`
	Outcome    string    `json:"outcome,omitempty"`
	Persona    string    `json:"persona"`
	Model      string    `json:"model,omitempty"`
	TTFTMS     float64   `json:"ttftMs" doc:"Request to first token, milliseconds"`
	DurationMS float64   `json:"durationMs"`
	Filler     bool      `json:"filler,omitempty"`
	Joined     int       `json:"joined,omitempty"`
	At         time.Time `json:"at"`
}

type topicOut struct {
	Label           string    `json:"label"`
	Mentions        int       `json:"mentions"`
	LastMentionedAt time.Time `json:"lastMentionedAt"`
}

// Call is a call in a list. It is exported because the description of the API skips embedded
// types that are not.
type Call struct {
	ID             string     `json:"id"`
	UserID         string     `json:"userId,omitempty"`
	BelievedUserID string     `json:"believedUserId,omitempty"`
	Verified       string     `json:"verified,omitempty"`
	CallType       string     `json:"callType"`
	Direction      string     `json:"direction"`
	Reason         string     `json:"reason,omitempty"`
	Status         string     `json:"status"`
	Outcome        string     `json:"outcome,omitempty"`
	EndedCause     string     `json:"endedCause,omitempty"`
	EndedBy        string     `json:"endedBy,omitempty"`
	CallSID        string     `json:"callSid,omitempty"`
	ConversationID string     `json:"conversationId,omitempty"`
	Danger         *Danger    `json:"danger,omitempty" doc:"What danger the person told of"`
	AnsweredBy     string     `json:"answeredBy,omitempty"`
	Reconnects     int        `json:"reconnects,omitempty"`
	FirstWordMS    *int       `json:"firstWordMs,omitempty"`
	StartedAt      time.Time  `json:"startedAt"`
	AnsweredAt     *time.Time `json:"answeredAt,omitempty"`
	EndedAt        *time.Time `json:"endedAt,omitempty"`
}

// Danger is the latest kind of danger that the person reported. OverAt is when they took it back,
// nil if they did not.
type Danger struct {
	Kind   string     `json:"kind" example:"fall" doc:"What the danger is"`
	At     time.Time  `json:"at" doc:"When it was told of"`
	OverAt *time.Time `json:"overAt,omitempty" doc:"When they took it back"`
}

type callFull struct {
	Call

	Transcript []lineText `json:"transcript"`
	Summary    string     `json:"summary,omitempty"`
	Topics     []topicOut `json:"topics"`
	Turns      []turnOut  `json:"turns"`
	// Disclosed is nil unless a disclosure is known to have been heard in full.
	Disclosed *disclosed `json:"disclosed,omitempty"`
}

// disclosed is the disclosure in the first words of a call.
type disclosed struct {
	Place     string `json:"place,omitempty" example:"US-CA" doc:"Whose rule it was; absent: not known, and the strictest"`
	AI        bool   `json:"ai" doc:"That a computer speaks"`
	Full      bool   `json:"full" doc:"In full, not as a short reminder"`
	Recording string `json:"recording" enum:"recorded,written_down,not_kept" doc:"What was said of recording"`
	OptOutKey bool   `json:"optOutKey" doc:"Which key ends all calls"`
}

func callBody(c calls.Call) Call {
	out := Call{
		ID: c.ID.String(), UserID: known(c.PersonID.UUID), BelievedUserID: known(c.BelievedID.UUID), Verified: string(c.Verified), CallType: string(c.Type), Direction: string(c.Direction), Reason: c.Reason, Status: string(c.Status),
		CallSID: c.SID, ConversationID: c.ConversationID, AnsweredBy: c.AnsweredBy, Reconnects: c.Reconnects,
		FirstWordMS: c.FirstWordMS, StartedAt: c.CreatedAt.UTC(), AnsweredAt: utc(c.AnsweredAt), EndedAt: utc(c.EndedAt),
	}
	if d := c.Danger; d != nil {
		out.Danger = &Danger{Kind: d.Kind, At: d.At.UTC(), OverAt: utc(d.OverAt)}
	}
	if c.Ending != nil {
		out.Outcome, out.EndedCause, out.EndedBy = string(c.Ending.Outcome), c.Ending.Cause, c.Ending.By
	}
	return out
}

func turnBody(t calls.Turn) turnOut {
	return turnOut{
		Place: t.Place, Attempt: t.Attempt, Kind: string(t.Kind), Heard: t.Heard, Reply: t.Reply, Withheld: t.Withheld, Outcome: string(t.Outcome),
		Persona: t.Persona, Model: t.Model, TTFTMS: float64(t.TTFT) / float64(time.Millisecond),
		DurationMS: float64(t.Duration) / float64(time.Millisecond), Filler: t.Filler, Joined: t.Joined, At: t.At.UTC(),
	}
}

func topicBody(t memories.Topic) topicOut {
	return topicOut{Label: t.Label, Mentions: t.Mentions, LastMentionedAt: t.LastMentionedAt.UTC()}
}

func lineBody(u calls.Utterance) lineText {
	return lineText{Role: string(u.Role), Text: u.Text, At: u.At.UTC(), Intended: u.Intended}
}
