-- +goose Up

-- A thread is one row: its newest checkpoints in the form that Redis has them in
-- (package checkpoint), or without data what is left of one that was deleted.
alter table checkpoint_threads add column data bytea, drop constraint checkpoint_threads_head_whole, alter column rev drop default;

-- +goose StatementBegin
create function checkpoint_uvarint(n bigint) returns bytea language plpgsql immutable as $$
declare
    b bytea := '';
begin
    while n > 127 loop
        b := b || set_byte('\x00'::bytea, 0, ((n & 127) | 128)::integer);
        n := n >> 7;
    end loop;
    return b || set_byte('\x00'::bytea, 0, n::integer);
end
$$;
-- +goose StatementEnd
-- +goose StatementBegin
create function checkpoint_field(b bytea) returns bytea language sql immutable as $$
    select checkpoint_uvarint(length(b)) || b
$$;
-- +goose StatementEnd
-- +goose StatementBegin
create function checkpoint_moment(t timestamptz) returns bytea language sql immutable as $$
    select int8send((extract(epoch from t) * 1000000)::bigint)
$$;
-- +goose StatementEnd
update checkpoint_threads t set data = whole.data
from (
    select r.thread, string_agg(int4send(length(r.body)) || r.body, ''::bytea order by r.rev desc) as data
    from (
        select thread, rev, '\x4301'::bytea || uuid_send(id) || int8send(rev) || coalesce(uuid_send(parent), decode(repeat('00', 16), 'hex'))
            || case when done then '\x01'::bytea else '\x00'::bytea end
            || checkpoint_uvarint(step) || checkpoint_uvarint(schema_version) || checkpoint_uvarint(place)
            || checkpoint_moment(at) || checkpoint_moment(turn_at)
            || checkpoint_field(convert_to(graph, 'UTF8')) || checkpoint_field(convert_to(node, 'UTF8'))
            || checkpoint_field(convert_to(conversation, 'UTF8')) || checkpoint_field(convert_to(turn_key, 'UTF8'))
            || checkpoint_field(outcome) || checkpoint_field(state) as body
        from checkpoints) r
    group by r.thread) whole
where whole.thread = t.thread;
drop function checkpoint_moment(timestamptz);
drop function checkpoint_field(bytea);
drop function checkpoint_uvarint(bigint);

delete from checkpoint_threads where data is null;
insert into checkpoint_threads (thread, rev, updated_at) select thread, rev, at from checkpoint_graves on conflict do nothing;
drop table checkpoint_graves, checkpoint_writes, checkpoints;
alter table checkpoint_threads add constraint checkpoint_threads_whole check ((head is null) = (data is null));

-- +goose Down
create table checkpoints (
    thread          text not null references checkpoint_threads on delete cascade,
    id              uuid not null,
    parent          uuid,
    rev             bigint not null constraint checkpoints_rev_positive check (rev > 0),
    step            integer not null,
    at              timestamptz not null,
    graph           text not null,
    schema_version  integer not null,
    node            text not null,
    conversation    text not null,
    place           integer not null,
    turn_key        text not null,
    turn_at         timestamptz not null,
    done            boolean not null,
    outcome         bytea not null,
    state           bytea not null,
    primary key (thread, id)
);
create index checkpoints_rev_idx on checkpoints (thread, rev desc);
create table checkpoint_writes (
    thread      text not null references checkpoint_threads on delete cascade,
    checkpoint  uuid not null,
    task        text not null,
    value       bytea not null,
    at          timestamptz not null,
    primary key (thread, checkpoint, task)
);
create table checkpoint_graves (
    thread  text primary key,
    rev     bigint not null,
    at      timestamptz not null default now()
);
create index checkpoint_graves_at_idx on checkpoint_graves (at);
insert into checkpoint_graves (thread, rev, at) select thread, rev, updated_at from checkpoint_threads where data is null;
-- Threads that are under way stay where Redis has them.
delete from checkpoint_threads;
alter table checkpoint_threads drop column data, alter column rev set default 0,
    add constraint checkpoint_threads_head_whole check ((head is null) = (rev = 0));
