package app

import (
	"slices"
	"strings"
)

// option is one thing that can be set. The file, the environment, the flags,
// the checks, config.yaml and the flags' help all come from the table of them.
type option struct {
	key      string            // "server.port": the path in the file, and the flag's name
	env      string            // empty: derived from key, which is always read too
	alias    string            // an older name of the variable, still read
	fallback string            // the default, as one would write it in the environment
	doc      string            // one line of why; with its unit, where it has one
	field    func(*Config) any // a pointer to the value
	check    func(any) string  // what is wrong with a value, without the value if it is secret; nil: nothing can be
}

// prefix begins every variable of ours but those that keep a name which others
// know: DATABASE_URL, PORT, TWILIO_AUTH_TOKEN and the like.
const prefix = "NAIBER_"

// envName is the variable that sets the option.
func (o *option) envName() string {
	if o.env != "" {
		return o.env
	}
	return o.derivedName()
}

// envNames are all variables that set the option, the one that wins last.
func (o *option) envNames() []string {
	names := []string{o.derivedName(), o.envName()}
	if o.alias != "" {
		names = append([]string{o.alias}, names...)
	}
	return slices.Compact(names)
}

func (o *option) derivedName() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(o.key, ".", "_"))
}

// secret says whether the value must not be shown.
func (o *option) secret() bool {
	_, ok := o.field(&Config{}).(*Secret)
	return ok
}

// sections are the parts of the file in their order, with what they are about.
var sections = map[string]string{
	"server":      "How this process is reached, and how it ends.",
	"database":    "PostgreSQL: people, calls, jobs.",
	"redis":       "Checkpoints of health checks, besides PostgreSQL.",
	"checkpoints": "What is kept of a health check while it is under way.",
	"qdrant":      "Vectors of memories.",
	"openai":      "The model server, or any that speaks its protocol.",
	"twilio":      "The carrier. Values from https://console.twilio.com.",
	"elevenlabs":  "The voice. `naiber agent sync` sets up the agent.",
	"auth":        "The keys to our own doors; each opens one. Make them with: openssl rand -hex 32",
	"calls":       "What a call may do, and when.",
	"turn":        "One reply, from the end of what was said to the last word.",
	"rag":         "Memories in a reply.",
	"memory":      "What is kept of people who consent to it.",
	"chat":        "The text channel.",
	"health":      "How a health check is held.",
	"safety":      "What is said in danger.",
	"jobs":        "What follows a call.",
	"prompts":     "What nAIber says.",
	"log":         "What is logged; never a secret, a telephone number or what was said.",
	"tracing":     "OpenTelemetry traces, one span for each turn.",
	"sandbox":     "The simulated world of `naiber serve --sandbox`.",
}

