package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/naiber/naiber/personas/appliance"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/mails"
	"github.com/naiber/naiber/store/repairs"
)

// Helper helps with appliances; [appliance.Persona] is one.
type Helper interface {
	Chat(ctx context.Context, w appliance.Written) (appliance.Reply, error)
}

func (a *api) repairs(h huma.API) {
	op := underChat("appliances", "/api")
	handle(a, h, op("repair-chat", http.MethodPost, "/chat", "Write about an appliance, and get the reply", http.StatusOK, http.StatusNotFound, http.StatusConflict, http.StatusGone), a.writeRepair)
	handle(a, h, op("get-repair-session", http.MethodGet, "/sessions/{id}", "What is known in a session about an appliance", http.StatusOK), about(a.findRepair, a.showRepair))
}

func (a *api) mails(h huma.API) {
	op := under("mails", "/api/v1/mails")
	handle(a, h, op("list-mails", http.MethodGet, "", "Mails, newest first", http.StatusOK), a.listMails)
	handle(a, h, op("get-mail", http.MethodGet, "/{id}", "One mail", http.StatusOK), func(ctx context.Context, in *MailPath) (mailFull, error) {
		m, err := a.Store.Mail(ctx, mails.ID(in.ID))
		return mailFull{mailBody(m), m.HTML, m.Text}, err
	})
}

type repairIn struct {
	Message   string `json:"message" minLength:"1" maxLength:"8000" pattern:"\\S" patternDescription:"not blank"`
	SessionID string `json:"sessionId,omitempty" pattern:"^[A-Za-z0-9._:@-]{1,200}$" patternDescription:"letters, digits and ._:@-" doc:"One of your own; it is made where there is none. Absent: a new session"`
	UserID    string `json:"userId,omitempty" doc:"Whose session it is: it is forgotten with them"`
}

type repairOut struct {
	Message   string              `json:"message"`
	SessionID string              `json:"sessionId"`
	ToolData  *appliance.ToolData `json:"toolData,omitempty" doc:"What a tool found for this message, to be shown"`
}

// writeRepair answers a message. Once the message is stored, the reply is made and stored even if
// the client leaves.
func (a *api) writeRepair(ctx context.Context, in *one[repairIn]) (repairOut, error) {
	person, err := a.personOrNobody(ctx, in.Body.UserID)
	if err != nil {
		return repairOut{}, err
	}
	id := cmp.Or(in.Body.SessionID, uuid.NewString())
	b, err := a.Store.BeginRepair(ctx, id, person, in.Body.Message, a.Repairs)
	if err != nil {
		return repairOut{}, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Repairs.Lease)
	defer cancel()
	reply, err := a.answerRepair(ctx, b, in.Body.Message)
	if err != nil {
		a.releaseRepair(ctx, b)
	}
	return repairOut{reply.Text, id, reply.Tool}, err
}

// answerRepair answers a message, after the message before it if that got no reply: what a tool
// did for that one is then not done again.
func (a *api) answerRepair(ctx context.Context, b repairs.Begun, text string) (appliance.Reply, error) {
	w := appliance.Written{Session: b.Session.ID, Person: b.Session.PersonID, State: b.Session.State}
	if w.Person.Known() {
		p, err := a.Store.Person(ctx, w.Person)
		if err != nil {
			return appliance.Reply{}, err
		}
		w.Language, w.Phone = p.Language, p.Phone
	}
	if m := b.Unanswered; m != nil {
		w.Seq, w.Text = m.Seq, m.Content
		r, err := a.replyRepair(ctx, b, w)
		if err == nil {
			w.State = r.State
		} else {
			a.Log.WarnContext(ctx, "message of a session stays without a reply", "session_id", w.Session, "err", err)
		}
	}
	w.Seq, w.Text = b.Seq, text
	return a.replyRepair(ctx, b, w)
}

// replyRepair answers a message and stores the reply.
func (a *api) replyRepair(ctx context.Context, b repairs.Begun, w appliance.Written) (appliance.Reply, error) {
	r, err := a.Appliance.Chat(ctx, w)
	if err != nil {
		return r, err
	}
	answer := repairs.Answer{Seq: w.Seq, Text: r.Text, State: r.State}
	if r.Tool != nil {
		if answer.Tool, err = json.Marshal(r.Tool); err != nil {
			return r, err
		}
	}
	return r, a.Store.AnswerRepair(ctx, b, answer)
}

// releasedWithin bounds the release of a session whose message got no reply.
const releasedWithin = 5 * time.Second

