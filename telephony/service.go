// Package telephony carries a call: it dials, answers, relays the audio between
// Twilio and ElevenLabs, and ends the call.
//
// It guarantees that no call is placed without passing the gate, that every call has exactly one
// ending with its cause, that a call's ending and the work that follows it are recorded together,
// and that a broken line is re-established and its conversation resumed. What is said in a call is
// decided elsewhere (orchestration); this package only provides a conversation's opening.
package telephony

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naiber/naiber/store"
	"github.com/naiber/naiber/store/alerts"
	"github.com/naiber/naiber/store/calls"
	"github.com/naiber/naiber/store/people"
	"github.com/naiber/naiber/telephony/elevenlabs"
	"github.com/naiber/naiber/telephony/prompts"
	"github.com/naiber/naiber/telephony/twilio"
)

// PostCall schedules the work that follows a call inside tx: it exists if and only if the call's
// ending does.
type PostCall interface {
	Schedule(ctx context.Context, tx store.Tx, c calls.Call) error
}

// Recollection provides what the opening of a call may use about a person. It must answer fast;
// after an error the opening contains no memories.
type Recollection interface {
	Recollect(ctx context.Context, c calls.Call, p people.Person) (Recollected, error)
	// Raisable returns those of texts that may be brought up with a person.
	Raisable(ctx context.Context, id store.PersonID, texts []string) ([]string, error)
}

// Recollected holds what an opening may use, as short sentences, best first.
type Recollected struct {
	// Topics are the recent topics of conversation, Memories the known facts, and Promises what
	// nAIber promised to come back to.
	Topics, Memories, Promises []string
}

// Config configures calls. A zero duration means its default.
type Config struct {
	PublicURL          string            // the address at which Twilio reaches us, without a trailing slash
	Number             string            // the number that calls are placed from, E.164
	AgentID            string            // ElevenLabs agent
	CognitiveAgentID   string            // agent for cognitive checks, which waits longer; empty: AgentID
	WebhookSecret      string            // ElevenLabs post-call webhooks; empty refuses them
	QuietHours         people.QuietHours // default of all people: no calls from Start to End, local time
	LegalHours         bool              // place calls only within the legal calling hours, see [law.Hours]
	OptOutKeyIn        []string          // countries, as two letters, in which the key that ends all calls is named; empty: by law
	Costs              Costs             // caps on the cost of calls
	DailyCap           int               // dials per person and local day; 0 means none are allowed
	RingTimeout        time.Duration     // default 30 s
	TimeLimit          time.Duration     // longest call, default 20 min
	StreamStartTimeout time.Duration     // from the opening of the socket to a valid start message, default 10 s
	SilenceHangUp      time.Duration     // how long without speech or played audio before hanging up, default 90 s
	ReconnectLimit     int               // how often one call's line may be re-established, default 3
	ReconnectGrace     time.Duration     // how long a broken line may take to come back, default 30 s
	UnknownLiveCap     int               // unknown callers at a time in one process; 0 means none is answered
	OpeningDeadline    time.Duration     // for gathering the data of an opening, default 300 ms
	GoodbyeCap         time.Duration     // how long to wait, beyond the audio still queued, for the goodbye to be heard, default 2 s
	MessagingNumber    string            // the number that text messages are sent from, default Number
	MessagingService   string            // SID of the messaging service that sends them, instead of MessagingNumber
	ReplyWithin        time.Duration     // how long after a notice of an alert a text message counts as its reply, default 72 h
	Types              []calls.CallType  // call types that may be placed
	Presumed           []calls.CallType  // call types on which a callee who answers as the person would is taken for them; on the others nAIber asks
	InboundCheck       InboundCheck      // default [CheckCallback]
	Languages          []string          // two-letter languages that the agent speaks besides English
	Now                func() time.Time  // default time.Now
}

