-- +goose Up

-- What was said in a session until then has been given to whoever learns from it.
alter table chat_sessions add column lesson_to timestamptz not null default 'epoch';
create index chat_sessions_lesson_idx on chat_sessions (updated_at) where person_id is not null and lesson_to < updated_at;

-- Which steps of learning from a stretch of a session are done, as memory_learned
-- says of calls. The stretch goes by its last moment.
create table memory_learned_writing (
    session_id  uuid not null references chat_sessions on delete cascade,
    through     timestamptz not null,
    step        text not null,
    at          timestamptz not null default now(),
    primary key (session_id, through, step)
);

-- +goose Down
drop table memory_learned_writing;
drop index chat_sessions_lesson_idx;
alter table chat_sessions drop column lesson_to;