func (a *api) releaseRepair(ctx context.Context, b repairs.Begun) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releasedWithin)
	defer cancel()
	if err := a.Store.ReleaseRepair(ctx, b); err != nil {
		a.Log.WarnContext(ctx, "session takes no message for a while", "session_id", b.Session.ID, "err", err)
	}
}

type repairMessage struct {
	Role     string          `json:"role" enum:"user,assistant"`
	Content  string          `json:"content"`
	At       time.Time       `json:"at"`
	ToolData json.RawMessage `json:"toolData,omitempty" doc:"What a tool found for the message"`
}

// repairSession is a whole session. Unknown values are null.
type repairSession struct {
	SessionID string          `json:"sessionId"`
	UserID    string          `json:"userId,omitempty"`
	CallID    string          `json:"callId,omitempty" doc:"The call, where it is one"`
	Messages  []repairMessage `json:"messages" doc:"What was said, where it may be kept"`

	ProductModel   *string         `json:"productModel"`
	PartNumber     *string         `json:"partNumber"`
	Symptoms       []string        `json:"symptoms"`
	GoalType       *string         `json:"goalType" doc:"What is wanted and not done yet"`
	EmailAddress   *string         `json:"emailAddress"`
	LastToolResult json.RawMessage `json:"lastToolResult" doc:"toolData of the last tool"`

	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
	ArchivedAt *time.Time `json:"archivedAt,omitempty" doc:"Since when it takes no more messages"`
}

func (a *api) findRepair(ctx context.Context, id string) (repairs.Session, error) {
	return a.Store.RepairSession(ctx, id)
}

func (a *api) showRepair(ctx context.Context, s repairs.Session, _ *SessionPath) (repairSession, error) {
	out := repairSession{Messages: []repairMessage{}, Symptoms: []string{}, LastToolResult: json.RawMessage("null")}
	if err := json.Unmarshal(s.State, &out); err != nil { // the state has the same field names
		return out, err
	}
	out.SessionID, out.UserID, out.CallID = s.ID, known(s.PersonID.UUID), known(s.CallID.UUID)
	out.CreatedAt, out.UpdatedAt, out.ArchivedAt = s.CreatedAt.UTC(), s.UpdatedAt.UTC(), utc(s.ArchivedAt)
	if out.CallID != "" { // the words of a call are in its transcript
		lines, err := a.Store.Transcript(ctx, s.CallID)
		for _, l := range lines {
			if l.Role == calls.RoleUser || l.Role == calls.RoleAssistant {
				out.Messages = append(out.Messages, repairMessage{Role: string(l.Role), Content: l.Text, At: l.At.UTC()})
			}
		}
		return out, err
	}
	messages, err := a.Store.RepairMessages(ctx, nil, s.ID)
	for _, m := range messages {
		out.Messages = append(out.Messages, repairMessage{m.Role, m.Content, m.At.UTC(), m.Tool})
	}
	return out, err
}

// MailPath names a mail.
type MailPath struct {
	ID string `path:"id" maxLength:"300" doc:"mailId"`
}

// Mail is a mail in a list.
type Mail struct {
	ID        string     `json:"id"`
	UserID    string     `json:"userId,omitempty"`
	To        string     `json:"to"`
	Subject   string     `json:"subject"`
	CreatedAt time.Time  `json:"createdAt"`
	SentAt    *time.Time `json:"sentAt,omitempty" doc:"When the server took it, or the sandbox caught it"`
	Attempts  int        `json:"attempts" doc:"How often it was tried"`
	Error     string     `json:"error,omitempty" doc:"Why it was given up"`
}

type mailFull struct {
	Mail
	HTML string `json:"html"`
	Text string `json:"text"`
}

type mailsQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" doc:"nextCursor of the page before"`
}

func (a *api) listMails(ctx context.Context, in *mailsQuery) (out page[Mail], err error) {
	at, id, err := readCursor(in.Cursor)
	if err != nil {
		return out, err
	}
	list, err := a.Store.Mails(ctx, at, id, in.Limit+1)
	return paged(list, in.Limit, func(m mails.Mail) string { return cursor(m.CreatedAt, m.ID) }, mailBody), err
}

func mailBody(m mails.Mail) Mail {
	return Mail{
		ID: m.Key, UserID: known(m.PersonID.UUID), To: m.To, Subject: m.Subject, CreatedAt: m.CreatedAt.UTC(), SentAt: utc(m.SentAt), Attempts: m.Attempts, Error: m.Error,
	}
}
