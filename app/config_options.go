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

// opt is a row of the table.
func opt(key, env, fallback string, field func(*Config) any, check func(any) string, doc string) *option {
	return &option{key: key, env: env, fallback: fallback, field: field, check: check, doc: doc}
}

// or has an older name of the variable read as well.
func (o *option) or(alias string) *option {
	o.alias = alias
	return o
}

// options is the table, in the order of config.yaml.
var options = []*option{
	opt("data_dir", "NAIBER_DATA_DIR", "data", func(c *Config) any { return &c.DataDir }, filled,
		"Folder for what is kept on disk: the private database, mainly."),

	opt("server.port", "PORT", "3000", func(c *Config) any { return &c.Server.Port }, between(0, 65535),
		"TCP port; 0 takes a free one."),
	opt("server.host", "", "", func(c *Config) any { return &c.Server.Host }, nil,
		"Interface to listen on; empty is every one, except in the sandbox, where it is 127.0.0.1."),
	opt("server.public_url", "PUBLIC_URL", "", func(c *Config) any { return &c.Server.PublicURL }, optional(publicURL),
		"How Twilio and ElevenLabs reach this process: https://host, or http on loopback."),
	opt("server.metrics_addr", "", "", func(c *Config) any { return &c.Server.MetricsAddr }, optional(hostPort),
		"Address of an inner port that serves /metrics without a bearer, such as 127.0.0.1:9464; empty is none."),
	opt("server.profiling", "", "false", func(c *Config) any { return &c.Server.Profiling }, nil,
		"Whether the inner port serves /debug/pprof, too. A profile holds no words, but whoever may ask for one can slow the process down."),
	opt("server.stop_grace", "", "10s", func(c *Config) any { return &c.Server.StopGrace }, positive,
		"How long each part may take to stop; what is left then is cut off."),
	opt("server.call_drain", "", "2m", func(c *Config) any { return &c.Server.CallDrain }, notNegative,
		"How long calls may go on once a stop was asked for. They are people in mid-sentence."),

	opt("database.url", "DATABASE_URL", "", func(c *Config) any { return &c.Database.URL }, optional(scheme("postgres", "postgresql")),
		"postgres://user@host/name; empty starts a private one in data_dir."),
	opt("database.max_conns", "", "10", func(c *Config) any { return &c.Database.MaxConns }, between(4, 1000),
		"Connections that the server shares among its requests; pool_max_conns in the URL counts instead. The private database takes 50 in all."),

	opt("redis.url", "REDIS_URL", "", func(c *Config) any { return &c.Redis.URL }, optional(scheme("redis", "rediss", "unix")),
		"redis://host:6379/0; empty keeps checkpoints in PostgreSQL alone."),

	opt("checkpoints.keep", "", "6", func(c *Config) any { return &c.Checkpoints.Keep }, between(2, 100),
		"Turns of one check that can be gone back to: a turn that is replaced goes back one."),
	opt("checkpoints.ttl", "", "168h", func(c *Config) any { return &c.Checkpoints.TTL }, lasting("1h", "2160h"),
		"How long one is kept after its last turn, should the work after the call be held up; at least health.resume_window."),

	opt("qdrant.url", "QDRANT_URL", "", func(c *Config) any { return &c.Qdrant.URL }, optional(scheme("http", "https")),
		"http://host:6334 (gRPC); empty keeps vectors in PostgreSQL."),
	opt("qdrant.api_key", "QDRANT_API_KEY", "", func(c *Config) any { return &c.Qdrant.APIKey }, nil,
		"Key for a Qdrant that asks for one."),
	opt("qdrant.collection", "QDRANT_COLLECTION", "memories", func(c *Config) any { return &c.Qdrant.Collection }, collectionName,
		"Collection of all people's memories."),

	opt("openai.api_key", "OPENAI_API_KEY", "", func(c *Config) any { return &c.OpenAI.APIKey }, nil,
		"Key of the model server. In the sandbox, setting it puts a real model in place of the simulated one."),
	opt("openai.base_url", "OPENAI_BASE_URL", "https://api.openai.com/v1", func(c *Config) any { return &c.OpenAI.BaseURL }, secureURL,
		"Root of its API; plain http only on loopback."),
	opt("openai.models", "OPENAI_MODEL", "gpt-4o", func(c *Config) any { return &c.OpenAI.Models }, someTexts,
		"Models by rank: when one is late or fails, the next is asked. In the environment: a,b,c."),
	opt("openai.background_model", "", "", func(c *Config) any { return &c.OpenAI.Background }, nil,
		"Smaller model that is asked first for what nobody waits for: learning from calls and writing, summaries, names. Empty: the models above."),
	opt("openai.embedding_model", "OPENAI_EMBEDDING_MODEL", "text-embedding-3-small", func(c *Config) any { return &c.OpenAI.EmbeddingModel }, filled,
		"Model that turns memories into vectors. Vectors of two models cannot be compared: with another one all are made anew."),
	opt("openai.embedding_dims", "", "0", func(c *Config) any { return &c.OpenAI.EmbeddingDims }, between(0, 65536),
		"Numbers in a vector, where the model can be asked for fewer; 0 is as many as it makes by itself."),

	opt("twilio.account_sid", "TWILIO_ACCOUNT_SID", "", func(c *Config) any { return &c.Twilio.AccountSID }, optional(accountSID),
		"Account SID: AC and 32 hexadecimal digits."),
	opt("twilio.auth_token", "TWILIO_AUTH_TOKEN", "", func(c *Config) any { return &c.Twilio.AuthToken }, nil,
		"Auth token; it also proves that webhooks come from Twilio."),
	opt("twilio.number", "TWILIO_NUMBER", "", func(c *Config) any { return &c.Twilio.Number }, optional(e164),
		"Number that calls come from, with its country code: +15551234567."),
	opt("twilio.base_url", "TWILIO_BASE_URL", "https://api.twilio.com", func(c *Config) any { return &c.Twilio.BaseURL }, secureURL,
		"Root of its API; plain http only on loopback."),

	opt("elevenlabs.api_key", "ELEVENLABS_API_KEY", "", func(c *Config) any { return &c.ElevenLabs.APIKey }, nil,
		"Key of the workspace."),
	opt("elevenlabs.agent_id", "ELEVENLABS_AGENT_ID", "", func(c *Config) any { return &c.ElevenLabs.AgentID }, nil,
		"Agent that speaks; `naiber agent sync` prints it."),
	opt("elevenlabs.base_url", "ELEVENLABS_BASE_URL", "https://api.elevenlabs.io", func(c *Config) any { return &c.ElevenLabs.BaseURL }, secureURL,
		"Root of its API; another host for data residency. Plain http only on loopback."),
	opt("elevenlabs.webhook_secret", "ELEVENLABS_WEBHOOK_SECRET", "", func(c *Config) any { return &c.ElevenLabs.WebhookSecret }, nil,
		"Proves that post-call webhooks come from ElevenLabs; empty refuses them all."),
	opt("elevenlabs.voice_id", "", "", func(c *Config) any { return &c.ElevenLabs.VoiceID }, nil,
		"Voice of the agent; empty leaves the one it has."),
	opt("elevenlabs.tts_model", "", "", func(c *Config) any { return &c.ElevenLabs.TTSModel }, nil,
		"Speech model of the agent; empty leaves the one it has."),
	opt("elevenlabs.languages", "", "", func(c *Config) any { return &c.ElevenLabs.Languages }, languages,
		"What the agent speaks besides English, two letters each: [de, es]."),

	opt("auth.llm_secret", "NAIBER_LLM_SECRET", "", func(c *Config) any { return &c.Auth.LLMSecret }, nil,
		"Bearer that ElevenLabs presents to the chat-completions endpoint; long and random."),
	opt("auth.api_token", "NAIBER_API_TOKEN", "", func(c *Config) any { return &c.Auth.APIToken }, nil,
		"Bearer for /call and /api; long and random."),
	opt("auth.admin_password", "NAIBER_ADMIN_PASSWORD", "", func(c *Config) any { return &c.Auth.AdminPassword }, nil,
		"Opens the console and /admin/queues to the user admin; empty keeps both shut. Long and random."),

	opt("calls.quiet_start", "", "20:00", func(c *Config) any { return &c.Calls.QuietStart }, timeOfDay,
		"From here on nobody is called; the person's own time, who may have other hours on record."),
	opt("calls.quiet_end", "", "09:00", func(c *Config) any { return &c.Calls.QuietEnd }, timeOfDay,
		"Until here."),
	opt("calls.daily_cap", "", "3", func(c *Config) any { return &c.Calls.DailyCap }, between(0, 100),
		"Calls to one person on one day of theirs; 0 places none at all."),
	opt("calls.ring_timeout", "", "30s", func(c *Config) any { return &c.Calls.RingTimeout }, lasting("5s", "10m"),
		"How long it rings. Elderly people need time to get to the telephone."),
	opt("calls.time_limit", "", "20m", func(c *Config) any { return &c.Calls.TimeLimit }, lasting("1m", "4h"),
		"Longest call; Twilio ends one after 4 h whatever is set here."),
	opt("calls.stream_start_timeout", "", "10s", func(c *Config) any { return &c.Calls.StreamStartTimeout }, positive,
		"From the media socket's opening to a valid start message."),
	opt("calls.silence_hangup", "", "90s", func(c *Config) any { return &c.Calls.SilenceHangup }, lasting("10s", "1h"),
		"Nobody spoke and nothing was played for so long: the call is over."),
	opt("calls.reconnect_limit", "", "3", func(c *Config) any { return &c.Calls.ReconnectLimit }, between(0, 20),
		"How often one call's broken stream is picked up again."),
	opt("calls.reconnect_grace", "", "30s", func(c *Config) any { return &c.Calls.ReconnectGrace }, positive,
		"How long a broken stream may take to come back."),
	opt("calls.opening_deadline", "", "300ms", func(c *Config) any { return &c.Calls.OpeningDeadline }, positive,
		"How long a call's first words wait for what is remembered of the person; what is not there by then is left out."),
	opt("calls.goodbye_cap", "", "2s", func(c *Config) any { return &c.Calls.GoodbyeCap }, positive,
		"How long, beyond the audio still queued, to wait for a goodbye to be heard."),
	opt("calls.unknown_live_cap", "", "5", func(c *Config) any { return &c.Calls.UnknownLiveCap }, between(0, 10000),
		"Callers whom nobody knows that are answered at a time; further ones hear that we are busy. 0 answers none."),

	opt("turn.filler_after", "", "1500ms", func(c *Config) any { return &c.Turn.FillerAfter }, notNegative,
		"How late the first word may be before dead air is covered; 0 never covers it."),
	opt("turn.fillers", "", `["Let me think... ", "Well now... ", "Mm, one moment... "]`, func(c *Config) any { return &c.Turn.Fillers }, someTexts,
		"What covers it, in turn. An ellipsis and a space at the end keep the melody of the voice open."),
	opt("turn.failover_after", "", "2500ms", func(c *Config) any { return &c.Turn.FailoverAfter }, positive,
		"A model without a useful token for so long is raced by the next one."),
	opt("turn.first_token_deadline", "", "9s", func(c *Config) any { return &c.Turn.FirstTokenDeadline }, positive,
		"No word from anyone for so long: the calm sentence is said. ElevenLabs drops a turn after about 11 s."),
	opt("turn.deadline", "", "18s", func(c *Config) any { return &c.Turn.Deadline }, lasting("1s", "19s"),
		"Longest reply. ElevenLabs ends the call at 20 s."),
	opt("turn.silence_prompts", "", "2", func(c *Config) any { return &c.Turn.SilencePrompts }, between(0, 10),
		"How often to ask \"are you still there?\" before saying goodbye."),
	opt("turn.max_tokens", "", "300", func(c *Config) any { return &c.Turn.MaxTokens }, between(16, 4096),
		"Length of a reply in tokens; one that is cut there is completed."),
	opt("turn.temperature", "", "0.7", func(c *Config) any { return &c.Turn.Temperature }, within(0, 2),
		"How freely the model chooses its words, 0 to 2."),
	opt("turn.resolve_by_name", "", "false", func(c *Config) any { return &c.Turn.ResolveByName }, nil,
		"Let requests without a call token find their call by user_id or a userId:/phone: line. Whoever has auth.llm_secret then reaches every live call."),

	opt("rag.enabled", "", "true", func(c *Config) any { return &c.RAG.Enabled }, nil,
		"Whether memories are looked for at all.").or("RAG_ENABLED"),
	opt("rag.similarity_threshold", "", "0.45", func(c *Config) any { return &c.RAG.SimilarityThreshold }, within(0, 1),
		"Cosine similarity from which on a memory is worth telling the model, 0 to 1.").or("RAG_MEMORY_SIMILARITY_THRESHOLD"),
	opt("rag.deadline", "", "150ms", func(c *Config) any { return &c.RAG.Deadline }, positive,
		"A memory that is not found by then is done without: the first word comes first. What comes late serves the next turn."),
	opt("rag.topic_threshold", "", "0.4", func(c *Config) any { return &c.RAG.TopicThreshold }, within(0.01, 1),
		"Cosine similarity to the topic below which words begin a new one, and memory is searched anew; 1 searches at every turn."),
	opt("rag.highlights_for", "", "90s", func(c *Config) any { return &c.RAG.HighlightsFor }, positive,
		"How long what was found serves while the topic stays."),
	opt("rag.keyword_weight", "", "1", func(c *Config) any { return &c.RAG.KeywordWeight }, notNegative,
		"What the words count for; 0 switches that search off."),
	opt("rag.vector_weight", "", "1", func(c *Config) any { return &c.RAG.VectorWeight }, notNegative,
		"What the meaning counts for; 0 switches that search off."),
	opt("rag.date_weight", "", "0.5", func(c *Config) any { return &c.RAG.DateWeight }, notNegative,
		"What days that were named count for (\"last Tuesday\"); 0 switches them off."),
	opt("rag.rrf_k", "", "20", func(c *Config) any { return &c.RAG.RRFK }, within(1, 100000),
		"How flat ranks are when lists are fused: the larger, the less the first places count."),
	opt("rag.candidates", "", "100", func(c *Config) any { return &c.RAG.Candidates }, between(1, 1000),
		"How many each list has before they are fused."),
	opt("rag.limit", "", "15", func(c *Config) any { return &c.RAG.Limit }, between(1, 100),
		"Turns of earlier conversations in a prompt."),
	opt("rag.budget", "", "1500", func(c *Config) any { return &c.RAG.Budget }, between(1, 100000),
		"Tokens that they may fill in a call's prompt; long ones are cut to fit."),
	opt("rag.vector_wait", "", "1s", func(c *Config) any { return &c.RAG.VectorWait }, positive,
		"How long a search waits for the meaning before the words answer alone."),

	opt("memory.cache_mb", "", "256", func(c *Config) any { return &c.Memory.CacheMB }, between(1, 1048576),
		"Megabytes of vectors kept in memory where there is no Qdrant; ten thousand memories of 1536 numbers are 60."),
	opt("memory.retention_days", "", "0", func(c *Config) any { return &c.Memory.RetentionDays }, between(0, 36500),
		"Days after which what was said is forgotten; 0 keeps it until somebody asks."),
	opt("memory.index_every", "", "2s", func(c *Config) any { return &c.Memory.IndexEvery }, lasting("100ms", "1h"),
		"How often vectors are made that are still missing."),
	opt("memory.opening_facts", "", "12", func(c *Config) any { return &c.Memory.OpeningFacts }, between(1, 100),
		"Facts about a person that a call begins with."),
	opt("memory.summary_tokens", "", "600", func(c *Config) any { return &c.Memory.SummaryTokens }, between(1, 100000),
		"How much must have been said since the last summary of a person, in tokens."),
	opt("memory.summary_turns", "", "12", func(c *Config) any { return &c.Memory.SummaryTurns }, between(1, 10000),
		"The same, in turns: it is not made anew after each word."),
	opt("memory.summary_max", "", "400", func(c *Config) any { return &c.Memory.SummaryMax }, between(1, 100000),
		"Tokens to which a summary may grow by being gone on with; a longer one is made afresh."),

	opt("chat.per_minute", "", "120", func(c *Config) any { return &c.Chat.PerMinute }, between(1, 100000),
		"Requests of one bearer from one address in a minute."),
	opt("chat.burst", "", "30", func(c *Config) any { return &c.Chat.Burst }, between(1, 100000),
		"How many of them at once."),
	opt("chat.system_prompt", "", "", func(c *Config) any { return &c.Chat.SystemPrompt }, nil,
		"What the model is told where neither the project nor the settings say it; empty is a text of our own."),
	opt("chat.recall_deadline", "", "2s", func(c *Config) any { return &c.Chat.RecallDeadline }, positive,
		"How long memory may take before the reply begins without it."),
	opt("chat.recall_budget", "", "4000", func(c *Config) any { return &c.Chat.RecallBudget }, between(100, 6000),
		"Tokens that what is recalled may fill in a prompt; long episodes are cut to fit."),
	opt("chat.deadline", "", "90s", func(c *Config) any { return &c.Chat.Deadline }, lasting("1s", "110s"),
		"Longest reply: whoever reads waits longer than whoever listens."),
	opt("chat.learn_after", "", "10m", func(c *Config) any { return &c.Chat.LearnAfter }, lasting("1s", "24h"),
		"How long a session must be quiet before it is learned what a person told in it."),
	opt("chat.summary_threshold", "", "2000", func(c *Config) any { return &c.Chat.SummaryThreshold }, between(1, 1000000),
		"Tokens from which on a session is summed up."),
	opt("chat.summary_min_episodes", "", "5", func(c *Config) any { return &c.Chat.SummaryMinEpisodes }, between(1, 10000),
		"New episodes since the last summary, before there is a further one."),
	opt("chat.summary_max", "", "600", func(c *Config) any { return &c.Chat.SummaryMax }, between(1, 100000),
		"Tokens to which a session's summary may grow; a longer one is made afresh."),

	opt("health.max_retry", "", "3", func(c *Config) any { return &c.Health.MaxRetry }, between(1, 10),
		"How often a question is put, whatever leads back to it, before the keypad is offered, or it is left. Up to four times more at the person's own wish.").or("MAX_RETRY"),
	opt("health.resume_window", "", "12h", func(c *Config) any { return &c.Health.ResumeWindow }, lasting("1m", "168h"),
		"A check that was broken off within so long is gone on with, by the next one or by a call back."),
	opt("health.words_deadline", "", "700ms", func(c *Config) any { return &c.Health.WordsDeadline }, lasting("50ms", "5s"),
		"How long the model may take to word a question; then the pack's own wording is said."),
	opt("health.read_deadline", "", "1500ms", func(c *Config) any { return &c.Health.ReadDeadline }, lasting("50ms", "8s"),
		"How long the model may take to read an answer that the rules could not; then the question is put again."),

	opt("safety.emergency_numbers", "", "", func(c *Config) any { return &c.Safety.EmergencyNumbers }, emergencyNumbers,
		"Numbers that nAIber tells people in danger to ring, by country, where they differ from the built-in ones: [AT=144]."),

	opt("jobs.post_call_delay", "", "3s", func(c *Config) any { return &c.Jobs.PostCallDelay }, notNegative,
		"From the end of a call to its summary, so that late events are in."),
	opt("jobs.post_call_per_minute", "", "3", func(c *Config) any { return &c.Jobs.PostCallPerMinute }, between(1, 1000),
		"Post-call jobs that may begin in 60 s, all processes together, and as many that learn from writing: the model's limits are for live calls first."),
	opt("jobs.call_back_delay", "", "2m", func(c *Config) any { return &c.Jobs.CallBackDelay }, positive,
		"From a call that was given up, because every answer failed, to the call back that was promised."),
	opt("jobs.max_attempts", "", "8", func(c *Config) any { return &c.Jobs.MaxAttempts }, between(1, 100),
		"Tries before a job gives up and waits for a human."),
	opt("jobs.timeout", "", "5m", func(c *Config) any { return &c.Jobs.Timeout }, positive,
		"How long one try may take."),

	opt("prompts.dir", "", "", func(c *Config) any { return &c.Prompts.Dir }, nil,
		"Folder of text files that take the place of the built-in ones of the same name; empty uses those."),

	opt("log.level", "", "info", func(c *Config) any { return &c.Log.Level }, oneOf("debug", "info", "warn", "error"),
		"debug, info, warn or error."),
	opt("log.format", "", "text", func(c *Config) any { return &c.Log.Format }, oneOf("text", "json"),
		"text for people, json for machines."),

	opt("tracing.otlp_endpoint", "", "", func(c *Config) any { return &c.Tracing.OTLPEndpoint }, optional(scheme("http", "https")),
		"OTLP over HTTP: http://localhost:4318; empty traces nothing."),

	opt("sandbox.speech_wpm", "", "170", func(c *Config) any { return &c.Sandbox.SpeechWPM }, between(20, 100000),
		"How fast simulated people and voices speak, in words per minute."),
	opt("sandbox.first_token_delay", "", "250ms", func(c *Config) any { return &c.Sandbox.FirstTokenDelay }, notNegative,
		"How long the simulated model takes to its first token."),
	opt("sandbox.token_delay", "", "10ms", func(c *Config) any { return &c.Sandbox.TokenDelay }, notNegative,
		"How long it takes from one token to the next."),
}

// optionByKey finds an option by its path.
var optionByKey = func() map[string]*option {
	m := make(map[string]*option, len(options))
	for _, o := range options {
		m[o.key] = o
	}
	return m
}()
