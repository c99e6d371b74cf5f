// Package transfer exports a person's memory to a file of lines, and imports it again.
package transfer

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/memories"
	"github.com/naiber/naiber/store/schedules"
)

// The export of one person's memory is a file of lines, each a JSON object with a type:
// first a header, then turns in the order of time, then what was learned from them. Times
// are RFC 3339 in UTC. Windows, full text and vectors are not included: they are rebuilt
// from the turns.
const (
	transferFormat  = "naiber-memory"
	transferVersion = 1
)

// Types of lines.
const (
	lineHeader   = "header"
	lineTurn     = "turn"
	lineFact     = "fact"
	lineEntity   = "entity"
	lineRelation = "relation"
	lineSummary  = "summary"
	linePromise  = "promise"
	lineLimit    = "limit"
	lineCall     = "call" // the summary of a call
	lineTopic    = "topic"
	lineRepair   = "repair" // a repair session about an appliance
	lineMail     = "mail"
	lineAlert    = "alert"
	lineSchedule = "schedule"
	linePause    = "pause"
	lineChange   = "schedule_change"
)

type headerLine struct {
	Type       string    `json:"type"`
	Format     string    `json:"format"`
	Version    int       `json:"version"`
	ExportedAt time.Time `json:"exportedAt"`
	UserID     uuid.UUID `json:"userId"`
	// SecondPhone is another number at which the person answers.
	SecondPhone string `json:"secondPhone,omitempty"`
}

// turnLine is a turn. A line with only text and at is one as well.
type turnLine struct {
	Type         string          `json:"type,omitempty"`
	ID           uuid.UUID       `json:"id,omitzero"`
	Text         string          `json:"text"`
	At           time.Time       `json:"at"`
	Speaker      calls.Role      `json:"speaker,omitempty"`
	Name         string          `json:"name,omitempty"`
	Conversation string          `json:"conversation,omitempty"`
	Seq          int             `json:"seq,omitempty"`
	Source       memories.Source `json:"source,omitempty"`
	SourceKey    string          `json:"sourceKey,omitempty"`
	CallID       uuid.UUID       `json:"callId,omitzero"`
	SessionID    uuid.UUID       `json:"sessionId,omitzero"`
	ProjectID    uuid.UUID       `json:"projectId,omitzero"`
}

type factLine struct {
	Type       string      `json:"type"`
	ID         uuid.UUID   `json:"id"`
	Text       string      `json:"text"`
	Kind       string      `json:"kind"`
	Topic      string      `json:"topic,omitempty"`
	Confidence float32     `json:"confidence"`
	ValidFrom  *time.Time  `json:"validFrom,omitempty"`
	ValidTo    *time.Time  `json:"validTo,omitempty"`
	LearnedAt  time.Time   `json:"learnedAt"`
	ClosedAt   *time.Time  `json:"closedAt,omitempty"`
	ClosedBy   uuid.UUID   `json:"closedBy,omitzero"`
	Replaces   uuid.UUID   `json:"replaces,omitzero"`
	Stale      bool        `json:"stale,omitempty"`
	Sources    []uuid.UUID `json:"sources"`
	DependsOn  []uuid.UUID `json:"dependsOn,omitempty"`
}

type entityLine struct {
	Type      string      `json:"type"`
	ID        uuid.UUID   `json:"id"`
	Kind      string      `json:"kind"`
	Name      string      `json:"name"`
	Notes     string      `json:"notes,omitempty"`
	Aliases   []string    `json:"aliases"`
	FirstSeen time.Time   `json:"firstSeen"`
	LastSeen  time.Time   `json:"lastSeen"`
	CreatedAt time.Time   `json:"createdAt"`
	UpdatedAt time.Time   `json:"updatedAt"`
	Sources   []uuid.UUID `json:"sources"`
}

type relationLine struct {
	Type      string     `json:"type"`
	ID        uuid.UUID  `json:"id"`
	From      uuid.UUID  `json:"from"`
	To        uuid.UUID  `json:"to"`
	Label     string     `json:"label"`
	Fact      uuid.UUID  `json:"fact,omitzero"`
	ValidFrom *time.Time `json:"validFrom,omitempty"`
	ValidTo   *time.Time `json:"validTo,omitempty"`
	CreatedAt time.Time  `json:"createdAt"`
}

