-- ConsoleSessionInsert also clears away what has ended.
-- name: ConsoleSessionInsert :exec
with ended as (delete from console_sessions where until < now())
insert into console_sessions (token_hash, until) values (@token_hash, @until);

-- name: ConsoleSessionUntil :one
select until from console_sessions where token_hash = @token_hash and until > now();
