-- +goose Up

-- A project is a circle of sessions that share a memory: a family, a ward.
create table chat_projects (
    id              uuid primary key,
    name            text not null constraint chat_projects_name_present check (btrim(name) <> ''),
    description     text not null default '',
    -- Null: that of the settings.
    system_prompt   text,
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now()
);

-- A session is one written conversation. Clients know it by the name that they
-- gave it, or were given.
create table chat_sessions (
    id          uuid primary key,
    external_id text not null constraint chat_sessions_external_present check (external_id <> ''),
    -- Null: not named yet.
    name        text,
    -- Null: nobody's in particular.
    person_id   uuid references people on delete cascade,
    project_id  uuid references chat_projects on delete set null,
    created_at  timestamptz not null default now(),
    -- When something was last said.
    updated_at  timestamptz not null default now(),
    constraint chat_sessions_external_key unique (external_id)
);
create index chat_sessions_latest_idx on chat_sessions (updated_at desc, id desc);
create index chat_sessions_person_idx on chat_sessions (person_id);
create index chat_sessions_project_idx on chat_sessions (project_id);

-- An episode is one message with its reply. Their numbers are their order.
create table chat_episodes (
    id              bigint generated always as identity primary key,
    session_id      uuid not null references chat_sessions on delete cascade,
    message         text not null,
    response        text not null constraint chat_episodes_response_present check (response <> ''),
    model           text not null default '',
    -- How the reply ended: stop, length, broken, or interrupted when the reader left.
    finish          text not null default '',
    -- An estimate for message and reply together.
    tokens          integer not null,
    created_at      timestamptz not null default now(),
    -- Null: memory does not hold it yet, or holds it under another project.
    remembered_at   timestamptz,
    tsv             tsvector not null generated always as (to_tsvector('english', left(message || ' ' || response, 100000))) stored
);
create index chat_episodes_session_idx on chat_episodes (session_id, id desc);
create index chat_episodes_tsv_idx on chat_episodes using gin (tsv);
create index chat_episodes_pending_idx on chat_episodes (id) where remembered_at is null;

-- A summary covers the episodes from one number to another, of one session or of
-- all sessions of a project.
create table chat_summaries (
    id              uuid primary key,
    session_id      uuid references chat_sessions on delete cascade,
    project_id      uuid references chat_projects on delete cascade,
    text            text not null,
    tokens          integer not null,
    episode_from    bigint not null,
    episode_to      bigint not null,
    model           text not null default '',
    created_at      timestamptz not null default now(),
    constraint chat_summaries_one_owner check (num_nonnulls(session_id, project_id) = 1),
    constraint chat_summaries_forward check (episode_from <= episode_to),
    constraint chat_summaries_session_key unique (session_id, episode_from, episode_to)
);
create index chat_summaries_session_idx on chat_summaries (session_id, id desc);
create index chat_summaries_project_idx on chat_summaries (project_id, id desc);

-- What an operator set; what is not set is not here.
create table chat_settings (
    one         boolean primary key default true constraint chat_settings_one check (one),
    value       jsonb not null default '{}',
    updated_at  timestamptz not null default now()
);

-- Whether anything said with a person may be kept and recalled; nobody in
-- particular has nothing to consent to.
-- +goose StatementBegin
create function chat_may_keep(person uuid) returns boolean language sql stable as $$
    select person is null or exists (
        select 1 from consents c where c.person_id = person and c.scope = 'memory' and c.revoked_at is null)
$$;
-- +goose StatementEnd

-- Episodes with whose they are, and whether they may be kept and recalled.
create view chat_talk as
select e.id, e.session_id, e.message, e.response, e.model, e.finish, e.tokens, e.created_at, e.remembered_at,
    s.external_id, s.person_id, s.project_id, chat_may_keep(s.person_id) as may_keep
from chat_episodes e join chat_sessions s on s.id = e.session_id;

-- A summary that an episode went into goes with it, whoever deletes the episode.
-- Whoever writes a summary holds its sessions for share, so that one which is
-- being written is waited for, and seen.
-- +goose StatementBegin
create function chat_forget_episode() returns trigger language plpgsql as $$
begin
    perform 1 from chat_sessions s where s.id = old.session_id for update;
    delete from chat_summaries m
    where old.id between m.episode_from and m.episode_to
      and (m.session_id = old.session_id or m.project_id = (select s.project_id from chat_sessions s where s.id = old.session_id));
    return null;
end
$$;
-- +goose StatementEnd
create trigger chat_episodes_forget after delete on chat_episodes
    for each row execute function chat_forget_episode();

-- A session that leaves a project, or goes altogether, leaves nothing behind in it.
-- +goose StatementBegin
create function chat_leave_project() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        if new.project_id is not distinct from old.project_id then
            return new;
        end if;
        update chat_episodes set remembered_at = null where session_id = old.id;
    end if;
    delete from chat_summaries m
    where m.project_id = old.project_id
      and exists (select 1 from chat_episodes e where e.session_id = old.id and e.id between m.episode_from and m.episode_to);
    if tg_op = 'DELETE' then
        return old;
    end if;
    return new;
end
$$;
-- +goose StatementEnd
create trigger chat_sessions_move after update of project_id on chat_sessions
    for each row execute function chat_leave_project();
create trigger chat_sessions_leave before delete on chat_sessions
    for each row execute function chat_leave_project();

-- +goose Down
drop view chat_talk;
drop table chat_settings, chat_summaries, chat_episodes, chat_sessions, chat_projects;
drop function chat_leave_project();
drop function chat_forget_episode();
drop function chat_may_keep(uuid);
