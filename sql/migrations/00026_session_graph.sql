-- +goose Up

-- Whom and what sessions that belong to no person speak of. The project sees it
-- as long as the session is in it.
alter table memory_entities add column session_id uuid;
alter table memory_entities drop constraint memory_entities_owned;
alter table memory_entities add constraint memory_entities_owned check (person_id is not null or session_id is not null or project_id is not null);
create index memory_entities_session_idx on memory_entities (session_id, last_seen desc) where session_id is not null;

-- What was written in such sessions before is not learned from all at once.
update chat_sessions set lesson_to = updated_at where person_id is null;
drop index chat_sessions_lesson_idx;
create index chat_sessions_lesson_idx on chat_sessions (updated_at) where lesson_to < updated_at;

-- +goose Down
drop index chat_sessions_lesson_idx;
create index chat_sessions_lesson_idx on chat_sessions (updated_at) where person_id is not null and lesson_to < updated_at;
delete from memory_entities where session_id is not null;
alter table memory_entities drop constraint memory_entities_owned;
alter table memory_entities drop column session_id;
alter table memory_entities add constraint memory_entities_owned check (person_id is not null or project_id is not null);
