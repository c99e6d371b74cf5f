// Package appliance helps with household appliances: it finds the faulty part, checks whether a
// part fits, shows how to put it in, and sends a summary.
//
// It works by text ([Persona.Chat]), in calls of its own ([Persona.Reply]) and within a general
// call ([Persona.Within]). A conversation is a graph in a thread: what was understood is saved
// before anything is said. Rules read numbers, addresses, wishes and danger; a model is asked only
// for what they leave open, and for wording.
package appliance

import (
	"context"
	"errors"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/orchestration"
	"github.com/naiber/naiber/orchestration/graph"
	"github.com/naiber/naiber/orchestration/llm"
	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/parts"
)

// Goal is what a person wants, named after the tool that does it.
type Goal string

// The goals.
const (
	Diagnose Goal = "diagnose_repair"
	Install  Goal = "install_instruction"
	Check    Goal = "check_compatibility"
	Mail     Goal = "email_summary"
)

// Model extracts what rules leave open, and words what is said; [llm.Client] implements it.
type Model interface {
	Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error)
	Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error
}

// Catalogue knows models and their parts; [store.Store] implements it. Its methods return
// [store.ErrNotFound] for what is not in it.
type Catalogue interface {
	CatalogueModel(ctx context.Context, number string) (model string, err error)
	CataloguePart(ctx context.Context, model, number string) (parts.Part, error)
	CatalogueParts(ctx context.Context, number string, limit int) ([]parts.Part, error)
	MatchParts(ctx context.Context, model string, symptoms []string, limit int) ([]parts.Match, error)
	NearModels(ctx context.Context, said string, limit int) ([]string, error)
	NearParts(ctx context.Context, model, said string, limit int) ([]string, error)
}

// ErrNoMail is returned if no way to send mail is configured.
var ErrNoMail = errors.New("no mail is configured")

// Mailer stores a mail and queues it for sending. A second mail with the same key is a no-op.
type Mailer interface {
	Send(ctx context.Context, m Summary) error
}

// Summary is the content of a mail.
type Summary struct {
	Key, To string
	Person  store.PersonID
	Title   string
	Body    string // plain text with headings ("## ") and lists ("- ")
	Videos  []Link
	Images  []Link
}

// Link is a link and its text.
type Link struct{ Title, URL string }

// Address is an e-mail address to which a summary may be sent.
type Address struct {
	// Name is the name of its owner; empty for the person's own.
	Name, Email string
}

// Contacts knows the addresses of a person and of those who care for them, in the order in which
// they are offered.
type Contacts interface {
	Addresses(ctx context.Context, id store.PersonID) ([]Address, error)
}

// Checkpoints stores threads; each store of package checkpoint implements it.
type Checkpoints interface {
	graph.Store
	Delete(ctx context.Context, thread string) error
}

// Config configures a [Persona]. Catalogue, Checkpoints and Log are required.
type Config struct {
	Model Model // nil: only rules and fixed words are used
	// SmallModel is the model for extractions; if empty, the default of Model.
	SmallModel  string
	Catalogue   Catalogue
	Mailer      Mailer   // nil: [ErrNoMail]
	Contacts    Contacts // nil: addresses have to be spelled
	Checkpoints Checkpoints
	// Emergency returns the emergency number in the country of a telephone number, or "".
	Emergency func(phone string) string

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: not exported
}

// Persona is the appliance helper. It is safe for concurrent use.
type Persona struct {
	cfg     Config
	log     *slog.Logger
	machine *graph.Machine[State, input]
	metrics *metrics
	plain   plainCalls
}

var _ orchestration.Persona = (*Persona)(nil)

// New returns the appliance helper, or an error that lists all that is missing from cfg.
func New(cfg Config) (*Persona, error) {
	var errs []error
	require := func(ok bool, what string) {
		if !ok {
			errs = append(errs, errors.New("appliance persona has no "+what))
		}
	}
	require(cfg.Catalogue != nil, "catalogue")
	require(cfg.Checkpoints != nil, "checkpoints")
	require(cfg.Log != nil, "log")
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	p := &Persona{cfg: cfg, log: cfg.Log, metrics: newMetrics(cfg.Metrics)}
	var err error
	p.machine, err = p.compile()
	return p, err
}

// State is the state of a session. It is saved as JSON.
type State struct {
	ProductModel string   `json:"productModel,omitempty"`
	PartNumber   string   `json:"partNumber,omitempty"`
	Symptoms     []string `json:"symptoms,omitempty"`
	// GoalType stays set until its tool has run; then the first of Queue follows.
	GoalType       Goal      `json:"goalType,omitempty"`
	Queue          []Goal    `json:"queue,omitempty"`
	EmailAddress   string    `json:"emailAddress,omitempty"`
	LastToolResult *ToolData `json:"lastToolResult,omitempty"`

	Language string `json:"language,omitempty"`
	// Asked is the open question, other than one for what a goal lacks.
	Asked *Asked `json:"asked,omitempty"`
	// Results holds the results of tools for the summary, the newest last.
	Results []ToolData `json:"results,omitempty"`
	// Step is how many steps of an installation were read aloud.
	Step int `json:"step,omitempty"`
	// Mails counts the mails that were sent.
	Mails int `json:"mails,omitempty"`
	// Offered is set if the known addresses were offered.
	Offered bool `json:"offered,omitempty"`
	// Active is set if, within a general call, the appliance is the subject. Strayed counts turns
	// in a row that were about something else.
	Active  bool `json:"active,omitempty"`
	Strayed int  `json:"strayed,omitempty"`
	// Lines holds the conversation by text; a call's is in its transcript.
	Lines []Line `json:"lines,omitempty"`
	// Told is set if the last result is of the last turn.
	Told bool `json:"told,omitempty"`
	// Ending is the reason for which the last turn ends the call, or empty.
	Ending string `json:"ending,omitempty"`

	next    string // the node that follows extract
	trouble bool   // the catalogue could not be reached
	unknown *Asked // a number that is near to none in the catalogue
	prompt  prompt // what to say
	danger  string // the kind of a danger that a model heard, though the rules did not
}

// Line is one message of a conversation.
type Line struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Asked is an open question.
type Asked struct {
	Kind Question `json:"kind"`
	// Said is the number as it was heard; Candidates holds the numbers that may be meant, the one
	// asked about first.
	Said       string   `json:"said,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	// Names holds the owners of the addresses in Candidates.
	Names []string `json:"names,omitempty"`
	// Change is set if another number is set, and would be replaced.
	Change bool `json:"change,omitempty"`
	// Times counts how often it was asked and not answered.
	Times int `json:"times,omitempty"`
}

// Question is a kind of open question.
type Question string

// The questions.
const (
	AskModel   Question = "model"   // is the model the first candidate?
	AskPart    Question = "part"    // is the part?
	AskEmail   Question = "email"   // was the address understood?
	AskAddress Question = "address" // shall it be sent to this one?
	AskNext    Question = "next"    // shall the next goal be done now?
	AskMail    Question = "mail"    // shall a summary be sent?
	AskSteps   Question = "steps"   // shall the next steps be read?
)
