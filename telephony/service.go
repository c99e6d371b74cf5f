// Package telephony carries a call: it dials, answers, relays the audio between
// Twilio and ElevenLabs, and ends the call.
//
// It promises that no call is placed past the gate, that every call has exactly
// one ending with its cause, that a call's ending and the work that follows it
// are recorded together, and that a line which breaks is picked up again where
// the conversation was. What is said in a call is decided elsewhere
// (orchestration); this package only gives a conversation its opening.
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

// PostCall schedules what comes after a call, inside tx: the work exists
// exactly when the call's ending does.
type PostCall interface {
	Schedule(ctx context.Context, tx store.Tx, c calls.Call) error
}

// Recollection knows what the opening of a call may use about a person. It must
// answer fast; an error means an opening without memories.
type Recollection interface {
	Recollect(ctx context.Context, c calls.Call, p people.Person) (Recollected, error)
	// Raisable leaves out of texts what is not to be brought up with a person.
	Raisable(ctx context.Context, id store.PersonID, texts []string) ([]string, error)
}

// Recollected is what an opening may use, as short sentences, best first.
type Recollected struct {
	// Topics are what was talked about lately; Memories what is known; Promises
	// what nAIber meant to come back to.
	Topics, Memories, Promises []string
}

// Config is how calls are made. The zero value of each duration is its default.
type Config struct {
	PublicURL          string            // how Twilio reaches us, no trailing slash
	Number             string            // the number that calls come from, E.164
	AgentID            string            // ElevenLabs agent
	CognitiveAgentID   string            // agent of cognitive checks, which waits longer; empty: AgentID
	WebhookSecret      string            // ElevenLabs post-call webhooks; empty refuses them
	QuietHours         people.QuietHours // house default: no calls from Start to End, local time
	LegalHours         bool              // calls are placed within the calling hours of the law alone, see [law.Hours]
	OptOutKeyIn        []string          // countries in which the key is named that ends all calls, by two letters; empty: by law
	Costs              Costs             // caps of what calls cost
	DailyCap           int               // dials per person and local day; 0 means none are allowed
	RingTimeout        time.Duration     // default 30 s
	TimeLimit          time.Duration     // longest call, default 20 min
	StreamStartTimeout time.Duration     // from the socket's opening to a valid start message, default 10 s
	SilenceHangUp      time.Duration     // nobody spoke and nothing was played for so long, default 90 s
	ReconnectLimit     int               // picking-ups of one call's line, default 3
	ReconnectGrace     time.Duration     // how long a broken line may take to come back, default 30 s
	UnknownLiveCap     int               // callers whom nobody knows, at a time in one process; 0 means none is answered
	OpeningDeadline    time.Duration     // for what an opening would like to know, default 300 ms
	GoodbyeCap         time.Duration     // beyond the audio still queued, for the goodbye to be heard, default 2 s
	MessagingNumber    string            // the number that text messages come from, default Number
	MessagingService   string            // SID of the messaging service that sends them instead
	ReplyWithin        time.Duration     // how long a reply to a notice of an alert is taken for one, default 72 h
	Types              []calls.CallType  // call types that may be placed
	Presumed           []calls.CallType  // on which anybody who answers as the person would is taken for them; on the others nAIber asks
	InboundCheck       InboundCheck      // default [CheckCallback]
	Languages          []string          // what the agent speaks besides English, as two letters
	Now                func() time.Time  // default time.Now
}

// Deps are what a Service works with; all but Metrics are required.
type Deps struct {
	Store        *store.Store
	Twilio       *twilio.Client
	Verifier     *twilio.Verifier
	ElevenLabs   *elevenlabs.Client
	Prompts      *prompts.Library
	PostCall     PostCall
	Recollection Recollection
	// CallToken returns the signed token by which the model endpoint will know this call.
	CallToken func(store.CallID) string
	// InboundType, if set, says what the call of a person who phones us is about:
	// one of the Types, or general. It is given little time.
	InboundType func(ctx context.Context, p people.Person) calls.CallType
	// Finished, if set, records inside tx what else is true once a call has ended.
	Finished func(ctx context.Context, tx store.Tx, c calls.Call) error
	// AlertHead, if set, words what an alert is about, in a line and a language.
	AlertHead func(language string, p people.Person, kind string) string
	// NoticeFailed, if set, hears that a notice of an alert did not reach anybody who acts on
	// it, by its step of a ladder.
	NoticeFailed func(ctx context.Context, step alerts.Step) error
	// MayBeTold, if set, reports whether who has an address of a channel may still be told
	// of an alert.
	MayBeTold func(ctx context.Context, a alerts.Alert, channel, address string) (bool, error)
	// PutThrough, if set, reports whether who takes care of an alert by telephone may be put
	// through to the person, while they are still on the line, where a kind was told of.
	PutThrough func(kind string) bool
	// Ended, if set, hears of each call that has ended here, after it is recorded.
	Ended   func(store.CallID)
	HTTP    *http.Client // for the conversation socket's handshake
	Log     *slog.Logger
	Metrics prometheus.Registerer // nil: not counted
}

// Service places and carries calls. It may be used concurrently.
type Service struct {
	cfg     Config
	dep     Deps
	log     *slog.Logger
	live    *registry
	metrics *metrics
	dialing keyed // numbers that are being dialled now
	// streamURL is where Twilio is to open media streams.
	streamURL string
	chatter   *chatter
	// reading holds a place for each post-call webhook whose body is being read.
	reading chan struct{}
	// unrecorded are endings that could not be recorded, by call: whatever settles the
	// call later records them.
	unrecorded sync.Map
}

// New makes a Service; it starts nothing.
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
	return &Service{
		cfg: cfg, dep: dep, log: dep.Log, live: newRegistry(), metrics: newMetrics(dep.Metrics), chatter: newChatter(),
		streamURL: streamURL, reading: make(chan struct{}, postCallReaders),
	}, nil
}
