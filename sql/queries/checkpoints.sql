-- CheckpointPut stores a thread unless it has moved on since it was loaded at the
-- revision seen. No row means that it has. Told twice, it is done.
-- name: CheckpointPut :execrows
insert into checkpoint_threads (thread, head, rev, data) values (@thread, @head::uuid, @rev, @data::bytea)
on conflict (thread) do update set head = excluded.head, rev = excluded.rev, data = excluded.data, updated_at = now()
    where checkpoint_threads.rev <= @seen::bigint or checkpoint_threads.head = excluded.head;

-- name: CheckpointLoad :one
select rev, data from checkpoint_threads where thread = @thread;

-- name: CheckpointRev :one
select rev from checkpoint_threads where thread = @thread;

-- name: CheckpointsNamed :many
select thread from checkpoint_threads where starts_with(thread, @prefix::text);

-- CheckpointsDelete leaves the revision up to which each thread is deleted, so that
-- a copy elsewhere does not bring it back.
-- name: CheckpointsDelete :exec
insert into checkpoint_threads (thread, rev) select unnest(@threads::text[]), @rev::bigint
on conflict (thread) do update set head = null, data = null, rev = greatest(checkpoint_threads.rev + 1, excluded.rev), updated_at = now();

-- name: CheckpointsDeleted :many
select thread from checkpoint_threads where data is null;

-- CheckpointsSweep deletes what nobody has written to since, and counts the threads.
-- name: CheckpointsSweep :one
with gone as (delete from checkpoint_threads where updated_at < @before returning data)
select count(data) from gone;
