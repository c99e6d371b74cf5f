-- +goose Up

-- Who runs a job of a queue of which one at a time may run, across processes.
-- The turn of a process that died ends by itself.
create table job_turns (
    queue   text primary key,
    holder  uuid not null,
    until   timestamptz not null
);

-- +goose Down
drop table job_turns;
