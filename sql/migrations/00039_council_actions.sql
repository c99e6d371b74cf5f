-- +goose Up

-- For how many days a proposed pause of calls is; zero for other kinds.
alter table discussion_actions add column days int not null default 0;

-- A question that somebody wants to be put to a person in a health check, where it is
-- question carer.N. It is put in one call.
create table health_questions (
    id          uuid primary key,
    n           bigint not null generated always as identity unique,
    person_id   uuid not null references people on delete cascade,
    text        text not null constraint health_questions_text_bounded check (btrim(text) <> '' and char_length(text) <= 200),
    asked_by    text not null,
    created_at  timestamptz not null default now(),
    call_id     uuid references calls on delete cascade
);
create index health_questions_open_idx on health_questions (person_id, n) where call_id is null;
create index health_questions_call_idx on health_questions (call_id) where call_id is not null;

-- discussion_text is all that is said in a discussion, and what it had before it. Chunks
-- are joined as they came, for a word may lie across two.
-- +goose StatementBegin
create function discussion_text(id uuid) returns text
language sql stable as $$
    select concat_ws(E'\n', d.question,
        (select string_agg(v #>> '{}', E'\n') from jsonb_path_query(d.record, 'strict $.**') v where jsonb_typeof(v) = 'string'),
        (select string_agg(e.data ->> 'text', '' order by e.seq) from discussion_events e where e.discussion_id = d.discussion_id),
        (select string_agg(v #>> '{}', E'\n') from discussion_events e cross join jsonb_path_query(e.data::jsonb - 'text', 'strict $.**') v
            where e.discussion_id = d.discussion_id and jsonb_typeof(v) = 'string'),
        (select string_agg(concat_ws(E'\n', a.text, a.note), E'\n') from discussion_actions a where a.discussion_id = d.discussion_id))
    from discussions d where d.discussion_id = id
$$;
-- +goose StatementEnd

-- The threads of a discussion's rounds go with it. What remains of them is the revision
-- up to which they are deleted, so that a copy in Redis, or whoever still holds the
-- round, does not bring them back.
-- +goose StatementBegin
create function discussions_forget_threads() returns trigger
language plpgsql as $$
begin
    insert into checkpoint_threads as t (thread, rev)
    select 'council:' || g.person_id || ':' || g.discussion_id || ':' || n, (extract(epoch from clock_timestamp()) * 1000000)::bigint
    from gone g cross join generate_series(1, g.rounds) n
    on conflict (thread) do update set head = null, data = null, rev = greatest(t.rev + 1, excluded.rev), updated_at = now();
    return null;
end
$$;
-- +goose StatementEnd
create trigger discussions_forget_threads after delete on discussions referencing old table as gone for each statement execute function discussions_forget_threads();

-- +goose Down
drop trigger discussions_forget_threads on discussions;
drop function discussions_forget_threads();
drop function discussion_text(uuid);
drop table health_questions;
alter table discussion_actions drop column days;
