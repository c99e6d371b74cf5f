-- +goose Up

-- What was said, word for word. A turn belongs to a person, to a session of the
-- text channel, to a project, or to several of them: each sees it.
create table memory_turns (
    id              uuid primary key,
    person_id       uuid references people on delete cascade,
    session_id      uuid,
    project_id      uuid,
    -- Whose conversation it is: the closest of the above.
    owner_id        uuid not null generated always as (coalesce(person_id, session_id, project_id)) stored,
    call_id         uuid references calls on delete set null,
    -- What windows are formed within, and the turn's place in it.
    conversation    text not null constraint memory_turns_conversation_present check (conversation <> ''),
    seq             integer not null,
    speaker         text not null constraint memory_turns_speaker_known check (speaker in ('user', 'assistant')),
    name            text not null default '',
    text            text not null constraint memory_turns_text_present check (btrim(text) <> ''),
    at              timestamptz not null,
    source          text not null constraint memory_turns_source_known check (source in ('call', 'chat', 'api', 'import')),
    -- What the source calls it; with it a turn that comes twice is kept once.
    source_key      text not null default '',
    created_at      timestamptz not null default now(),
    constraint memory_turns_seq_key unique (owner_id, conversation, seq)
);
create unique index memory_turns_source_key on memory_turns (owner_id, source, source_key) where source_key <> '';
create index memory_turns_person_idx on memory_turns (person_id, at desc, id desc) where person_id is not null;
create index memory_turns_session_idx on memory_turns (session_id, at desc, id desc) where session_id is not null;
create index memory_turns_project_idx on memory_turns (project_id, at desc, id desc) where project_id is not null;
create index memory_turns_call_idx on memory_turns (call_id) where call_id is not null;

-- A window is what is searched: three turns that follow each other, under the
-- day and the speakers' names. It has the id of the turn that it begins with.
create table memory_windows (
    id              uuid primary key references memory_turns on delete cascade,
    person_id       uuid,
    session_id      uuid,
    project_id      uuid,
    conversation    text not null,
    turn_ids        uuid[] not null,
    text            text not null,
    -- Facts that were learned from its turns: they are searched with it.
    extra           text not null default '',
    -- The text search configuration. A name, since a column of type regconfig
    -- keeps pg_upgrade from running; so tsv is written, not generated.
    config          text not null,
    tsv             tsvector not null,
    words           integer not null generated always as (length(tsv)) stored,
    at              timestamptz not null,
    created_at      timestamptz not null default now()
);
-- The text is rarely read and moves out first; tsv is read at every search.
alter table memory_windows alter column tsv set storage main;

-- memory_key is one lexeme of one owner as a number. Only built-in functions: an
-- index that calls others cannot be built under an empty search path.
-- +goose StatementBegin
create function memory_key(owner uuid, lexeme text) returns bigint
language sql immutable parallel safe as $$
    select hashtextextended(lexeme, uuid_hash_extended(owner, 0))
$$;
-- +goose StatementEnd

-- memory_keys are the keys under which a window is found: with the owner in
-- each key, a word that everybody uses costs no more than one owner's windows.
-- The cost keeps the planner from calling it for row after row.
-- +goose StatementBegin
create function memory_keys(person uuid, session uuid, project uuid, tsv tsvector) returns bigint[]
language sql immutable parallel safe cost 10000 as $$
    select array_agg(distinct hashtextextended(l, uuid_hash_extended(o, 0)))
    from unnest(tsvector_to_array(tsv)) l, unnest(array[person, session, project]) o
    where o is not null
$$;
-- +goose StatementEnd

-- Without fastupdate: a list of what is not yet merged would be read at every search.
create index memory_windows_keys_idx on memory_windows
    using gin (memory_keys(person_id, session_id, project_id, tsv)) with (fastupdate = off);
create index memory_windows_person_idx on memory_windows (person_id, at desc) where person_id is not null;
create index memory_windows_session_idx on memory_windows (session_id, at desc) where session_id is not null;
create index memory_windows_project_idx on memory_windows (project_id, at desc) where project_id is not null;

