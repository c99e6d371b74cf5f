-- +goose Up

-- People are those who are phoned. Two people may share one telephone (a
-- couple with a landline), so a number is not unique.
create table people (
    id              uuid primary key,
    name            text not null constraint people_name_present check (btrim(name) <> ''),
    preferred_name  text not null default '',
    phone           text not null constraint people_phone_e164 check (phone ~ '^\+[1-9][0-9]{6,14}$'),
    timezone        text not null constraint people_timezone_present check (timezone <> ''),
    language        text not null default 'en',
    address         text not null default '',
    notes           text not null default '',
    conditions      text[] not null default '{}',
    medications     text[] not null default '{}',
    -- Local clock times, 'HH:MM'. Null means the house default; equal times mean no quiet hours.
    quiet_start     text constraint people_quiet_start_clock check (quiet_start ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    quiet_end       text constraint people_quiet_end_clock check (quiet_end ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    opted_out_at    timestamptz,
    opted_out_how   text not null default '',
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    constraint people_quiet_both check ((quiet_start is null) = (quiet_end is null))
);
create index people_phone_idx on people (phone);

create table contacts (
    id          uuid primary key,
    person_id   uuid not null references people on delete cascade,
    name        text not null constraint contacts_name_present check (btrim(name) <> ''),
    relation    text not null default '',
    phone       text not null default '' constraint contacts_phone_e164 check (phone = '' or phone ~ '^\+[1-9][0-9]{6,14}$'),
    email       text not null default '',
    -- 1 is asked first.
    priority    integer not null default 1 constraint contacts_priority_positive check (priority > 0),
    notes       text not null default '',
    created_at  timestamptz not null default now()
);
create index contacts_person_idx on contacts (person_id, priority);

-- The consent ledger. A row is never changed but to be revoked, once; consent
-- given again is a new row.
create table consents (
    id          uuid primary key,
    person_id   uuid not null references people on delete cascade,
    scope       text not null constraint consents_scope_known check (scope in ('calls', 'recording', 'memory')),
    given_at    timestamptz not null default now(),
    given_by    text not null,
    how         text not null,
    revoked_at  timestamptz,
    revoked_by  text,
    revoked_how text,
    constraint consents_revoked_whole check ((revoked_at is null) = (revoked_by is null))
);
create index consents_person_idx on consents (person_id, scope) where revoked_at is null;

create table pauses (
    id          uuid primary key,
    person_id   uuid not null references people on delete cascade,
    starts_at   timestamptz not null default now(),
    -- Null lasts until it is lifted.
    ends_at     timestamptz,
    reason      text not null default '',
    created_by  text not null default '',
    lifted_at   timestamptz,
    constraint pauses_forward check (ends_at is null or ends_at > starts_at)
);
create index pauses_person_idx on pauses (person_id) where lifted_at is null;

create table calls (
    id                  uuid primary key,
    -- Null: an inbound caller whom we do not know.
    person_id           uuid references people on delete cascade,
    call_type           text not null,
    direction           text not null constraint calls_direction_known check (direction in ('outbound', 'inbound')),
    phone               text not null,
    reason              text not null default '',
    -- Twilio's word for where the call is, and its rank: a status only ever replaces one of lower rank.
    status              text not null default 'queued',
    status_rank         smallint not null default 0,
    call_sid            text,
    -- The first conversation's id names the thread of the whole call.
    conversation_id     text,
    -- SHA-256 of the one-use token that opens the media stream.
    stream_token_hash   bytea,
    reconnects          integer not null default 0,
    answered_by         text not null default '',
    -- The call has ended and its words may not be kept: late writers leave them out.
    unrecorded          boolean not null default false,
    first_word_ms       integer,
    outcome             text,
    ended_cause         text,
    ended_by            text,
    idempotency_key     text,
    request_hash        bytea,
    created_at          timestamptz not null default now(),
    answered_at         timestamptz,
    ended_at            timestamptz,
    constraint calls_ended_whole check ((ended_at is null) = (outcome is null))
);
create unique index calls_sid_key on calls (call_sid);
create unique index calls_idempotency_key on calls (idempotency_key);
create unique index calls_stream_token_key on calls (stream_token_hash);
-- A person has one live call. The gate says so first; this makes it true under races.
create unique index calls_one_live_per_person on calls (person_id) where ended_at is null;
create index calls_person_idx on calls (person_id, id desc);
create index calls_live_idx on calls (created_at) where ended_at is null;
create index calls_conversation_idx on calls (conversation_id);

-- A call has one conversation, and one more for each time that the line was
-- picked up again.
create table conversations (
    id          text primary key,
    call_id     uuid not null references calls on delete cascade,
    seq         integer not null,
    started_at  timestamptz not null default now(),
    constraint conversations_seq_key unique (call_id, seq)
);

-- What was said and heard, word for word: the transcript.
create table utterances (
    id          bigint generated always as identity primary key,
    call_id     uuid not null references calls on delete cascade,
    role        text not null constraint utterances_role_known check (role in ('user', 'assistant')),
    text        text not null,
    -- What was meant to be said, where a barge-in cut it short.
    intended    text,
    -- The voice service's number for this utterance within its conversation.
    conversation_id text not null default '',
    event_id    bigint not null default 0,
    at          timestamptz not null default now()
);
create index utterances_call_idx on utterances (call_id, id);

-- One row for each request for a turn: what the person said is durable here
-- before the reply to it is spoken.
create table turns (
    id              uuid primary key,
    call_id         uuid not null references calls on delete cascade,
    conversation_id text not null default '',
    place           integer not null,
    attempt         integer not null,
    kind            text not null constraint turns_kind_known check (kind in ('speech', 'silence', 'keypad')),
    heard           text not null,
    persona         text not null,
    at              timestamptz not null default now(),
    reply           text not null default '',
    outcome         text constraint turns_outcome_known check (outcome in ('spoken', 'replaced', 'abandoned', 'fallback', 'failed')),
    model           text not null default '',
    ttft_ms         double precision,
    duration_ms     double precision,
    filler          boolean not null default false,
    joined          integer not null default 0
);
create index turns_call_idx on turns (call_id, id);

create table call_events (
    id          bigint generated always as identity primary key,
    call_id     uuid not null references calls on delete cascade,
    kind        text not null,
    at          timestamptz not null default now(),
    data        jsonb not null default '{}',
    -- What may be told twice carries a key; the second telling is dropped.
    dedupe_key  text,
    constraint call_events_dedupe_key unique (call_id, dedupe_key)
);
create index call_events_call_idx on call_events (call_id, id);

-- +goose StatementBegin
create function notify_call_event() returns trigger language plpgsql as $$
begin
    perform pg_notify('call_events', new.call_id::text);
    return new;
end
$$;
-- +goose StatementEnd
-- A transaction holds the call's event lock from before it numbers an event until
-- it ends, so that the numbers of one call become visible in their order.
-- +goose StatementBegin
create function lock_call_events(call_id uuid) returns void language sql as $$
    select pg_advisory_xact_lock(hashtextextended('naiber call events ' || call_id::text, 0))
$$;
-- +goose StatementEnd

create trigger call_events_notify after insert on call_events
    for each row execute function notify_call_event();

create table summaries (
    id          uuid primary key,
    person_id   uuid not null references people on delete cascade,
    call_id     uuid not null references calls on delete cascade,
    text        text not null,
    model       text not null default '',
    created_at  timestamptz not null default now(),
    constraint summaries_call_key unique (call_id)
);
create index summaries_person_idx on summaries (person_id, created_at desc);

create table topics (
    id                  uuid primary key,
    person_id           uuid not null references people on delete cascade,
    -- Lower case, single spaces: what makes two labels one topic.
    key                 text not null,
    label               text not null,
    mentions            integer not null default 0,
    first_mentioned_at  timestamptz not null,
    last_mentioned_at   timestamptz not null,
    constraint topics_person_key unique (person_id, key)
);

-- Which call mentioned which topic, so that counting a call twice changes nothing.
create table topic_mentions (
    topic_id    uuid not null references topics on delete cascade,
    call_id     uuid not null references calls on delete cascade,
    mentions    integer not null constraint topic_mentions_positive check (mentions > 0),
    at          timestamptz not null,
    primary key (topic_id, call_id)
);
create index topic_mentions_call_idx on topic_mentions (call_id);

create table audit (
    id          bigint generated always as identity primary key,
    at          timestamptz not null default now(),
    actor       text not null,
    action      text not null,
    person_id   uuid,
    subject     text not null default '',
    data        jsonb not null default '{}'
);
create index audit_person_idx on audit (person_id, id desc);

-- When jobs of a limited queue began, so that the limit holds across processes.
create table job_starts (
    queue   text not null,
    at      timestamptz not null default now()
);
create index job_starts_queue_idx on job_starts (queue, at);

-- +goose Down
drop table job_starts, audit, topic_mentions, topics, summaries, call_events, turns, utterances, conversations, calls, pauses, consents, contacts, people;
drop function notify_call_event();
drop function lock_call_events(uuid);
