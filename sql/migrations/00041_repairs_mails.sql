-- +goose Up

-- Where a person's mail goes; empty: it is not known.
alter table people add column email text not null default '';

-- A conversation about an appliance: one in writing, by a name that its client gave or
-- was given, or a call, by the call's id.
create table repairs (
    session_id    text primary key constraint repairs_named check (session_id <> ''),
    -- Null: nobody's in particular.
    person_id     uuid references people on delete cascade,
    call_id       uuid unique references calls on delete cascade,
    -- What is known in it, as the persona's own JSON.
    state         jsonb not null default '{}',
    -- The number of its last message, not counting replies; -1: there is none.
    last_seq      int not null default -1,
    -- Whoever answers a message holds the claim, for so long at most.
    claim         uuid,
    claimed_until timestamptz,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    -- Set: it has expired, and takes no more messages.
    archived_at   timestamptz
);
create index repairs_person_idx on repairs (person_id);
create index repairs_open_idx on repairs (updated_at) where archived_at is null;

-- Messages have odd numbers, and the reply to each the number after it.
create table repair_messages (
    session_id  text not null references repairs on delete cascade,
    seq         int not null,
    role        text not null check (role in ('user', 'assistant')),
    -- Empty where the person does not consent to being remembered.
    content     text not null,
    -- What the reply's tool found, for a screen.
    tool        jsonb,
    at          timestamptz not null default now(),
    primary key (session_id, seq)
);

-- repair_text is all that is known and said in a session.
-- +goose StatementBegin
create function repair_text(id text) returns text
language sql stable as $$
    select concat_ws(E'\n',
        (select string_agg(v #>> '{}', E'\n') from jsonb_path_query(r.state, 'strict $.**') v where jsonb_typeof(v) = 'string'),
        (select string_agg(m.content, E'\n' order by m.seq) from repair_messages m where m.session_id = r.session_id),
        (select string_agg(v #>> '{}', E'\n') from repair_messages m cross join jsonb_path_query(m.tool, 'strict $.**') v
            where m.session_id = r.session_id and jsonb_typeof(v) = 'string'))
    from repairs r where r.session_id = id
$$;
-- +goose StatementEnd

-- repair_mails are the keys of the mails that were asked for in a session, as its tools
-- tell of them.
-- +goose StatementBegin
create function repair_mails(id text) returns text[]
language sql stable as $$
    select array(
        select v #>> '{}' from repairs r cross join jsonb_path_query(r.state, 'lax $.**.mailId') v where r.session_id = id
        union
        select v #>> '{}' from repair_messages m cross join jsonb_path_query(m.tool, 'lax $.**.mailId') v where m.session_id = id)
$$;
-- +goose StatementEnd

-- The thread of a session goes with it. What remains is the revision up to which it is
-- deleted, so that whoever still holds it does not bring it back.
-- +goose StatementBegin
create function repairs_forget_threads() returns trigger
language plpgsql as $$
begin
    insert into checkpoint_threads as t (thread, rev)
    select 'appliance:' || coalesce(g.person_id, '00000000-0000-0000-0000-000000000000') || ':' || g.session_id, (extract(epoch from clock_timestamp()) * 1000000)::bigint
    from gone g
    on conflict (thread) do update set head = null, data = null, rev = greatest(t.rev + 1, excluded.rev), updated_at = now();
    return null;
end
$$;
-- +goose StatementEnd
create trigger repairs_forget_threads after delete on repairs referencing old table as gone for each statement execute function repairs_forget_threads();

-- An e-mail is here before it is sent, once for each key.
create table mails (
    mail_id      uuid primary key,
    key          text not null constraint mails_key_once unique,
    person_id    uuid references people on delete cascade,
    recipient    text not null,
    subject      text not null,
    html         text not null,
    body         text not null,
    created_at   timestamptz not null default now(),
    -- Each try is counted before the server is given the message.
    attempts     int not null default 0,
    attempted_at timestamptz,
    sent_at      timestamptz,
    -- Why it was given up; empty: it was not.
    error        text not null default ''
);
create index mails_newest_idx on mails (created_at desc, mail_id desc);
create index mails_person_idx on mails (person_id);

-- +goose Down
drop table mails;
drop table repair_messages, repairs;
drop function repairs_forget_threads();
drop function repair_mails(text);
drop function repair_text(text);
alter table people drop column email;
