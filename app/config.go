package app

import "time"

// Config is everything that can be set. [Load] fills it from config.yaml, the
// environment and flags; packages below app read none of these. It is also the
// table of all options: the file's keys, the variables, the flags, the checks
// and config.yaml come from its tags; see [option].
//
// Printing a Config is safe: secrets show as "[redacted]".
type Config struct {
	DataDir string `key:"data_dir" default:"data" check:"filled" doc:"Folder for what is kept on disk: the private database, mainly."`

	Server struct {
		Port        int           `key:"port" env:"PORT" default:"3000" check:"from 0 to 65535" doc:"TCP port; 0 takes a free one."`
		Host        string        `key:"host" doc:"Interface to listen on; empty is every one, except in the sandbox, where it is 127.0.0.1."`
		PublicURL   string        `key:"public_url" env:"PUBLIC_URL" check:"optional public_url" doc:"How Twilio and ElevenLabs reach this process: https://host, or http on loopback."`
		MetricsAddr string        `key:"metrics_addr" check:"optional host_port" doc:"Address of an inner port that serves /metrics without a bearer, such as 127.0.0.1:9464; empty is none."`
		Profiling   bool          `key:"profiling" default:"false" doc:"Whether the inner port serves /debug/pprof, too. A profile holds no words, but whoever may ask for one can slow the process down."`
		StopGrace   time.Duration `key:"stop_grace" default:"10s" check:"positive" doc:"How long each part may take to stop; what is left then is cut off."`
		CallDrain   time.Duration `key:"call_drain" default:"2m" check:"not_negative" doc:"How long calls may go on once a stop was asked for. They are people in mid-sentence."`
	} `key:"server" doc:"How this process is reached, and how it ends."`
	Database struct {
		URL      Secret `key:"url" env:"DATABASE_URL" check:"optional url postgres postgresql" doc:"postgres://user@host/name; empty starts a private one in data_dir."`
		MaxConns int    `key:"max_conns" default:"10" check:"from 4 to 1000" doc:"Connections that the server shares among its requests; pool_max_conns in the URL counts instead. The private database takes 50 in all."`
	} `key:"database" doc:"PostgreSQL: people, calls, jobs."`
	Redis struct {
		URL Secret `key:"url" env:"REDIS_URL" check:"optional url redis rediss unix" doc:"redis://host:6379/0; empty keeps checkpoints in PostgreSQL alone."`
	} `key:"redis" doc:"Checkpoints of health checks, besides PostgreSQL."`
	Checkpoints struct {
		Keep int           `key:"keep" default:"6" check:"from 2 to 100" doc:"Turns of one check that can be gone back to: a turn that is replaced goes back one."`
		TTL  time.Duration `key:"ttl" default:"168h" check:"from 1h to 2160h" doc:"How long one is kept after its last turn, should the work after the call be held up; at least health.resume_window."`
	} `key:"checkpoints" doc:"What is kept of a health check while it is under way."`
	Qdrant struct {
		URL        string `key:"url" env:"QDRANT_URL" check:"optional url http https" doc:"http://host:6334 (gRPC); empty keeps vectors in PostgreSQL."`
		APIKey     Secret `key:"api_key" env:"QDRANT_API_KEY" doc:"Key for a Qdrant that asks for one."`
		Collection string `key:"collection" env:"QDRANT_COLLECTION" default:"memories" check:"collection" doc:"Collection of all people's memories."`
	} `key:"qdrant" doc:"Vectors of memories."`
	OpenAI struct {
		APIKey         Secret   `key:"api_key" env:"OPENAI_API_KEY" doc:"Key of the model server. In the sandbox, setting it puts a real model in place of the simulated one."`
		BaseURL        string   `key:"base_url" env:"OPENAI_BASE_URL" default:"https://api.openai.com/v1" check:"secure_url" doc:"Root of its API; plain http only on loopback."`
		Models         []string `key:"models" env:"OPENAI_MODEL" default:"gpt-4o" check:"some_texts" doc:"Models by rank: when one is late or fails, the next is asked. In the environment: a,b,c."`
		Background     string   `key:"background_model" doc:"Smaller model that is asked first for what nobody waits for: learning from calls and writing, summaries, names. Empty: the models above."`
		EmbeddingModel string   `key:"embedding_model" env:"OPENAI_EMBEDDING_MODEL" default:"text-embedding-3-small" check:"filled" doc:"Model that turns memories into vectors. Vectors of two models cannot be compared: with another one all are made anew."`
		EmbeddingDims  int      `key:"embedding_dims" default:"0" check:"from 0 to 65536" doc:"Numbers in a vector, where the model can be asked for fewer; 0 is as many as it makes by itself."`
	} `key:"openai" doc:"The model server, or any that speaks its protocol."`
	Twilio struct {
		AccountSID          string `key:"account_sid" env:"TWILIO_ACCOUNT_SID" check:"optional account_sid" doc:"Account SID: AC and 32 hexadecimal digits."`
		AuthToken           Secret `key:"auth_token" env:"TWILIO_AUTH_TOKEN" doc:"Auth token; it also proves that webhooks come from Twilio."`
		Number              string `key:"number" env:"TWILIO_NUMBER" check:"optional e164" doc:"Number that calls come from, with its country code: +15551234567."`
		MessagingNumber     string `key:"messaging_number" env:"TWILIO_MESSAGING_NUMBER" check:"optional e164" doc:"Number that text messages about alerts come from; empty: that of calls."`
		MessagingServiceSID string `key:"messaging_service_sid" env:"TWILIO_MESSAGING_SERVICE_SID" check:"optional messaging_service_sid" doc:"Messaging service that sends them instead: MG and 32 hexadecimal digits."`
		BaseURL             string `key:"base_url" env:"TWILIO_BASE_URL" default:"https://api.twilio.com" check:"secure_url" doc:"Root of its API; plain http only on loopback."`
	} `key:"twilio" doc:"The carrier. Values from https://console.twilio.com."`
	ElevenLabs struct {
		APIKey        Secret   `key:"api_key" env:"ELEVENLABS_API_KEY" doc:"Key of the workspace."`
		AgentID       string   `key:"agent_id" env:"ELEVENLABS_AGENT_ID" doc:"Agent that speaks; \x60naiber agent sync\x60 prints it."`
		CognitiveID   string   `key:"cognitive_agent_id" env:"ELEVENLABS_COGNITIVE_AGENT_ID" doc:"Agent that speaks in cognitive checks: it leaves more time to think, which one conversation cannot ask of an agent. Empty: the one above."`
		BaseURL       string   `key:"base_url" env:"ELEVENLABS_BASE_URL" default:"https://api.elevenlabs.io" check:"secure_url" doc:"Root of its API; another host for data residency. Plain http only on loopback."`
		WebhookSecret Secret   `key:"webhook_secret" env:"ELEVENLABS_WEBHOOK_SECRET" doc:"Proves that post-call webhooks come from ElevenLabs; empty refuses them all."`
		VoiceID       string   `key:"voice_id" doc:"Voice of the agent; empty leaves the one it has."`
		TTSModel      string   `key:"tts_model" doc:"Speech model of the agent; empty leaves the one it has."`
		Languages     []string `key:"languages" check:"languages" doc:"What the agent speaks besides English, two letters each: [de, es]."`
	} `key:"elevenlabs" doc:"The voice. \x60naiber agent sync\x60 sets up the agent."`
	Auth struct {
		LLMSecret     Secret `key:"llm_secret" env:"NAIBER_LLM_SECRET" doc:"Bearer that ElevenLabs presents to the chat-completions endpoint; long and random."`
		APIToken      Secret `key:"api_token" env:"NAIBER_API_TOKEN" doc:"Bearer for /call and /api; long and random."`
		AdminPassword Secret `key:"admin_password" env:"NAIBER_ADMIN_PASSWORD" doc:"Opens the console and /admin/queues to the user admin; empty keeps both shut. Long and random."`
	} `key:"auth" doc:"The keys to our own doors; each opens one. Make them with: openssl rand -hex 32"`
	Calls struct {
		QuietStart         string        `key:"quiet_start" default:"20:00" check:"time_of_day" doc:"From here on nobody is called; the person's own time, who may have other hours on record."`
		QuietEnd           string        `key:"quiet_end" default:"09:00" check:"time_of_day" doc:"Until here."`
		LegalHours         bool          `key:"legal_hours" default:"true" doc:"Place calls only within the hours of the law where a telephone is, by the table of docs/consent.md. It has them from laws on machines that call and on telephone sales: false where yours are neither, for which ask somebody who knows. Quiet hours stand."`
		CostPerMinute      float64       `key:"cost_per_minute" default:"0.15" check:"from 0 to 1000" doc:"What a minute of a call is estimated to cost, in your currency; each begun one counts."`
		PersonMonthlyCost  float64       `key:"person_monthly_cost" default:"0" check:"from 0 to 1000000" doc:"Most that calls to one person may cost in a month; 0 caps nothing. Health checks that are scheduled as essential, call backs after danger and notices are made all the same."`
		MonthlyCost        float64       `key:"monthly_cost" default:"0" check:"from 0 to 100000000" doc:"The same for everybody together."`
		OptOutKeyIn        []string      `key:"opt_out_key_in" check:"countries" doc:"Countries in which calls begin by saying which key ends them for good, by two letters, such as US; empty: by the table of docs/consent.md. The key works everywhere."`
		DailyCap           int           `key:"daily_cap" default:"3" check:"from 0 to 100" doc:"Calls to one person on one day of theirs; 0 places none at all."`
		RingTimeout        time.Duration `key:"ring_timeout" default:"30s" check:"from 5s to 10m" doc:"How long it rings. Elderly people need time to get to the telephone."`
		TimeLimit          time.Duration `key:"time_limit" default:"20m" check:"from 1m to 4h" doc:"Longest call; Twilio ends one after 4 h whatever is set here."`
		StreamStartTimeout time.Duration `key:"stream_start_timeout" default:"10s" check:"positive" doc:"From the media socket's opening to a valid start message."`
		SilenceHangup      time.Duration `key:"silence_hangup" default:"90s" check:"from 10s to 1h" doc:"Nobody spoke and nothing was played for so long: the call is over."`
		ReconnectLimit     int           `key:"reconnect_limit" default:"3" check:"from 0 to 20" doc:"How often one call's broken stream is picked up again."`
		ReconnectGrace     time.Duration `key:"reconnect_grace" default:"30s" check:"positive" doc:"How long a broken stream may take to come back."`
		OpeningDeadline    time.Duration `key:"opening_deadline" default:"300ms" check:"positive" doc:"How long a call's first words wait for what is remembered of the person; what is not there by then is left out."`
		GoodbyeCap         time.Duration `key:"goodbye_cap" default:"2s" check:"positive" doc:"How long, beyond the audio still queued, to wait for a goodbye to be heard."`
		InboundCheck       string        `key:"inbound_check" default:"callback" check:"one_of callback keyed" doc:"How a caller shows to be the person whose number they phone from: callback (nAIber rings back) or keyed (their PIN, where the carrier vouches for the number; else callback)."`
		Presume            bool          `key:"presume" default:"true" doc:"In calls for company and about appliances, take anybody who answers as the person would for them until they say otherwise; false asks everybody. Checks always ask."`
		UnknownLiveCap     int           `key:"unknown_live_cap" default:"5" check:"from 0 to 10000" doc:"Callers whom nobody knows that are answered at a time; further ones hear that we are busy. 0 answers none."`
	} `key:"calls" doc:"What a call may do, and when."`
	Turn struct {
		FillerAfter        time.Duration `key:"filler_after" default:"1500ms" check:"not_negative" doc:"How late the first word may be before dead air is covered; 0 never covers it."`
		Fillers            []string      `key:"fillers" default:"[\"Let me think... \", \"Well now... \", \"Mm, one moment... \"]" check:"some_texts" doc:"What covers it, in turn. An ellipsis and a space at the end keep the melody of the voice open."`
		FailoverAfter      time.Duration `key:"failover_after" default:"2500ms" check:"positive" doc:"A model without a useful token for so long is raced by the next one."`
		FirstTokenDeadline time.Duration `key:"first_token_deadline" default:"9s" check:"positive" doc:"No word from anyone for so long: the calm sentence is said. ElevenLabs drops a turn after about 11 s."`
		Deadline           time.Duration `key:"deadline" default:"18s" check:"from 1s to 19s" doc:"Longest reply. ElevenLabs ends the call at 20 s."`
		SilencePrompts     int           `key:"silence_prompts" default:"2" check:"from 0 to 10" doc:"How often to ask \"are you still there?\" before saying goodbye."`
		MaxTokens          int           `key:"max_tokens" default:"300" check:"from 16 to 4096" doc:"Length of a reply in tokens; one that is cut there is completed."`
		Temperature        float64       `key:"temperature" default:"0.7" check:"from 0 to 2" doc:"How freely the model chooses its words, 0 to 2."`
		ResolveByName      bool          `key:"resolve_by_name" default:"false" doc:"Let requests without a call token find their call by user_id or a userId:/phone: line. Whoever has auth.llm_secret then reaches every live call."`
	} `key:"turn" doc:"One reply, from the end of what was said to the last word."`
	RAG struct {
		Enabled             bool          `key:"enabled" alias:"RAG_ENABLED" default:"true" doc:"Whether memories are looked for at all."`
		SimilarityThreshold float64       `key:"similarity_threshold" alias:"RAG_MEMORY_SIMILARITY_THRESHOLD" default:"0.25" check:"from 0 to 1" doc:"Cosine similarity from which on a memory is worth telling the model, 0 to 1."`
		Deadline            time.Duration `key:"deadline" default:"150ms" check:"positive" doc:"A memory that is not found by then is done without: the first word comes first. What comes late serves the next turn."`
		TopicThreshold      float64       `key:"topic_threshold" default:"0.4" check:"from 0.01 to 1" doc:"Cosine similarity to the topic below which words begin a new one, and memory is searched anew; 1 searches at every turn."`
		HighlightsFor       time.Duration `key:"highlights_for" default:"90s" check:"positive" doc:"How long what was found serves while the topic stays."`
		KeywordWeight       float64       `key:"keyword_weight" default:"1" check:"not_negative" doc:"What the words count for; 0 switches that search off."`
		VectorWeight        float64       `key:"vector_weight" default:"1" check:"not_negative" doc:"What the meaning counts for; 0 switches that search off."`
		DateWeight          float64       `key:"date_weight" default:"0.5" check:"not_negative" doc:"What days that were named count for (\"last Tuesday\"); 0 switches them off."`
		RRFK                float64       `key:"rrf_k" default:"20" check:"from 1 to 100000" doc:"How flat ranks are when lists are fused: the larger, the less the first places count."`
		Candidates          int           `key:"candidates" default:"100" check:"from 1 to 1000" doc:"How many each list has before they are fused."`
		Limit               int           `key:"limit" default:"15" check:"from 1 to 100" doc:"Turns of earlier conversations in a prompt."`
		Budget              int           `key:"budget" default:"1500" check:"from 1 to 100000" doc:"Tokens that they may fill in a call's prompt; long ones are cut to fit."`
		VectorWait          time.Duration `key:"vector_wait" default:"1s" check:"positive" doc:"How long a search waits for the meaning before the words answer alone."`
	} `key:"rag" doc:"Memories in a reply."`
	Memory struct {
		CacheMB       int           `key:"cache_mb" default:"256" check:"from 1 to 1048576" doc:"Megabytes of vectors kept in memory where there is no Qdrant; ten thousand memories of 1536 numbers are 60."`
		RetentionDays int           `key:"retention_days" default:"0" check:"from 0 to 36500" doc:"Days after which what was said is forgotten; 0 keeps it until somebody asks."`
		IndexEvery    time.Duration `key:"index_every" default:"2s" check:"from 100ms to 1h" doc:"How often vectors are made that are still missing."`
		OpeningFacts  int           `key:"opening_facts" default:"12" check:"from 1 to 100" doc:"Facts about a person that a call begins with."`
		SummaryTokens int           `key:"summary_tokens" default:"600" check:"from 1 to 100000" doc:"How much must have been said since the last summary of a person, in tokens."`
		SummaryTurns  int           `key:"summary_turns" default:"12" check:"from 1 to 10000" doc:"The same, in turns: it is not made anew after each word."`
		SummaryMax    int           `key:"summary_max" default:"400" check:"from 1 to 100000" doc:"Tokens to which a summary may grow by being gone on with; a longer one is made afresh."`
	} `key:"memory" doc:"What is kept of people who consent to it."`
	Chat struct {
		PerMinute          int           `key:"per_minute" default:"120" check:"from 1 to 100000" doc:"Requests of one bearer from one address in a minute."`
		Burst              int           `key:"burst" default:"30" check:"from 1 to 100000" doc:"How many of them at once."`
		SystemPrompt       string        `key:"system_prompt" doc:"What the model is told where neither the project nor the settings say it; empty is a text of our own."`
		RecallDeadline     time.Duration `key:"recall_deadline" default:"2s" check:"positive" doc:"How long memory may take before the reply begins without it."`
		RecallBudget       int           `key:"recall_budget" default:"4000" check:"from 100 to 6000" doc:"Tokens that what is recalled may fill in a prompt; long episodes are cut to fit."`
		Deadline           time.Duration `key:"deadline" default:"90s" check:"from 1s to 110s" doc:"Longest reply: whoever reads waits longer than whoever listens."`
		LearnAfter         time.Duration `key:"learn_after" default:"10m" check:"from 1s to 24h" doc:"How long a session must be quiet before it is learned what a person told in it."`
		SummaryThreshold   int           `key:"summary_threshold" default:"2000" check:"from 1 to 1000000" doc:"Tokens from which on a session is summed up."`
		SummaryMinEpisodes int           `key:"summary_min_episodes" default:"5" check:"from 1 to 10000" doc:"New episodes since the last summary, before there is a further one."`
		SummaryMax         int           `key:"summary_max" default:"600" check:"from 1 to 100000" doc:"Tokens to which a session's summary may grow; a longer one is made afresh."`
	} `key:"chat" doc:"The text channel."`
	Health struct {
		MaxRetry      int           `key:"max_retry" alias:"MAX_RETRY" default:"3" check:"from 1 to 10" doc:"How often a question is put, whatever leads back to it, before the keypad is offered, or it is left. Up to four times more at the person's own wish."`
		ResumeWindow  time.Duration `key:"resume_window" default:"12h" check:"from 1m to 168h" doc:"A check that was broken off within so long is gone on with, by the next one or by a call back."`
		WordsDeadline time.Duration `key:"words_deadline" default:"700ms" check:"from 50ms to 5s" doc:"How long the model may take to word a question; then the pack's own wording is said."`
		ReadDeadline  time.Duration `key:"read_deadline" default:"1500ms" check:"from 50ms to 8s" doc:"How long the model may take to read an answer that the rules could not; then the question is put again."`
	} `key:"health" doc:"How a health check is held."`
	Council struct {
		AtOnce           int `key:"at_once" default:"4" check:"from 1 to 1000" doc:"Discussions that this process carries on at the same time; others wait."`
		MessageTokens    int `key:"message_tokens" default:"700" check:"from 1 to 4000" doc:"How long one voice may speak in a turn."`
		HistoryTokens    int `key:"history_tokens" default:"6000" check:"from 1 to 100000" doc:"How much of the earlier rounds a voice has before it word for word; older ones are summarised."`
		DiscussionTokens int `key:"discussion_tokens" default:"8000" check:"from 1 to 200000" doc:"After so many a discussion begins no further round by itself."`
	} `key:"council" doc:"The care council: three voices that discuss a person."`
	Appliance struct {
		SessionTTL  time.Duration `key:"session_ttl" default:"24h" check:"from 1m to 2160h" doc:"How long a written session takes messages after the last one; then it is archived: what is known in it stays to be looked at."`
		MaxMessages int           `key:"max_messages" default:"200" check:"from 1 to 10000" doc:"Messages of one written session."`
		SmallModel  string        `key:"small_model" doc:"Model that reads what is said for what the rules left open; empty: openai.models."`
		HelpURL     string        `key:"help_url" check:"optional secure_url" doc:"Page with more help that mails link to; empty is none."`
	} `key:"appliance" doc:"The appliance helper: it finds parts, and sends a summary by mail."`
	Email struct {
		Host     string `key:"host" env:"EMAIL_HOST" doc:"SMTP server; empty sends no mail. In the sandbox the console shows what would have been sent. Gmail's is smtp.gmail.com."`
		Port     int    `key:"port" env:"EMAIL_PORT" default:"0" check:"from 0 to 65535" doc:"Its port; 0 is 587 for starttls, 465 for tls, 25 for none."`
		TLS      string `key:"tls" env:"EMAIL_TLS" default:"starttls" check:"one_of starttls tls none" doc:"starttls, tls or none; none is for a server on loopback that asks for no password."`
		User     string `key:"user" env:"EMAIL_USER" doc:"Who we are to the server; empty where it does not ask."`
		Password Secret `key:"password" env:"EMAIL_PASSWORD" doc:"Password of the user; Gmail takes an app password."`
		From     string `key:"from" env:"EMAIL_FROM" check:"optional mail_address" doc:"Sender of mails: nAIber <help@example.org>; empty is email.user."`
	} `key:"email" doc:"The server that mails are given to."`
	Safety struct {
		EmergencyNumbers []string `key:"emergency_numbers" check:"emergency_numbers" doc:"Numbers that nAIber tells people in danger to ring, by country, where they differ from the built-in ones: [AT=144]."`
		CrisisLines      []string `key:"crisis_lines" check:"crisis_lines" doc:"Numbers of crisis lines that nAIber tells people who wish to die, by country, where they differ from the built-in ones: [US=988]."`
		Then             string   `key:"then" default:"connect" check:"one_of stay connect end" doc:"What follows the fixed text that tells somebody in an emergency to ring for help: stay (nAIber stays on the line with them), connect (it stays, and who takes care of the alert by telephone may press 3 to be put through to them), or end (it ends the call after their next words). With who speaks of suicide it always stays."`
		SecondReading    bool     `key:"second_reading" default:"false" doc:"Whether a model reads, after the reply, each turn in which the rules heard no red flag: it may raise an alert, and never calls one off. It costs a request to the background model a turn."`
	} `key:"safety" doc:"What is said in danger."`
	Alerts struct {
		Now            []string      `key:"now" default:"[\"contacts every 2m times 5\", \"on_call every 2m times 5\"]" check:"ladder" doc:"Who is told of what cannot wait, rung after rung: contacts (all at once), each (one after another), first, or on_call; by call,sms,email,webhook; in hours; every 2m; times 5."`
		Urgent         []string      `key:"urgent" default:"[\"each every 10m\", \"on_call every 10m\"]" check:"ladder" doc:"The same for what must be seen to within minutes."`
		SameDay        []string      `key:"same_day" default:"[\"first by email,sms in hours every 4h\", \"on_call\"]" check:"ladder" doc:"The same for what must be seen to on the same day."`
		Digest         []string      `key:"digest" check:"ladder" doc:"The same for what can wait; empty tells nobody by itself."`
		Repeat         time.Duration `key:"repeat" default:"30m" check:"from 1m to 24h" doc:"How often the on-call is told again after the ladder has ended and nobody has acknowledged."`
		RepeatFor      time.Duration `key:"repeat_for" default:"24h" check:"from 1m to 168h" doc:"Until when, since the alert; after that it stays open, and nobody is told any more."`
		LinkTTL        time.Duration `key:"link_ttl" default:"72h" check:"from 1h to 720h" doc:"How long the link in a notice acknowledges its alert."`
		Confidential   []string      `key:"confidential" default:"[\"abuse\", \"neglect\"]" doc:"Kinds of alerts that a contact is told of only if their mustNotBeTold was set: somebody close may be the cause."`
		OnCallName     string        `key:"on_call_name" doc:"Who is on call in the organisation, as notices name them."`
		OnCallPhone    string        `key:"on_call_phone" check:"optional e164" doc:"Number for calls and text messages to the on-call, with its country code: +15551234567."`
		OnCallEmail    string        `key:"on_call_email" check:"optional mail_address" doc:"Address for mails to the on-call."`
		OnCallWebhook  string        `key:"on_call_webhook" check:"optional webhook_url" doc:"URL that notices to the on-call are posted to."`
		OnCallLanguage string        `key:"on_call_language" default:"en" check:"one_of en es de" doc:"Language of notices to the on-call: en, es or de."`
		WelfareNumbers []string      `key:"welfare_numbers" check:"crisis_lines" doc:"Local numbers that are not those of emergencies, by which a human being asks for a welfare visit, by country: [GB=101]. The on-call is told them; nAIber never dials them."`
		WebhookSecret  Secret        `key:"webhook_secret" doc:"Signs notices that are posted to URLs; empty posts none. Long and random."`
	} `key:"alerts" doc:"Whom nAIber tells when something is wrong, until a human being has it in hand."`
	Webhooks struct {
		Key      Secret `key:"key" doc:"Makes the secrets that sign events; empty posts none. Another key makes all secrets others. Long and random."`
		KeepDays int    `key:"keep_days" default:"30" check:"from 5 to 3650" doc:"Days for which it is kept what was told to whom, and how they answered."`
	} `key:"webhooks" doc:"URLs that are told of events. \x60naiber webhooks add\x60 adds one."`
	Watch struct {
		ServiceAfter   time.Duration `key:"service_after" default:"5m" check:"from 1m to 24h" doc:"How long the carrier, the voice, the model or another service must not answer until the on-call is told."`
		QueueAfter     time.Duration `key:"queue_after" default:"15m" check:"from 1m to 24h" doc:"How long a job may be due while nobody works on its queue."`
		JobFailures    int           `key:"job_failures" default:"5" check:"from 1 to 100" doc:"How often a job may fail until the on-call is told; also where it has given up before."`
		HeartbeatURL   Secret        `key:"heartbeat_url" check:"optional webhook_url" doc:"URL that is asked for (GET) as long as nAIber does its work: a dead man's switch such as healthchecks.io, which tells you when that stops. Empty asks for none."`
		HeartbeatEvery time.Duration `key:"heartbeat_every" default:"1m" check:"from 10s to 1h" doc:"How often."`
	} `key:"watch" doc:"What nAIber watches of itself. The on-call is told, as of other alerts."`
	Jobs struct {
		PostCallDelay     time.Duration `key:"post_call_delay" default:"3s" check:"not_negative" doc:"From the end of a call to its summary, so that late events are in."`
		PostCallPerMinute int           `key:"post_call_per_minute" default:"3" check:"from 1 to 1000" doc:"Post-call jobs that may begin in 60 s, all processes together, and as many that learn from writing: the model's limits are for live calls first."`
		CallBackDelay     time.Duration `key:"call_back_delay" default:"2m" check:"positive" doc:"From a call that was given up, because every answer failed, to the call back that was promised."`
		MaxAttempts       int           `key:"max_attempts" default:"8" check:"from 1 to 100" doc:"Tries before a job gives up and waits for a human."`
		Timeout           time.Duration `key:"timeout" default:"5m" check:"positive" doc:"How long one try may take."`
	} `key:"jobs" doc:"What follows a call."`
	Schedules struct {
		AheadDays       int           `key:"ahead_days" default:"3" check:"from 1 to 60" doc:"Days that calls are planned ahead; what nothing ran for is planned afterwards."`
		AtOnce          int           `key:"at_once" default:"10" check:"from 1 to 10000" doc:"Scheduled calls that are under way at a time, all processes together."`
		PerSecond       float64       `key:"per_second" default:"1" check:"from 0.01 to 100" doc:"Scheduled calls that may begin in a second, all processes together; Twilio takes 1 from most accounts."`
		Retries         []string      `key:"retries" default:"[\"busy=5m*3\", \"no_answer=15m*3\", \"machine=30m*2\", \"dropped=2m*2\", \"failed=10m*3\"]" check:"retries" doc:"How a call is tried again by how the last try ended: after how long, and how often. What is not named is not tried again."`
		Tries           int           `key:"tries" default:"6" check:"from 1 to 20" doc:"Calls to one person for one occurrence, whatever they ended with."`
		SecondAfter     int           `key:"second_after" default:"2" check:"from 1 to 19" doc:"Calls for one occurrence by a person's number; those after them are made by the second number, where there is one."`
		BreakerFailures int           `key:"breaker_failures" default:"5" check:"from 2 to 1000" doc:"Failures of the carrier in a row, of more than one person, after which no scheduled call is dialled for a while."`
		BreakerPause    time.Duration `key:"breaker_pause" default:"10m" check:"from 10s to 6h" doc:"For how long; then one call tells whether it works again."`
		Holidays        []string      `key:"holidays" check:"holidays" doc:"Days without chats, each year or once: [12-25, 2027-04-05]. Essential calls are made all the same."`
		DayParts        []string      `key:"day_parts" default:"[\"window:morning=09:00-11:30\", \"after:breakfast=09:30-11:00\", \"before:lunch=10:30-12:00\", \"window:midday=12:00-13:30\", \"after:lunch=13:30-15:30\", \"window:afternoon=14:00-17:00\", \"before:dinner=16:30-18:00\", \"window:evening=18:00-20:00\", \"after:dinner=19:00-20:30\"]" check:"day_parts" doc:"What people mean who ask in a call to be called in the morning or after lunch: the windows of these words."`
		KeepDays        int           `key:"keep_days" default:"400" check:"from 31 to 36500" doc:"Days for which it is kept what became of scheduled calls."`
	} `key:"schedules" doc:"Calls that are made by themselves."`
	Prompts struct {
		Dir string `key:"dir" doc:"Folder of text files that take the place of the built-in ones of the same name; empty uses those."`
	} `key:"prompts" doc:"What nAIber says."`
	Log struct {
		Level  string `key:"level" default:"info" check:"one_of debug info warn error" doc:"debug, info, warn or error."`
		Format string `key:"format" default:"text" check:"one_of text json" doc:"text for people, json for machines."`
	} `key:"log" doc:"What is logged; never a secret, a telephone number or what was said."`
	Tracing struct {
		OTLPEndpoint string `key:"otlp_endpoint" check:"optional url http https" doc:"OTLP over HTTP: http://localhost:4318; empty traces nothing."`
	} `key:"tracing" doc:"OpenTelemetry traces, one span for each turn."`
	Sandbox struct {
		SpeechWPM       int           `key:"speech_wpm" default:"170" check:"from 20 to 100000" doc:"How fast simulated people and voices speak, in words per minute."`
		FirstTokenDelay time.Duration `key:"first_token_delay" default:"250ms" check:"not_negative" doc:"How long the simulated model takes to its first token."`
		TokenDelay      time.Duration `key:"token_delay" default:"10ms" check:"not_negative" doc:"How long it takes from one token to the next."`
	} `key:"sandbox" doc:"The simulated world of \x60naiber serve --sandbox\x60."`

	from map[string]string // option key → source of its value, if not the default
}

// Default returns the configuration in which every option has its default. It
// panics if a default in the tags is malformed.
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