type summaryLine struct {
	Type      string    `json:"type"`
	ID        uuid.UUID `json:"id"`
	Text      string    `json:"text"`
	FromTurn  uuid.UUID `json:"fromTurn,omitzero"`
	ToTurn    uuid.UUID `json:"toTurn,omitzero"`
	FromAt    time.Time `json:"fromAt"`
	ToAt      time.Time `json:"toAt"`
	Turns     int       `json:"turns"`
	Tokens    int       `json:"tokens"`
	Model     string    `json:"model,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
}

type promiseLine struct {
	Type       string     `json:"type"`
	ID         uuid.UUID  `json:"id"`
	Text       string     `json:"text"`
	Kind       string     `json:"kind"`
	DueOn      string     `json:"dueOn,omitempty"`
	DueAt      *time.Time `json:"dueAt,omitempty"`
	Recurrence string     `json:"recurrence,omitempty"`
	Status     string     `json:"status"`
	CallID     uuid.UUID  `json:"callId,omitzero"`
	Turn       uuid.UUID  `json:"turn,omitzero"`
	UsedCall   uuid.UUID  `json:"usedCall,omitzero"`
	UsedAt     *time.Time `json:"usedAt,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
}

// callLine is the summary of a call.
type callLine struct {
	Type      string    `json:"type"`
	ID        uuid.UUID `json:"id"`
	CallID    uuid.UUID `json:"callId"`
	Text      string    `json:"text"`
	Model     string    `json:"model,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
}

// topicLine holds how often a call mentioned a topic.
type topicLine struct {
	Type     string    `json:"type"`
	Label    string    `json:"label"`
	CallID   uuid.UUID `json:"callId"`
	Mentions int       `json:"mentions"`
	At       time.Time `json:"at"`
}

type limitLine struct {
	Type      string             `json:"type"`
	ID        uuid.UUID          `json:"id"`
	Topic     string             `json:"topic"`
	Rule      memories.LimitRule `json:"rule"`
	Until     *time.Time         `json:"until,omitempty"`
	By        string             `json:"by"`
	How       string             `json:"how,omitempty"`
	CreatedAt time.Time          `json:"createdAt"`
}

// repairLine is a repair session about an appliance, with its messages.
type repairLine struct {
	Type       string          `json:"type"`
	Session    string          `json:"sessionId"`
	CallID     uuid.UUID       `json:"callId,omitzero"`
	State      json.RawMessage `json:"state"`
	CreatedAt  time.Time       `json:"createdAt"`
	UpdatedAt  time.Time       `json:"updatedAt"`
	ArchivedAt *time.Time      `json:"archivedAt,omitempty"`
	Messages   []messageLine   `json:"messages,omitempty"`
}

type messageLine struct {
	Seq     int             `json:"seq"`
	Role    string          `json:"role"`
	Content string          `json:"content"`
	At      time.Time       `json:"at"`
	Tool    json.RawMessage `json:"tool,omitempty"`
}

type mailLine struct {
	Type      string     `json:"type"`
	ID        uuid.UUID  `json:"id"`
	Key       string     `json:"key"`
	To        string     `json:"to"`
	Subject   string     `json:"subject"`
	HTML      string     `json:"html"`
	Text      string     `json:"text"`
	CreatedAt time.Time  `json:"createdAt"`
	SentAt    *time.Time `json:"sentAt,omitempty"`
	Attempts  int        `json:"attempts,omitempty"`
	Error     string     `json:"error,omitempty"`
}

// alertLine is an alert, with the notices sent and the events.
type alertLine struct {
	Type           string       `json:"type"`
	ID             uuid.UUID    `json:"id"`
	CallID         uuid.UUID    `json:"callId,omitzero"`
	Turn           int          `json:"turn,omitempty"`
	Tier           int          `json:"tier"`
	Kind           string       `json:"kind"`
	Quote          string       `json:"quote,omitempty"`
	Why            string       `json:"why,omitempty"`
	Unsure         bool         `json:"unsure,omitempty"`
	Status         string       `json:"status"`
	CreatedAt      time.Time    `json:"createdAt"`
	AcknowledgedAt *time.Time   `json:"acknowledgedAt,omitempty"`
	AcknowledgedBy string       `json:"acknowledgedBy,omitempty"`
	ClosedAt       *time.Time   `json:"closedAt,omitempty"`
	ClosedBy       string       `json:"closedBy,omitempty"`
	Outcome        string       `json:"outcome,omitempty"`
	Notices        []noticeLine `json:"notices,omitempty"`
	Events         []eventLine  `json:"events,omitempty"`
}

type noticeLine struct {
	ID          uuid.UUID  `json:"id"`
	To          string     `json:"to"`
	Channel     string     `json:"channel"`
	Address     string     `json:"address"`
	Status      string     `json:"status"`
	Detail      string     `json:"detail,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	SentAt      *time.Time `json:"sentAt,omitempty"`
	DeliveredAt *time.Time `json:"deliveredAt,omitempty"`
}

