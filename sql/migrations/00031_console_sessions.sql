-- +goose Up

-- Who is in the console. What is kept of a session's token is its hash, together
-- with the password that it was given for: another password ends it.
create table console_sessions (
    token_hash  bytea primary key,
    until       timestamptz not null
);

-- +goose Down
drop table console_sessions;