-- In how many of an owner's windows a lexeme stands; the empty lexeme counts the
-- windows themselves. A lexeme that is in none has no row: it is forgotten.
create table memory_terms (
    owner_id    uuid not null,
    lexeme      text not null,
    windows     bigint not null,
    primary key (owner_id, lexeme)
) with (fillfactor = 80);

-- +goose StatementBegin
create function memory_windows_counted() returns trigger language plpgsql as $$
begin
    if tg_op <> 'INSERT' then
        delete from memory_terms t using (
            select o, l, count(*) as n
            from gone w, unnest(array[w.person_id, w.session_id, w.project_id]) o, unnest(tsvector_to_array(w.tsv) || ''::text) l
            where o is not null group by o, l
        ) g where t.owner_id = g.o and t.lexeme = g.l and t.windows <= g.n;
        update memory_terms t set windows = t.windows - g.n from (
            select o, l, count(*) as n
            from gone w, unnest(array[w.person_id, w.session_id, w.project_id]) o, unnest(tsvector_to_array(w.tsv) || ''::text) l
            where o is not null group by o, l
        ) g where t.owner_id = g.o and t.lexeme = g.l;
    end if;
    if tg_op <> 'DELETE' then
        insert into memory_terms (owner_id, lexeme, windows)
        select o, l, count(*)
        from added w, unnest(array[w.person_id, w.session_id, w.project_id]) o, unnest(tsvector_to_array(w.tsv) || ''::text) l
        where o is not null group by o, l order by o, l
        on conflict (owner_id, lexeme) do update set windows = memory_terms.windows + excluded.windows;
    end if;
    return null;
end
$$;
-- +goose StatementEnd
create trigger memory_windows_inserted after insert on memory_windows
    referencing new table as added for each statement execute function memory_windows_counted();
create trigger memory_windows_updated after update on memory_windows
    referencing old table as gone new table as added for each statement execute function memory_windows_counted();
create trigger memory_windows_deleted after delete on memory_windows
    referencing old table as gone for each statement execute function memory_windows_counted();

-- Facts are short sentences about a person. They have two time lines: when a
-- fact was true, and when it was learned and given up. History stays.
create table memory_facts (
    id              uuid primary key,
    person_id       uuid not null references people on delete cascade,
    text            text not null constraint memory_facts_text_present check (btrim(text) <> ''),
    kind            text not null constraint memory_facts_kind_known check (kind in
                        ('person', 'place', 'pet', 'health', 'routine', 'like', 'plan', 'worry', 'life', 'other')),
    topic           text not null default '',
    confidence      real not null default 1 constraint memory_facts_confidence_share check (confidence between 0 and 1),
    valid_from      timestamptz,
    valid_to        timestamptz,
    learned_at      timestamptz not null,
    closed_at       timestamptz,
    closed_by       uuid references memory_facts on delete set null,
    replaces        uuid references memory_facts on delete set null,
    -- Something that it depends on has changed.
    stale           boolean not null default false,
    model           text not null default '',
    created_at      timestamptz not null default now(),
    constraint memory_facts_forward check (valid_to is null or valid_from is null or valid_to >= valid_from)
);
create index memory_facts_person_idx on memory_facts (person_id, learned_at desc, id desc);
create index memory_facts_open_idx on memory_facts (person_id, topic) where closed_at is null;
create index memory_facts_closed_by_idx on memory_facts (closed_by) where closed_by is not null;
create index memory_facts_replaces_idx on memory_facts (replaces) where replaces is not null;

-- Which turns a fact was learned from.
create table memory_fact_sources (
    fact_id     uuid not null references memory_facts on delete cascade,
    turn_id     uuid not null references memory_turns on delete cascade,
    primary key (fact_id, turn_id)
);
create index memory_fact_sources_turn_idx on memory_fact_sources (turn_id);

-- Which facts a fact depends on.
create table memory_fact_links (
    fact_id     uuid not null references memory_facts on delete cascade,
    depends_on  uuid not null references memory_facts on delete cascade,
    primary key (fact_id, depends_on),
    constraint memory_fact_links_other check (fact_id <> depends_on)
);
create index memory_fact_links_depends_idx on memory_fact_links (depends_on);

