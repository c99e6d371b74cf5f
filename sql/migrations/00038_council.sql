-- +goose Up

-- A discussion of the care council about one person. Its events, numbered 1, 2, 3 …,
-- are what was said in it; last_seq is the last one's number, and whoever appends
-- must know it, so that no two processes carry one discussion on.
create table discussions (
    discussion_id  uuid primary key,
    person_id      uuid not null references people (id) on delete cascade,
    question       text not null default '',
    asked_by       text not null,
    rounds         int not null,
    status         text not null default 'running' check (status in ('running', 'waiting', 'complete', 'stopped', 'failed')),
    -- What was on record about the person when it began, in council's own JSON.
    record         jsonb not null,
    last_seq       bigint not null default 0,
    idempotency_key text unique,
    request_hash   bytea,
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now()
);
create index discussions_person_idx on discussions (person_id, discussion_id);
create index discussions_running_idx on discussions (updated_at) where status = 'running';

create table discussion_events (
    discussion_id  uuid not null references discussions on delete cascade,
    seq            bigint not null,
    at             timestamptz not null,
    kind           text not null,
    -- Not jsonb: who reads it later gets the same bytes as who saw it live.
    data           json not null,
    primary key (discussion_id, seq)
);

-- discussion_append adds events behind the last one that its caller knows, and reports
-- false where others were first. An empty status, and fewer rounds, change nothing.
-- +goose StatementBegin
create function discussion_append(id uuid, known bigint, happened timestamptz, kinds text[], datas text[], new_status text, new_rounds int) returns boolean
language plpgsql as $$
begin
    update discussions set last_seq = known + cardinality(kinds), status = coalesce(nullif(new_status, ''), status),
        rounds = greatest(rounds, new_rounds), updated_at = now()
    where discussion_id = id and last_seq = known;
    if not found then
        return false;
    end if;
    insert into discussion_events (discussion_id, seq, at, kind, data)
    select id, known + n, happened, kind, data::json from unnest(kinds, datas) with ordinality as e (kind, data, n);
    perform pg_notify('discussion_events', id::text || ' ' || known + cardinality(kinds));
    return true;
end
$$;
-- +goose StatementEnd

-- What a discussion proposes. Nothing of it happens until somebody confirms it.
create table discussion_actions (
    action_id      uuid primary key,
    discussion_id  uuid not null references discussions on delete cascade,
    kind           text not null,
    text           text not null,
    status         text not null default 'proposed' check (status in ('proposed', 'confirmed', 'dismissed')),
    decided_by     text,
    note           text,
    decided_at     timestamptz
);
create index discussion_actions_discussion_idx on discussion_actions (discussion_id);

-- What a discussion had before it: what is forgotten takes the discussion with it.
create table discussion_sources (
    source_id      uuid not null,
    discussion_id  uuid not null references discussions on delete cascade,
    primary key (source_id, discussion_id)
);
create index discussion_sources_discussion_idx on discussion_sources (discussion_id);

-- +goose Down
drop function discussion_append(uuid, bigint, timestamptz, text[], text[], text, int);
drop table discussion_sources, discussion_actions, discussion_events, discussions;