type eventLine struct {
	Kind   string    `json:"kind"`
	At     time.Time `json:"at"`
	By     string    `json:"by,omitempty"`
	Detail string    `json:"detail,omitempty"`
}

// scheduleLine is a schedule of regular calls to the person, with the outcome of each day.
type scheduleLine struct {
	Type          string           `json:"type"`
	ID            uuid.UUID        `json:"id"`
	CallType      string           `json:"callType"`
	RRule         string           `json:"rrule"`
	From          string           `json:"from"`
	To            string           `json:"to"`
	JitterMinutes int              `json:"jitterMinutes,omitempty"`
	Essential     bool             `json:"essential,omitempty"`
	GraceMinutes  int              `json:"graceMinutes,omitempty"`
	StartsOn      string           `json:"startsOn"`
	EndsOn        string           `json:"endsOn,omitempty"`
	Note          string           `json:"note,omitempty"`
	Paused        bool             `json:"paused,omitempty"`
	CreatedBy     string           `json:"createdBy,omitempty"`
	CreatedAt     time.Time        `json:"createdAt"`
	UpdatedAt     time.Time        `json:"updatedAt"`
	RemovedAt     *time.Time       `json:"removedAt,omitempty"`
	Occurrences   []occurrenceLine `json:"occurrences,omitempty"`
}

type occurrenceLine struct {
	ID          uuid.UUID  `json:"id"`
	Day         string     `json:"day"`
	CallType    string     `json:"callType"`
	Essential   bool       `json:"essential,omitempty"`
	WindowStart time.Time  `json:"windowStart"`
	Due         time.Time  `json:"due"`
	WindowEnd   time.Time  `json:"windowEnd"`
	Deadline    time.Time  `json:"deadline"`
	Status      string     `json:"status"`
	Why         string     `json:"why,omitempty"`
	SettledAt   *time.Time `json:"settledAt,omitempty"`
	Tries       []tryLine  `json:"tries,omitempty"`
}

type tryLine struct {
	N         int        `json:"n"`
	CallID    uuid.UUID  `json:"callId,omitzero"`
	StartedAt time.Time  `json:"startedAt"`
	EndedAt   *time.Time `json:"endedAt,omitempty"`
	Result    string     `json:"result,omitempty"`
}

// pauseLine is a period in which the person is not called.
type pauseLine struct {
	Type      string     `json:"type"`
	ID        uuid.UUID  `json:"id"`
	StartsAt  time.Time  `json:"startsAt"`
	EndsAt    *time.Time `json:"endsAt,omitempty"`
	Reason    string     `json:"reason,omitempty"`
	CreatedBy string     `json:"createdBy,omitempty"`
	LiftedAt  *time.Time `json:"liftedAt,omitempty"`
}

// changeLine is a change to their calls that the person made in a call.
type changeLine struct {
	Type      string            `json:"type"`
	ID        uuid.UUID         `json:"id"`
	CallID    uuid.UUID         `json:"callId"`
	Turn      int               `json:"turn"`
	Said      string            `json:"said,omitempty"`
	Confirmed string            `json:"confirmed"`
	Before    []schedules.State `json:"before"`
	After     []schedules.State `json:"after"`
	PauseFrom *time.Time        `json:"pauseFrom,omitempty"`
	PauseTo   *time.Time        `json:"pauseTo,omitempty"`
	CreatedAt time.Time         `json:"createdAt"`
}
