-- CheckpointPut adds a checkpoint if the thread's head is the one expected
-- (null: none yet), makes it the head, and prunes: the newest ones stay, and the
-- parent, to which a replaced turn goes back. No row means that the head is
-- another. A concurrent writer waits at the thread's row and then looks again.
-- name: CheckpointPut :execrows
with moved as (
    update checkpoint_threads t set head = @id::uuid, rev = @rev::bigint, updated_at = now()
    where t.thread = @thread::text and t.head = sqlc.narg('expected')::uuid and t.rev < @rev::bigint
    returning t.thread),
made as (
    insert into checkpoint_threads (thread, head, rev)
    select @thread::text, @id::uuid, @rev::bigint where sqlc.narg('expected')::uuid is null
    on conflict (thread) do update set head = excluded.head, rev = excluded.rev, updated_at = now()
        where checkpoint_threads.head is null
    returning checkpoint_threads.thread),
won as (select moved.thread from moved union all select made.thread from made),
pruned as (
    delete from checkpoints c using won
    where c.thread = won.thread and c.id is distinct from sqlc.narg('parent')::uuid
        and c.id in (select k.id from checkpoints k where k.thread = @thread::text order by k.rev desc offset @others::int)
    returning c.id),
cleared as (
    delete from checkpoint_writes w using pruned where w.thread = @thread::text and w.checkpoint = pruned.id)
insert into checkpoints (thread, id, parent, rev, step, at, graph, schema_version, node, conversation, place, turn_key, turn_at, done, outcome, state)
select won.thread, @id::uuid, sqlc.narg('parent')::uuid, @rev::bigint, @step::int, @at::timestamptz, @graph::text, @schema_version::int,
    @node::text, @conversation::text, @place::int, @turn_key::text, @turn_at::timestamptz, @done::boolean, @outcome::bytea, @state::bytea
from won;

-- CheckpointTake adds a checkpoint that was put elsewhere, if it is newer than
-- the thread's head and than the thread's grave.
-- name: CheckpointTake :execrows
with won as (
    insert into checkpoint_threads (thread, head, rev)
    select @thread::text, @id::uuid, @rev::bigint
    where not exists (select from checkpoint_graves g where g.thread = @thread::text and g.rev >= @rev::bigint)
    on conflict (thread) do update set head = excluded.head, rev = excluded.rev, updated_at = now()
        where checkpoint_threads.rev < excluded.rev
    returning checkpoint_threads.thread),
pruned as (
    delete from checkpoints c using won
    where c.thread = won.thread and c.id is distinct from sqlc.narg('parent')::uuid
        and c.id in (select k.id from checkpoints k where k.thread = @thread::text order by k.rev desc offset @others::int)
    returning c.id),
cleared as (
    delete from checkpoint_writes w using pruned where w.thread = @thread::text and w.checkpoint = pruned.id)
insert into checkpoints (thread, id, parent, rev, step, at, graph, schema_version, node, conversation, place, turn_key, turn_at, done, outcome, state)
select won.thread, @id::uuid, sqlc.narg('parent')::uuid, @rev::bigint, @step::int, @at::timestamptz, @graph::text, @schema_version::int,
    @node::text, @conversation::text, @place::int, @turn_key::text, @turn_at::timestamptz, @done::boolean, @outcome::bytea, @state::bytea
from won
on conflict do nothing;

-- name: CheckpointHead :one
select head, rev from checkpoint_threads where thread = @thread;

-- name: CheckpointsOf :many
select * from checkpoints where thread = @thread order by rev desc;

-- name: CheckpointWritesOf :many
select * from checkpoint_writes where thread = @thread order by at, task;

-- CheckpointThreadOpen makes a thread in which work can be noted.
-- name: CheckpointThreadOpen :exec
insert into checkpoint_threads (thread) values (@thread)
on conflict (thread) do update set updated_at = now();

-- CheckpointWritePut keeps a task's result unless there is one, and only where
-- its checkpoint is on record (the zero id always is).
-- name: CheckpointWritePut :execrows
insert into checkpoint_writes (thread, checkpoint, task, value, at)
select @thread::text, @checkpoint::uuid, @task::text, @value::bytea, @at::timestamptz
where exists (select from checkpoint_threads t where t.thread = @thread::text)
    and (@checkpoint::uuid = '00000000-0000-0000-0000-000000000000'
        or exists (select from checkpoints c where c.thread = @thread::text and c.id = @checkpoint::uuid))
on conflict do nothing;

-- name: CheckpointWriteOf :one
select * from checkpoint_writes where thread = @thread and checkpoint = @checkpoint and task = @task;

-- CheckpointsPrune leaves the newest ones of a thread.
-- name: CheckpointsPrune :exec
with pruned as (
    delete from checkpoints c
    where c.thread = @thread::text
        and c.id in (select k.id from checkpoints k where k.thread = @thread::text order by k.rev desc offset @keep::int)
    returning c.id)
delete from checkpoint_writes w using pruned where w.thread = @thread::text and w.checkpoint = pruned.id;

-- CheckpointThreadCopy makes the head of a copy; no row means that there is
-- nothing to copy or that the target exists.
-- name: CheckpointThreadCopy :execrows
insert into checkpoint_threads (thread, head, rev)
select @target::text, s.head, s.rev from checkpoint_threads s where s.thread = @source::text
on conflict do nothing;

-- name: CheckpointsCopy :exec
insert into checkpoints (thread, id, parent, rev, step, at, graph, schema_version, node, conversation, place, turn_key, turn_at, done, outcome, state)
select @target::text, id, parent, rev, step, at, graph, schema_version, node, conversation, place, turn_key, turn_at, done, outcome, state
from checkpoints where checkpoints.thread = @source::text;

-- name: CheckpointWritesCopy :exec
insert into checkpoint_writes (thread, checkpoint, task, value, at)
select @target::text, checkpoint, task, value, at from checkpoint_writes where checkpoint_writes.thread = @source::text;

-- name: CheckpointThreadDelete :exec
delete from checkpoint_threads where thread = @thread;

-- CheckpointsForget deletes the threads whose names begin so, and buries them and
-- those named, which may exist elsewhere alone.
-- name: CheckpointsForget :many
with gone as (delete from checkpoint_threads where starts_with(thread, @prefix::text) returning thread, rev),
dead as (
    select thread, rev from gone
    union all
    select n.thread, 0 from unnest(@names::text[]) as n(thread) where n.thread not in (select g.thread from gone g))
insert into checkpoint_graves (thread, rev)
select dead.thread, greatest(max(dead.rev) + 1, @rev::bigint) from dead group by dead.thread
on conflict (thread) do update set rev = greatest(checkpoint_graves.rev, excluded.rev), at = now()
returning thread;

-- name: CheckpointGraveDig :exec
insert into checkpoint_graves (thread, rev) values (@thread, @rev)
on conflict (thread) do update set rev = greatest(checkpoint_graves.rev, excluded.rev), at = now();

-- name: CheckpointGraveOf :one
select rev from checkpoint_graves where thread = @thread;

-- CheckpointsSweep deletes threads that nobody has written to since.
-- name: CheckpointsSweep :execrows
delete from checkpoint_threads where updated_at < @before;

-- name: CheckpointGravesSweep :exec
delete from checkpoint_graves where at < @before;
