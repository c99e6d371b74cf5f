// Package appliance helps with household appliances: it finds the part that is to
// blame, checks whether a part fits, shows how to put it in, and sends a summary.
//
// It speaks by text ([Persona.Chat]), in calls of its own ([Persona.Reply]) and within
// a general call ([Persona.Within]). A conversation is a graph in a thread: what was
// understood is saved before anything is said. Rules read numbers, addresses, wishes
// and danger; a model is asked only for what they leave open, and for wording.
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

// Goal is what a person wants, by the name of the tool that does it.
type Goal string

// The goals.
const (
	Diagnose Goal = "diagnose_repair"
	Install  Goal = "install_instruction"
	Check    Goal = "check_compatibility"
	Mail     Goal = "email_summary"
)

// Model extracts what rules leave open and words what is said; [llm.Client] is one.
type Model interface {
	Stream(ctx context.Context, req llm.Request, yield func(llm.Delta) error) (llm.Result, error)
	Structured(ctx context.Context, req llm.Request, schema llm.Schema, out any) error
}

// Catalogue knows models and their parts; [store.Store] is one. What is not in it is
// [store.ErrNotFound].
type Catalogue interface {
	CatalogueModel(ctx context.Context, number string) (model string, err error)
	CataloguePart(ctx context.Context, model, number string) (parts.Part, error)
	CatalogueParts(ctx context.Context, number string, limit int) ([]parts.Part, error)
	MatchParts(ctx context.Context, model string, symptoms []string, limit int) ([]parts.Match, error)
	NearModels(ctx context.Context, said string, limit int) ([]string, error)
	NearParts(ctx context.Context, model, said string, limit int) ([]string, error)
}

// ErrNoMail says that no way to send mail is configured.
var ErrNoMail = errors.New("no mail is configured")

// Mailer keeps a mail and sees to its sending. The same key again sends nothing more.
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

// Address is one that a summary may be sent to.
type Address struct {
	// Name is whose it is; empty for the person's own.
	Name, Email string
}

// Contacts knows the addresses of a person and of those who care for them, in the order
// in which they are offered.
type Contacts interface {
	Addresses(ctx context.Context, id store.PersonID) ([]Address, error)
}

// Checkpoints keeps threads; each store of package checkpoint does.
type Checkpoints interface {
	graph.Store
	Delete(ctx context.Context, thread string) error
}

// Config is what a [Persona] works with. Catalogue, Checkpoints and Log are required.
type Config struct {
	Model Model // nil: rules and fixed words do it all
	// SmallModel is asked for extractions; empty: the model's own.
	SmallModel  string
	Catalogue   Catalogue
	Mailer      Mailer   // nil: [ErrNoMail]
	Contacts    Contacts // nil: addresses are spelled
	Checkpoints Checkpoints
	// Emergency returns the emergency number where a telephone is, or nothing.
	Emergency func(phone string) string

	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: counted, but not shown
}

// Persona is the appliance helper. It may be used concurrently.
type Persona struct {
	cfg     Config
	log     *slog.Logger
	machine *graph.Machine[State, input]
	metrics *metrics
}

var _ orchestration.Persona = (*Persona)(nil)

// New returns the appliance helper, or says all that is wrong with cfg.
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

// State is what a session knows. It is saved as JSON.
type State struct {
	ProductModel string   `json:"productModel,omitempty"`
	PartNumber   string   `json:"partNumber,omitempty"`
	Symptoms     []string `json:"symptoms,omitempty"`
	// GoalType is locked until its tool has run; then the next of Queue follows.
	GoalType       Goal      `json:"goalType,omitempty"`
	Queue          []Goal    `json:"queue,omitempty"`
	EmailAddress   string    `json:"emailAddress,omitempty"`
	LastToolResult *ToolData `json:"lastToolResult,omitempty"`

	Language string `json:"language,omitempty"`
	// Asked is the question that is open, besides one for what a goal lacks.
	Asked *Asked `json:"asked,omitempty"`
	// Results are what tools found, for the summary, the newest last.
	Results []ToolData `json:"results,omitempty"`
	// Step is how many steps of an installation were read aloud.
	Step int `json:"step,omitempty"`
	// Mails counts the mails that were asked for.
	Mails int `json:"mails,omitempty"`
	// Offered: the addresses that are known were offered.
	Offered bool `json:"offered,omitempty"`
	// Active: within a general call, the appliance is spoken of. Strayed counts turns in a
	// row that were about something else.
	Active  bool `json:"active,omitempty"`
	Strayed int  `json:"strayed,omitempty"`
	// Lines are the conversation by text; a call's are in its transcript.
	Lines []Line `json:"lines,omitempty"`
	// Told: the last result is of the last turn.
	Told bool `json:"told,omitempty"`
	// Ending is why the last turn ends the call, if it does.
	Ending string `json:"ending,omitempty"`

	next    string // the node that extract leads to
	trouble bool   // the catalogue was not to be reached
	unknown *Asked // a number that nothing in the catalogue is near to
	prompt  prompt // what is to be said
	danger  string // the kind that a model heard, and the rules did not
}

// Line is one message of a conversation.
type Line struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Asked is a question that is open.
type Asked struct {
	Kind Question `json:"kind"`
	// Said is the number as it was heard; Candidates are what may be meant, that which was
	// asked back first.
	Said       string   `json:"said,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	// Names are whose addresses the candidates are.
	Names []string `json:"names,omitempty"`
	// Change: another number is in place, and would be replaced.
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