-- Whom and what people speak of.
create table memory_entities (
    id          uuid primary key,
    person_id   uuid references people on delete cascade,
    project_id  uuid,
    kind        text not null constraint memory_entities_kind_known check (kind in
                    ('person', 'place', 'pet', 'organisation', 'condition', 'medication')),
    name        text not null constraint memory_entities_name_present check (btrim(name) <> ''),
    notes       text not null default '',
    first_seen  timestamptz not null,
    last_seen   timestamptz not null,
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    constraint memory_entities_owned check (person_id is not null or project_id is not null)
);
create index memory_entities_person_idx on memory_entities (person_id, last_seen desc) where person_id is not null;
create index memory_entities_project_idx on memory_entities (project_id, last_seen desc) where project_id is not null;

create table memory_aliases (
    entity_id   uuid not null references memory_entities on delete cascade,
    -- Lower case, single spaces.
    alias       text not null constraint memory_aliases_present check (btrim(alias) <> ''),
    primary key (entity_id, alias)
);
create index memory_aliases_alias_idx on memory_aliases (alias);

create table memory_relations (
    id          uuid primary key,
    from_id     uuid not null references memory_entities on delete cascade,
    to_id       uuid not null references memory_entities on delete cascade,
    label       text not null constraint memory_relations_label_present check (btrim(label) <> ''),
    fact_id     uuid references memory_facts on delete cascade,
    valid_from  timestamptz,
    valid_to    timestamptz,
    created_at  timestamptz not null default now(),
    constraint memory_relations_key unique nulls not distinct (from_id, to_id, label, fact_id)
);
create index memory_relations_to_idx on memory_relations (to_id);
create index memory_relations_fact_idx on memory_relations (fact_id) where fact_id is not null;

-- Which turns an entity was met in, so that forgetting a turn reaches it.
create table memory_entity_sources (
    entity_id   uuid not null references memory_entities on delete cascade,
    turn_id     uuid not null references memory_turns on delete cascade,
    primary key (entity_id, turn_id)
);
create index memory_entity_sources_turn_idx on memory_entity_sources (turn_id);

-- Summaries over several calls or a session. A call's own is in summaries.
create table memory_summaries (
    id          uuid primary key,
    person_id   uuid references people on delete cascade,
    session_id  uuid,
    project_id  uuid,
    text        text not null,
    -- The turns that it was made from.
    from_turn   uuid references memory_turns on delete set null,
    to_turn     uuid references memory_turns on delete set null,
    from_at     timestamptz not null,
    to_at       timestamptz not null,
    turns       integer not null constraint memory_summaries_turns_positive check (turns > 0),
    tokens      integer not null,
    model       text not null default '',
    created_at  timestamptz not null default now(),
    constraint memory_summaries_owned check (person_id is not null or session_id is not null or project_id is not null)
);
create index memory_summaries_person_idx on memory_summaries (person_id, created_at desc) where person_id is not null;
create index memory_summaries_session_idx on memory_summaries (session_id, created_at desc) where session_id is not null;
create index memory_summaries_project_idx on memory_summaries (project_id, created_at desc) where project_id is not null;
create index memory_summaries_from_idx on memory_summaries (from_turn) where from_turn is not null;
create index memory_summaries_to_idx on memory_summaries (to_turn) where to_turn is not null;

-- What nAIber said it would come back to, and days that come again.
create table memory_promises (
    id          uuid primary key,
    person_id   uuid not null references people on delete cascade,
    text        text not null constraint memory_promises_text_present check (btrim(text) <> ''),
    kind        text not null default 'follow_up' constraint memory_promises_kind_known check (kind in
                    ('follow_up', 'birthday', 'anniversary', 'appointment', 'other')),
    -- A day where the person lives, or a moment; neither: the next call.
    due_on      date,
    due_at      timestamptz,
    -- RFC 5545 RRULE; empty: once.
    recurrence  text not null default '',
    status      text not null default 'open' constraint memory_promises_status_known check (status in ('open', 'used', 'kept', 'dropped')),
    call_id     uuid references calls on delete set null,
    turn_id     uuid references memory_turns on delete set null,
    -- The call whose opening it was last given to. What comes again stays open.
    used_call   uuid references calls on delete set null,
    used_at     timestamptz,
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    constraint memory_promises_one_date check (due_on is null or due_at is null)
);
create index memory_promises_open_idx on memory_promises (person_id, due_on, due_at) where status = 'open';
create index memory_promises_turn_idx on memory_promises (turn_id) where turn_id is not null;
create index memory_promises_call_idx on memory_promises (call_id) where call_id is not null;
create index memory_promises_used_idx on memory_promises (used_call) where used_call is not null;

