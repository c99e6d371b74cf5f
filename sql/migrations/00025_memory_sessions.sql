-- +goose Up

-- Whether a session's turns are seen by the right project is asked at each message.
create index memory_turns_session_project_idx on memory_turns (session_id, project_id) where session_id is not null;

-- +goose Down
drop index memory_turns_session_project_idx;