// Deps holds the dependencies of a Service. All fields are required unless they say otherwise;
// Metrics may be nil.
type Deps struct {
	Store        *store.Store
	Twilio       *twilio.Client
	Verifier     *twilio.Verifier
	ElevenLabs   *elevenlabs.Client
	Prompts      *prompts.Library
	PostCall     PostCall
	Recollection Recollection
	// CallToken returns the signed token that identifies a call to the model endpoint.
	CallToken func(store.CallID) string
	// InboundType, if set, returns the type of a call in which a person phones us: one of the
	// Types, or general. Its time is limited.
	InboundType func(ctx context.Context, p people.Person) calls.CallType
	// Finished, if set, records further consequences of a call's end inside tx.
	Finished func(ctx context.Context, tx store.Tx, c calls.Call) error
	// AlertHead, if set, returns a line on what an alert is about, in a language.
	AlertHead func(language string, p people.Person, kind string) string
	// NoticeFailed, if set, is called with the step of a ladder whose notice did not reach anybody
	// who acts on it.
	NoticeFailed func(ctx context.Context, step alerts.Step) error
	// MayBeTold, if set, reports whether the contact with an address of a channel may still be told
	// of an alert.
	MayBeTold func(ctx context.Context, a alerts.Alert, channel, address string) (bool, error)
	// PutThrough, if set, reports whether the contact who takes care of an alert of a kind by
	// telephone may be put through to the person while they are still on the line.
	PutThrough func(kind string) bool
	// Ended, if set, is called for each call that has ended here, after it is recorded.
	Ended   func(store.CallID)
	HTTP    *http.Client // for the conversation socket's handshake
	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: not exported
}

// Service places and carries calls. It may be used concurrently.
type Service struct {
	cfg     Config
	dep     Deps
	log     *slog.Logger
	live    *registry
	metrics *metrics
	dialing keyed // locks on the numbers that are being dialled now
	// streamURL is the address at which Twilio must open media streams.
	streamURL string
	chatter   *chatter
	// reading holds the buffers into which post-call webhooks are read, postCallReaders of them, so
	// that bodies of strangers become no garbage. They are nil until they are needed.
	reading chan []byte
	// unrecorded holds the endings that could not be recorded, by call. They are recorded when the
	// call is settled later.
	unrecorded sync.Map
}

// New returns a Service with the defaults of cfg filled in. It starts nothing.
func New(cfg Config, dep Deps) (*Service, error) {
	if cfg.PublicURL == "" || cfg.Number == "" {
		return nil, errors.New("telephony needs a public URL and a number")
	}
	streamURL, err := twilio.StreamURL(cfg.PublicURL, routeMedia)
	if err != nil {
		return nil, err
	}
	cfg.RingTimeout = cmp.Or(cfg.RingTimeout, 30*time.Second)
	cfg.TimeLimit = cmp.Or(cfg.TimeLimit, 20*time.Minute)
	cfg.StreamStartTimeout = cmp.Or(cfg.StreamStartTimeout, 10*time.Second)
	cfg.SilenceHangUp = cmp.Or(cfg.SilenceHangUp, 90*time.Second)
	cfg.ReconnectGrace = cmp.Or(cfg.ReconnectGrace, 30*time.Second)
	cfg.OpeningDeadline = cmp.Or(cfg.OpeningDeadline, openingDeadline)
	cfg.GoodbyeCap = cmp.Or(cfg.GoodbyeCap, 2*time.Second)
	cfg.MessagingNumber = cmp.Or(cfg.MessagingNumber, cfg.Number)
	cfg.ReplyWithin = cmp.Or(cfg.ReplyWithin, 72*time.Hour)
	cfg.InboundCheck = cmp.Or(cfg.InboundCheck, CheckCallback)
	cfg.ReconnectLimit = cmp.Or(cfg.ReconnectLimit, 3)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	reading := make(chan []byte, postCallReaders)
	for range postCallReaders {
		reading <- nil
	}
	return &Service{
		cfg: cfg, dep: dep, log: dep.Log, live: newRegistry(), metrics: newMetrics(dep.Metrics), chatter: newChatter(),
		streamURL: streamURL, reading: reading,
	}, nil
}