// options is the table, in the order of config.yaml.
var options = []*option{
	{
		key: "data_dir", env: "NAIBER_DATA_DIR", fallback: "data", field: func(c *Config) any { return &c.DataDir }, check: filled,
		doc: "Folder for what is kept on disk: the private database, mainly.",
	},

	{
		key: "server.port", env: "PORT", fallback: "3000", field: func(c *Config) any { return &c.Server.Port }, check: between(0, 65535),
		doc: "TCP port; 0 takes a free one.",
	},
	{
		key: "server.host", field: func(c *Config) any { return &c.Server.Host },
		doc: "Interface to listen on; empty is every one, except in the sandbox, where it is 127.0.0.1.",
	},
	{
		key: "server.public_url", env: "PUBLIC_URL", field: func(c *Config) any { return &c.Server.PublicURL }, check: optional(publicURL),
		doc: "How Twilio and ElevenLabs reach this process: https://host, or http on loopback.",
	},
	{
		key: "server.metrics_addr", field: func(c *Config) any { return &c.Server.MetricsAddr }, check: optional(hostPort),
		doc: "Address of an inner port that serves /metrics without a bearer, such as 127.0.0.1:9464; empty is none.",
	},
	{
		key: "server.profiling", fallback: "false", field: func(c *Config) any { return &c.Server.Profiling },
		doc: "Whether the inner port serves /debug/pprof, too. A profile holds no words, but whoever may ask for one can slow the process down.",
	},
	{
		key: "server.stop_grace", fallback: "10s", field: func(c *Config) any { return &c.Server.StopGrace }, check: positive,
		doc: "How long each part may take to stop; what is left then is cut off.",
	},
	{
		key: "server.call_drain", fallback: "2m", field: func(c *Config) any { return &c.Server.CallDrain }, check: notNegative,
		doc: "How long calls may go on once a stop was asked for. They are people in mid-sentence.",
	},

	{
		key: "database.url", env: "DATABASE_URL", field: func(c *Config) any { return &c.Database.URL }, check: optional(scheme("postgres", "postgresql")),
		doc: "postgres://user@host/name; empty starts a private one in data_dir.",
	},
	{
		key: "database.max_conns", fallback: "10", field: func(c *Config) any { return &c.Database.MaxConns }, check: between(4, 1000),
		doc: "Connections that the server shares among its requests; pool_max_conns in the URL counts instead. The private database takes 50 in all.",
	},

	{
		key: "redis.url", env: "REDIS_URL", field: func(c *Config) any { return &c.Redis.URL }, check: optional(scheme("redis", "rediss", "unix")),
		doc: "redis://host:6379/0; empty keeps checkpoints in PostgreSQL alone.",
	},

	{
		key: "checkpoints.keep", fallback: "6", field: func(c *Config) any { return &c.Checkpoints.Keep }, check: between(2, 100),
		doc: "Turns of one check that can be gone back to: a turn that is replaced goes back one.",
	},
	{
		key: "checkpoints.ttl", fallback: "168h", field: func(c *Config) any { return &c.Checkpoints.TTL }, check: lasting("1h", "2160h"),
		doc: "How long one is kept after its last turn, should the work after the call be held up; at least health.resume_window.",
	},

	{
		key: "qdrant.url", env: "QDRANT_URL", field: func(c *Config) any { return &c.Qdrant.URL }, check: optional(scheme("http", "https")),
		doc: "http://host:6334 (gRPC); empty keeps vectors in PostgreSQL.",
	},
	{
		key: "qdrant.api_key", env: "QDRANT_API_KEY", field: func(c *Config) any { return &c.Qdrant.APIKey },
		doc: "Key for a Qdrant that asks for one.",
	},
	{
		key: "qdrant.collection", env: "QDRANT_COLLECTION", fallback: "memories", field: func(c *Config) any { return &c.Qdrant.Collection }, check: collectionName,
		doc: "Collection of all people's memories.",
	},

	{
		key: "openai.api_key", env: "OPENAI_API_KEY", field: func(c *Config) any { return &c.OpenAI.APIKey },
		doc: "Key of the model server. In the sandbox, setting it puts a real model in place of the simulated one.",
	},
	{
		key: "openai.base_url", env: "OPENAI_BASE_URL", fallback: "https://api.openai.com/v1", field: func(c *Config) any { return &c.OpenAI.BaseURL }, check: secureURL,
		doc: "Root of its API; plain http only on loopback.",
	},
	{
		key: "openai.models", env: "OPENAI_MODEL", fallback: "gpt-4o", field: func(c *Config) any { return &c.OpenAI.Models }, check: someTexts,
		doc: "Models by rank: when one is late or fails, the next is asked. In the environment: a,b,c.",
	},
	{
		key: "openai.background_model", field: func(c *Config) any { return &c.OpenAI.Background },
		doc: "Smaller model that is asked first for what nobody waits for: learning from calls and writing, summaries, names. Empty: the models above.",
	},
	{
		key: "openai.embedding_model", env: "OPENAI_EMBEDDING_MODEL", fallback: "text-embedding-3-small", field: func(c *Config) any { return &c.OpenAI.EmbeddingModel }, check: filled,
		doc: "Model that turns memories into vectors. Vectors of two models cannot be compared: with another one all are made anew.",
	},
	{
		key: "openai.embedding_dims", fallback: "0", field: func(c *Config) any { return &c.OpenAI.EmbeddingDims }, check: between(0, 65536),
		doc: "Numbers in a vector, where the model can be asked for fewer; 0 is as many as it makes by itself.",
	},

	{
		key: "twilio.account_sid", env: "TWILIO_ACCOUNT_SID", field: func(c *Config) any { return &c.Twilio.AccountSID }, check: optional(accountSID),
		doc: "Account SID: AC and 32 hexadecimal digits.",
	},
	{
		key: "twilio.auth_token", env: "TWILIO_AUTH_TOKEN", field: func(c *Config) any { return &c.Twilio.AuthToken },
		doc: "Auth token; it also proves that webhooks come from Twilio.",
	},
	{
		key: "twilio.number", env: "TWILIO_NUMBER", field: func(c *Config) any { return &c.Twilio.Number }, check: optional(e164),
		doc: "Number that calls come from, with its country code: +15551234567.",
	},
	{
		key: "twilio.base_url", env: "TWILIO_BASE_URL", fallback: "https://api.twilio.com", field: func(c *Config) any { return &c.Twilio.BaseURL }, check: secureURL,
		doc: "Root of its API; plain http only on loopback.",
	},

	{
		key: "elevenlabs.api_key", env: "ELEVENLABS_API_KEY", field: func(c *Config) any { return &c.ElevenLabs.APIKey },
		doc: "Key of the workspace.",
	},
	{
		key: "elevenlabs.agent_id", env: "ELEVENLABS_AGENT_ID", field: func(c *Config) any { return &c.ElevenLabs.AgentID },
		doc: "Agent that speaks; `naiber agent sync` prints it.",
	},
	{
		key: "elevenlabs.base_url", env: "ELEVENLABS_BASE_URL", fallback: "https://api.elevenlabs.io", field: func(c *Config) any { return &c.ElevenLabs.BaseURL }, check: secureURL,
		doc: "Root of its API; another host for data residency. Plain http only on loopback.",
	},
	{
		key: "elevenlabs.webhook_secret", env: "ELEVENLABS_WEBHOOK_SECRET", field: func(c *Config) any { return &c.ElevenLabs.WebhookSecret },
		doc: "Proves that post-call webhooks come from ElevenLabs; empty refuses them all.",
	},
	{
		key: "elevenlabs.voice_id", field: func(c *Config) any { return &c.ElevenLabs.VoiceID },
		doc: "Voice of the agent; empty leaves the one it has.",
	},
	{
		key: "elevenlabs.tts_model", field: func(c *Config) any { return &c.ElevenLabs.TTSModel },
		doc: "Speech model of the agent; empty leaves the one it has.",
	},
	{
		key: "elevenlabs.languages", field: func(c *Config) any { return &c.ElevenLabs.Languages }, check: languages,
		doc: "What the agent speaks beside English, two letters each: [de, es].",
	},

	{
		key: "auth.llm_secret", env: "NAIBER_LLM_SECRET", field: func(c *Config) any { return &c.Auth.LLMSecret },
		doc: "Bearer that ElevenLabs presents to the chat-completions endpoint; long and random.",
	},
	{
		key: "auth.api_token", env: "NAIBER_API_TOKEN", field: func(c *Config) any { return &c.Auth.APIToken },
		doc: "Bearer for /call and /api; long and random.",
	},
	{
		key: "auth.admin_password", env: "NAIBER_ADMIN_PASSWORD", field: func(c *Config) any { return &c.Auth.AdminPassword },
		doc: "Opens the console and /admin/queues to the user admin; empty keeps both shut. Long and random.",
	},

	{
		key: "calls.quiet_start", fallback: "20:00", field: func(c *Config) any { return &c.Calls.QuietStart }, check: timeOfDay,
		doc: "From here on nobody is called; the person's own time, who may have other hours on record.",
	},
	{
		key: "calls.quiet_end", fallback: "09:00", field: func(c *Config) any { return &c.Calls.QuietEnd }, check: timeOfDay,
		doc: "Until here.",
	},
	{
		key: "calls.daily_cap", fallback: "3", field: func(c *Config) any { return &c.Calls.DailyCap }, check: between(0, 100),
		doc: "Calls to one person on one day of theirs; 0 places none at all.",
	},
	{
		key: "calls.ring_timeout", fallback: "30s", field: func(c *Config) any { return &c.Calls.RingTimeout }, check: lasting("5s", "10m"),
		doc: "How long it rings. Elderly people need time to get to the telephone.",
	},
	{
		key: "calls.time_limit", fallback: "20m", field: func(c *Config) any { return &c.Calls.TimeLimit }, check: lasting("1m", "4h"),
		doc: "Longest call; Twilio ends one after 4 h whatever is set here.",
	},
	{
		key: "calls.stream_start_timeout", fallback: "10s", field: func(c *Config) any { return &c.Calls.StreamStartTimeout }, check: positive,
		doc: "From the media socket's opening to a valid start message.",
	},
	{
		key: "calls.silence_hangup", fallback: "90s", field: func(c *Config) any { return &c.Calls.SilenceHangup }, check: lasting("10s", "1h"),
		doc: "Nobody spoke and nothing was played for so long: the call is over.",
	},
	{
		key: "calls.reconnect_limit", fallback: "3", field: func(c *Config) any { return &c.Calls.ReconnectLimit }, check: between(0, 20),
		doc: "How often one call's broken stream is picked up again.",
	},
	{
		key: "calls.reconnect_grace", fallback: "30s", field: func(c *Config) any { return &c.Calls.ReconnectGrace }, check: positive,
		doc: "How long a broken stream may take to come back.",
	},
	{
		key: "calls.opening_deadline", fallback: "300ms", field: func(c *Config) any { return &c.Calls.OpeningDeadline }, check: positive,
		doc: "How long a call's first words wait for what is remembered of the person; what is not there by then is left out.",
	},
	{
		key: "calls.goodbye_cap", fallback: "2s", field: func(c *Config) any { return &c.Calls.GoodbyeCap }, check: positive,
		doc: "How long, beyond the audio still queued, to wait for a goodbye to be heard.",
	},
	{
		key: "calls.unknown_live_cap", fallback: "5", field: func(c *Config) any { return &c.Calls.UnknownLiveCap }, check: between(0, 10000),
		doc: "Callers whom nobody knows that are answered at a time; further ones hear that we are busy. 0 answers none.",
	},

	{
		key: "turn.filler_after", fallback: "1500ms", field: func(c *Config) any { return &c.Turn.FillerAfter }, check: notNegative,
		doc: "How late the first word may be before dead air is covered; 0 never covers it.",
	},
	{
		key: "turn.fillers", fallback: `["Let me think... ", "Well now... ", "Mm, one moment... "]`, field: func(c *Config) any { return &c.Turn.Fillers }, check: someTexts,
		doc: "What covers it, in turn. An ellipsis and a space at the end keep the melody of the voice open.",
	},
	{
		key: "turn.failover_after", fallback: "2500ms", field: func(c *Config) any { return &c.Turn.FailoverAfter }, check: positive,
		doc: "A model without a useful token for so long is raced by the next one.",
	},
	{
		key: "turn.first_token_deadline", fallback: "9s", field: func(c *Config) any { return &c.Turn.FirstTokenDeadline }, check: positive,
		doc: "No word from anyone for so long: the calm sentence is said. ElevenLabs drops a turn after about 11 s.",
	},
	{
		key: "turn.deadline", fallback: "18s", field: func(c *Config) any { return &c.Turn.Deadline }, check: lasting("1s", "19s"),
		doc: "Longest reply. ElevenLabs ends the call at 20 s.",
	},
	{
		key: "turn.silence_prompts", fallback: "2", field: func(c *Config) any { return &c.Turn.SilencePrompts }, check: between(0, 10),
		doc: "How often to ask \"are you still there?\" before saying goodbye.",
	},
	{
		key: "turn.max_tokens", fallback: "300", field: func(c *Config) any { return &c.Turn.MaxTokens }, check: between(16, 4096),
		doc: "Length of a reply in tokens; one that is cut there is completed.",
	},
	{
		key: "turn.temperature", fallback: "0.7", field: func(c *Config) any { return &c.Turn.Temperature }, check: within(0, 2),
		doc: "How freely the model chooses its words, 0 to 2.",
	},
	{
		key: "turn.resolve_by_name", fallback: "false", field: func(c *Config) any { return &c.Turn.ResolveByName },
		doc: "Let requests without a call token find their call by user_id or a userId:/phone: line. Whoever has auth.llm_secret then reaches every live call.",
	},

	{
		key: "rag.enabled", alias: "RAG_ENABLED", fallback: "true", field: func(c *Config) any { return &c.RAG.Enabled },
		doc: "Whether memories are looked for at all.",
	},
	{
		key: "rag.similarity_threshold", alias: "RAG_MEMORY_SIMILARITY_THRESHOLD", fallback: "0.45", field: func(c *Config) any { return &c.RAG.SimilarityThreshold }, check: within(0, 1),
		doc: "Cosine similarity from which on a memory is worth telling the model, 0 to 1.",
	},
	{
		key: "rag.deadline", fallback: "150ms", field: func(c *Config) any { return &c.RAG.Deadline }, check: positive,
		doc: "A memory that is not found by then is done without: the first word comes first. What comes late serves the next turn.",
	},
	{
		key: "rag.topic_threshold", fallback: "0.4", field: func(c *Config) any { return &c.RAG.TopicThreshold }, check: within(0.01, 1),
		doc: "Cosine similarity to the topic below which words begin a new one, and memory is searched anew; 1 searches at every turn.",
	},
	{
		key: "rag.highlights_for", fallback: "90s", field: func(c *Config) any { return &c.RAG.HighlightsFor }, check: positive,
		doc: "How long what was found serves while the topic stays.",
	},
	{
		key: "rag.keyword_weight", fallback: "1", field: func(c *Config) any { return &c.RAG.KeywordWeight }, check: notNegative,
		doc: "What the words count for; 0 switches that search off.",
	},
	{
		key: "rag.vector_weight", fallback: "1", field: func(c *Config) any { return &c.RAG.VectorWeight }, check: notNegative,
		doc: "What the meaning counts for; 0 switches that search off.",
	},
	{
		key: "rag.date_weight", fallback: "0.5", field: func(c *Config) any { return &c.RAG.DateWeight }, check: notNegative,
		doc: "What days that were named count for (\"last Tuesday\"); 0 switches them off.",
	},
	{
		key: "rag.rrf_k", fallback: "20", field: func(c *Config) any { return &c.RAG.RRFK }, check: within(1, 100000),
		doc: "How flat ranks are when lists are fused: the larger, the less the first places count.",
	},
	{
		key: "rag.candidates", fallback: "100", field: func(c *Config) any { return &c.RAG.Candidates }, check: between(1, 1000),
		doc: "How many each list has before they are fused.",
	},
	{
		key: "rag.limit", fallback: "15", field: func(c *Config) any { return &c.RAG.Limit }, check: between(1, 100),
		doc: "Turns of earlier conversations in a prompt.",
	},
	{
		key: "rag.budget", fallback: "1500", field: func(c *Config) any { return &c.RAG.Budget }, check: between(1, 100000),
		doc: "Tokens that they may fill in a call's prompt; long ones are cut to fit.",
	},
	{
		key: "rag.vector_wait", fallback: "1s", field: func(c *Config) any { return &c.RAG.VectorWait }, check: positive,
		doc: "How long a search waits for the meaning before the words answer alone.",
	},

	{
		key: "memory.cache_mb", fallback: "256", field: func(c *Config) any { return &c.Memory.CacheMB }, check: between(1, 1048576),
		doc: "Megabytes of vectors kept in memory where there is no Qdrant; ten thousand memories of 1536 numbers are 60.",
	},
	{
		key: "memory.retention_days", fallback: "0", field: func(c *Config) any { return &c.Memory.RetentionDays }, check: between(0, 36500),
		doc: "Days after which what was said is forgotten; 0 keeps it until somebody asks.",
	},
	{
		key: "memory.index_every", fallback: "2s", field: func(c *Config) any { return &c.Memory.IndexEvery }, check: lasting("100ms", "1h"),
		doc: "How often vectors are made that are still missing.",
	},
	{
		key: "memory.opening_facts", fallback: "12", field: func(c *Config) any { return &c.Memory.OpeningFacts }, check: between(1, 100),
		doc: "Facts about a person that a call begins with.",
	},
	{
		key: "memory.summary_tokens", fallback: "600", field: func(c *Config) any { return &c.Memory.SummaryTokens }, check: between(1, 100000),
		doc: "How much must have been said since the last summary of a person, in tokens.",
	},
	{
		key: "memory.summary_turns", fallback: "12", field: func(c *Config) any { return &c.Memory.SummaryTurns }, check: between(1, 10000),
		doc: "The same, in turns: it is not made anew after each word.",
	},
	{
		key: "memory.summary_max", fallback: "400", field: func(c *Config) any { return &c.Memory.SummaryMax }, check: between(1, 100000),
		doc: "Tokens to which a summary may grow by being gone on with; a longer one is made afresh.",
	},

	{
		key: "chat.per_minute", fallback: "120", field: func(c *Config) any { return &c.Chat.PerMinute }, check: between(1, 100000),
		doc: "Requests of one bearer from one address in a minute.",
	},
	{
		key: "chat.burst", fallback: "30", field: func(c *Config) any { return &c.Chat.Burst }, check: between(1, 100000),
		doc: "How many of them at once.",
	},
	{
		key: "chat.system_prompt", field: func(c *Config) any { return &c.Chat.SystemPrompt },
		doc: "What the model is told where neither the project nor the settings say it; empty is a text of our own.",
	},
	{
		key: "chat.recall_deadline", fallback: "2s", field: func(c *Config) any { return &c.Chat.RecallDeadline }, check: positive,
		doc: "How long memory may take before the reply begins without it.",
	},
	{
		key: "chat.recall_budget", fallback: "4000", field: func(c *Config) any { return &c.Chat.RecallBudget }, check: between(100, 6000),
		doc: "Tokens that what is recalled may fill in a prompt; long episodes are cut to fit.",
	},
	{
		key: "chat.deadline", fallback: "90s", field: func(c *Config) any { return &c.Chat.Deadline }, check: lasting("1s", "110s"),
		doc: "Longest reply: whoever reads waits longer than whoever listens.",
	},
	{
		key: "chat.learn_after", fallback: "10m", field: func(c *Config) any { return &c.Chat.LearnAfter }, check: lasting("1s", "24h"),
		doc: "How long a session must be quiet before it is learned what a person told in it.",
	},
	{
		key: "chat.summary_threshold", fallback: "2000", field: func(c *Config) any { return &c.Chat.SummaryThreshold }, check: between(1, 1000000),
		doc: "Tokens from which on a session is summed up.",
	},
	{
		key: "chat.summary_min_episodes", fallback: "5", field: func(c *Config) any { return &c.Chat.SummaryMinEpisodes }, check: between(1, 10000),
		doc: "New episodes since the last summary, before there is a further one.",
	},
	{
		key: "chat.summary_max", fallback: "600", field: func(c *Config) any { return &c.Chat.SummaryMax }, check: between(1, 100000),
		doc: "Tokens to which a session's summary may grow; a longer one is made afresh.",
	},

	{
		key: "health.max_retry", alias: "MAX_RETRY", fallback: "3", field: func(c *Config) any { return &c.Health.MaxRetry }, check: between(1, 10),
		doc: "How often a question is put, whatever leads back to it, before the keypad is offered, or it is left. Up to four times more at the person's own wish.",
	},
	{
		key: "health.resume_window", fallback: "12h", field: func(c *Config) any { return &c.Health.ResumeWindow }, check: lasting("1m", "168h"),
		doc: "A check that was broken off within so long is gone on with, by the next one or by a call back.",
	},
	{
		key: "health.words_deadline", fallback: "700ms", field: func(c *Config) any { return &c.Health.WordsDeadline }, check: lasting("50ms", "5s"),
		doc: "How long the model may take to word a question; then the pack's own wording is said.",
	},
	{
		key: "health.read_deadline", fallback: "1500ms", field: func(c *Config) any { return &c.Health.ReadDeadline }, check: lasting("50ms", "8s"),
		doc: "How long the model may take to read an answer that the rules could not; then the question is put again.",
	},

	{
		key: "safety.emergency_numbers", field: func(c *Config) any { return &c.Safety.EmergencyNumbers }, check: emergencyNumbers,
		doc: "Numbers that nAIber tells people in danger to ring, by country, where they differ from the built-in ones: [AT=144].",
	},

	{
		key: "jobs.post_call_delay", fallback: "3s", field: func(c *Config) any { return &c.Jobs.PostCallDelay }, check: notNegative,
		doc: "From the end of a call to its summary, so that late events are in.",
	},
	{
		key: "jobs.post_call_per_minute", fallback: "3", field: func(c *Config) any { return &c.Jobs.PostCallPerMinute }, check: between(1, 1000),
		doc: "Post-call jobs that may begin in 60 s, all processes together, and as many that learn from writing: the model's limits are for live calls first.",
	},
	{
		key: "jobs.call_back_delay", fallback: "2m", field: func(c *Config) any { return &c.Jobs.CallBackDelay }, check: positive,
		doc: "From a call that was given up, because every answer failed, to the call back that was promised.",
	},
	{
		key: "jobs.max_attempts", fallback: "8", field: func(c *Config) any { return &c.Jobs.MaxAttempts }, check: between(1, 100),
		doc: "Tries before a job gives up and waits for a human.",
	},
	{
		key: "jobs.timeout", fallback: "5m", field: func(c *Config) any { return &c.Jobs.Timeout }, check: positive,
		doc: "How long one try may take.",
	},

	{
		key: "prompts.dir", field: func(c *Config) any { return &c.Prompts.Dir },
		doc: "Folder of text files that take the place of the built-in ones of the same name; empty uses those.",
	},

	{
		key: "log.level", fallback: "info", field: func(c *Config) any { return &c.Log.Level }, check: oneOf("debug", "info", "warn", "error"),
		doc: "debug, info, warn or error.",
	},
	{
		key: "log.format", fallback: "text", field: func(c *Config) any { return &c.Log.Format }, check: oneOf("text", "json"),
		doc: "text for people, json for machines.",
	},

	{
		key: "tracing.otlp_endpoint", field: func(c *Config) any { return &c.Tracing.OTLPEndpoint }, check: optional(scheme("http", "https")),
		doc: "OTLP over HTTP: http://localhost:4318; empty traces nothing.",
	},

	{
		key: "sandbox.speech_wpm", fallback: "170", field: func(c *Config) any { return &c.Sandbox.SpeechWPM }, check: between(20, 100000),
		doc: "How fast simulated people and voices speak, in words per minute.",
	},
	{
		key: "sandbox.first_token_delay", fallback: "250ms", field: func(c *Config) any { return &c.Sandbox.FirstTokenDelay }, check: notNegative,
		doc: "How long the simulated model takes to its first token.",
	},
	{
		key: "sandbox.token_delay", fallback: "10ms", field: func(c *Config) any { return &c.Sandbox.TokenDelay }, check: notNegative,
		doc: "How long it takes from one token to the next.",
	},
}

// optionByKey finds an option by its path.
var optionByKey = func() map[string]*option {
	m := make(map[string]*option, len(options))
	for _, o := range options {
		m[o.key] = o
	}
	return m
}()
