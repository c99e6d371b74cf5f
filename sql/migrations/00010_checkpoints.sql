-- +goose Up

-- A thread is the saved course of one conversation through a graph. Its head is
-- the newest checkpoint; who wants to add one names the head that it saw.
create table checkpoint_threads (
    thread      text primary key constraint checkpoint_threads_named check (thread <> ''),
    -- Null: work was noted before the first checkpoint.
    head        uuid,
    -- The head's, zero without one.
    rev         bigint not null default 0,
    updated_at  timestamptz not null default now(),
    constraint checkpoint_threads_head_whole check ((head is null) = (rev = 0))
);
create index checkpoint_threads_updated_idx on checkpoint_threads (updated_at);

create table checkpoints (
    thread          text not null references checkpoint_threads on delete cascade,
    id              uuid not null,
    -- Null: the first of its thread. It may name one that was pruned.
    parent          uuid,
    -- The order of writing: microseconds since 1970, or one more than the head before.
    rev             bigint not null constraint checkpoints_rev_positive check (rev > 0),
    step            integer not null,
    at              timestamptz not null,
    graph           text not null,
    schema_version  integer not null,
    node            text not null,
    -- The turn that led here: its conversation, its place in it, what was said (a hash).
    conversation    text not null,
    place           integer not null,
    turn_key        text not null,
    turn_at         timestamptz not null,
    done            boolean not null,
    outcome         bytea not null,
    -- Bytes, not jsonb: what was saved comes back to the byte.
    state           bytea not null,
    primary key (thread, id)
);
create index checkpoints_rev_idx on checkpoints (thread, rev desc);

-- Work done since a checkpoint and before the next, kept once for each task so
-- that a turn which runs again does not do it again. The zero id stands for the
-- time before the first checkpoint.
create table checkpoint_writes (
    thread      text not null references checkpoint_threads on delete cascade,
    checkpoint  uuid not null,
    task        text not null,
    value       bytea not null,
    at          timestamptz not null,
    primary key (thread, checkpoint, task)
);

-- Threads that were deleted, so that a copy elsewhere which has not heard of it
-- does not bring them back: what is not newer than rev is dead.
create table checkpoint_graves (
    thread  text primary key,
    rev     bigint not null,
    at      timestamptz not null default now()
);
create index checkpoint_graves_at_idx on checkpoint_graves (at);

-- +goose Down
drop table checkpoint_graves, checkpoint_writes, checkpoints, checkpoint_threads;
