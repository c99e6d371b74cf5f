package app

import "time"

// Config is everything that can be set. [Load] fills it from config.yaml, the
// environment and flags; below app nobody reads any of these. What each field
// means, its unit and its default stand in config.yaml, which is written from
// the table in config_options.go.
//
// Printing a Config is safe: what is secret shows as "[redacted]".
type Config struct {
	DataDir     string
	Server      ServerConfig
	Database    DatabaseConfig
	Redis       RedisConfig
	Checkpoints CheckpointsConfig
	Qdrant      QdrantConfig
	OpenAI      OpenAIConfig
	Twilio      TwilioConfig
	ElevenLabs  ElevenLabsConfig
	Auth        AuthConfig
	Calls       CallsConfig
	Turn        TurnConfig
	RAG         RAGConfig
	Memory      MemoryConfig
	Chat        ChatConfig
	Health      HealthConfig
	Safety      SafetyConfig
	Jobs        JobsConfig
	Prompts     PromptsConfig
	Log         LogConfig
	Tracing     TracingConfig
	Sandbox     SandboxConfig

	from map[string]string // option key → where its value comes from, if not the default
}

// ServerConfig is how this process is reached, and how it ends.
type ServerConfig struct {
	Port      int
	Host      string // empty: every interface
	PublicURL string // without a slash at its end
	StopGrace time.Duration
	CallDrain time.Duration
	// MetricsAddr is where /metrics is served without a bearer; empty: nowhere.
	MetricsAddr string
	// Profiling serves /debug/pprof there, too.
	Profiling bool
}

// DatabaseConfig is where PostgreSQL is; with an empty URL it comes up by itself.
type DatabaseConfig struct {
	URL      Secret
	MaxConns int // of one process, besides the few it keeps to itself
}

// RedisConfig is where checkpoints are kept; with an empty URL, in PostgreSQL.
type RedisConfig struct{ URL Secret }

// CheckpointsConfig is how much is kept of a health check that is under way.
type CheckpointsConfig struct {
	Keep int           // checkpoints of one thread
	TTL  time.Duration // after the last write
}

// QdrantConfig is where vectors are kept; with an empty URL, in PostgreSQL.
type QdrantConfig struct {
	URL        string
	APIKey     Secret
	Collection string
}

// OpenAIConfig is the model server.
type OpenAIConfig struct {
	APIKey         Secret
	BaseURL        string   // without a slash at its end
	Models         []string // in the order of failover
	Background     string   // empty: none but those
	EmbeddingModel string
	EmbeddingDims  int // 0: as many as the model makes by itself
}

// TwilioConfig is the carrier.
type TwilioConfig struct {
	AccountSID string
	AuthToken  Secret
	Number     string // E.164
	BaseURL    string // without a slash at its end
}

// ElevenLabsConfig is the voice service.
type ElevenLabsConfig struct {
	APIKey        Secret
	AgentID       string
	BaseURL       string // without a slash at its end
	WebhookSecret Secret
	VoiceID       string
	TTSModel      string
	Languages     []string // two letters each, besides English
}

// AuthConfig holds the keys to our own doors; each opens one.
type AuthConfig struct {
	LLMSecret     Secret // the model endpoint
	APIToken      Secret // /call and /api
	AdminPassword Secret // console and queues
}

// CallsConfig bounds calls.
type CallsConfig struct {
	QuietStart         string // "15:04", the person's own time
	QuietEnd           string // "15:04"
	DailyCap           int
	RingTimeout        time.Duration
	TimeLimit          time.Duration
	StreamStartTimeout time.Duration
	SilenceHangup      time.Duration
	ReconnectLimit     int
	ReconnectGrace     time.Duration
	OpeningDeadline    time.Duration
	GoodbyeCap         time.Duration
	UnknownLiveCap     int
}

// TurnConfig bounds one reply.
type TurnConfig struct {
	FillerAfter        time.Duration // 0: never
	Fillers            []string
	FailoverAfter      time.Duration
	FirstTokenDeadline time.Duration
	Deadline           time.Duration
	SilencePrompts     int
	MaxTokens          int
	Temperature        float64
	ResolveByName      bool
}

// RAGConfig is how memories find their way into a reply.
type RAGConfig struct {
	Enabled             bool
	SimilarityThreshold float64
	Deadline            time.Duration
	TopicThreshold      float64
	HighlightsFor       time.Duration
	KeywordWeight       float64 // 0 switches the list off, as with the others
	VectorWeight        float64
	DateWeight          float64
	RRFK                float64
	Candidates          int // of each list
	Limit               int // turns
	Budget              int // tokens
	VectorWait          time.Duration
}

// MemoryConfig is what is kept of people, and how.
type MemoryConfig struct {
	CacheMB       int // vectors kept in memory where there is no Qdrant
	RetentionDays int // 0: for good
	IndexEvery    time.Duration
	OpeningFacts  int // in an opening
	SummaryTokens int // said since the last summary of a person, for a further one
	SummaryTurns  int // the same, in turns
	SummaryMax    int // tokens, beyond which it is made anew
}

// ChatConfig is how the text channel works.
type ChatConfig struct {
	PerMinute          int
	Burst              int
	SystemPrompt       string
	RecallDeadline     time.Duration
	RecallBudget       int // tokens
	Deadline           time.Duration
	LearnAfter         time.Duration
	SummaryThreshold   int // tokens
	SummaryMinEpisodes int
	SummaryMax         int // tokens
}

// HealthConfig is how a health check goes.
type HealthConfig struct {
	MaxRetry      int
	ResumeWindow  time.Duration
	WordsDeadline time.Duration
	ReadDeadline  time.Duration
}

// SafetyConfig is what is said in danger.
type SafetyConfig struct {
	EmergencyNumbers []string // "AT=144": a country's two letters, and its number
}

// JobsConfig is the work that follows calls.
type JobsConfig struct {
	PostCallDelay     time.Duration
	PostCallPerMinute int
	CallBackDelay     time.Duration
	MaxAttempts       int
	Timeout           time.Duration
}

// PromptsConfig is where what nAIber says is read from.
type PromptsConfig struct{ Dir string }

// LogConfig is what is logged, and how.
type LogConfig struct {
	Level  string // debug, info, warn, error
	Format string // text, json
}

// TracingConfig is where traces go; with an empty endpoint, nowhere.
type TracingConfig struct{ OTLPEndpoint string }

// SandboxConfig is how the simulated world behaves.
type SandboxConfig struct {
	SpeechWPM       int // words per minute
	FirstTokenDelay time.Duration
	TokenDelay      time.Duration
}

// Default is the configuration with nothing configured.
func Default() Config {
	var c Config
	for _, o := range options {
		if err := assign(o.field(&c), o.fallback); err != nil {
			panic("default of " + o.key + ": " + err.Error()) // the table is wrong
		}
	}
	c.from = map[string]string{}
	return c
}