-- What is not to be kept, or not to be brought up.
create table memory_limits (
    id          uuid primary key,
    person_id   uuid not null references people on delete cascade,
    topic       text not null constraint memory_limits_topic_present check (btrim(topic) <> ''),
    rule        text not null constraint memory_limits_rule_known check (rule in ('never_store', 'never_raise', 'cool_down')),
    until       timestamptz,
    by          text not null,
    how         text not null default '',
    created_at  timestamptz not null default now(),
    constraint memory_limits_cool_down_ends check (rule <> 'cool_down' or until is not null)
);
create index memory_limits_person_idx on memory_limits (person_id, topic);

-- Which steps of learning from a call are done: each is marked in the
-- transaction that does it, so that none is done twice.
create table memory_learned (
    call_id     uuid not null references calls on delete cascade,
    step        text not null,
    at          timestamptz not null default now(),
    primary key (call_id, step)
);

-- Windows, facts and entities whose vectors have to be brought in line: made
-- anew, or deleted where the row is gone. A row leaves when that is done.
create table memory_queue (
    id              uuid not null,
    kind            text not null constraint memory_queue_kind_known check (kind in ('window', 'fact', 'entity')),
    -- Another one after each change, so that work on the state before it does not count.
    rev             uuid not null default gen_random_uuid(),
    added_at        timestamptz not null default now(),
    -- Who works on it has until then.
    claimed_until   timestamptz,
    tries           integer not null default 0,
    primary key (kind, id)
);
create index memory_queue_next_idx on memory_queue (added_at) where claimed_until is null;
create index memory_queue_claimed_idx on memory_queue (claimed_until) where claimed_until is not null;

-- +goose StatementBegin
create function memory_queued() returns trigger language plpgsql as $$
declare
    which uuid := case when tg_op = 'DELETE' then old.id else new.id end;
begin
    insert into memory_queue (kind, id) values (tg_argv[0], which)
    on conflict (kind, id) do update set rev = gen_random_uuid(), tries = 0;
    return null;
end
$$;
-- +goose StatementEnd
create trigger memory_windows_queued after insert or delete on memory_windows
    for each row execute function memory_queued('window');
create trigger memory_windows_requeued after update on memory_windows
    for each row when ((old.text, old.extra, old.person_id, old.session_id, old.project_id)
        is distinct from (new.text, new.extra, new.person_id, new.session_id, new.project_id))
    execute function memory_queued('window');
create trigger memory_facts_queued after insert or delete on memory_facts
    for each row execute function memory_queued('fact');
create trigger memory_facts_requeued after update on memory_facts
    for each row when (old.text is distinct from new.text) execute function memory_queued('fact');
create trigger memory_entities_queued after insert or delete on memory_entities
    for each row execute function memory_queued('entity');
create trigger memory_entities_requeued after update on memory_entities
    for each row when ((old.name, old.kind, old.notes, old.person_id, old.project_id)
        is distinct from (new.name, new.kind, new.notes, new.person_id, new.project_id))
    execute function memory_queued('entity');

-- Which embedding model the vectors were made with: another one means that all
-- of them are made anew.
create table memory_models (
    id      boolean primary key default true constraint memory_models_one check (id),
    model   text not null,
    at      timestamptz not null default now()
);

-- +goose Down
drop table memory_models, memory_learned, memory_limits, memory_promises, memory_summaries, memory_entity_sources, memory_relations, memory_aliases,
    memory_entities, memory_fact_links, memory_fact_sources, memory_facts, memory_windows, memory_turns, memory_terms, memory_queue;
drop function memory_queued(), memory_windows_counted(), memory_keys(uuid, uuid, uuid, tsvector), memory_key(uuid, text);
