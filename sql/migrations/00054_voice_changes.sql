-- +goose Up

-- What people have changed about their calls in a call, after they had confirmed it.
create table schedule_changes (
    id         uuid primary key,
    person_id  uuid not null references people on delete cascade,
    call_id    uuid not null references calls on delete cascade,
    -- The place of the turn that confirmed it: the same turn again changes nothing.
    turn       integer not null,
    -- What they had asked for, in their words.
    said       text not null,
    -- What was read back to them, and confirmed.
    confirmed  text not null,
    -- The schedules that it changed, as they were and as they became.
    before     jsonb not null,
    after      jsonb not null,
    pause_from timestamptz,
    pause_to   timestamptz,
    created_at timestamptz not null,
    constraint schedule_changes_turn_key unique (call_id, turn)
);
create index schedule_changes_person_idx on schedule_changes (person_id, id);

-- Where else a person answers, when they do not at the first number.
alter table people add column second_phone text not null default ''
    constraint people_second_phone_e164 check (second_phone = '' or second_phone ~ '^\+[1-9][0-9]{6,14}$');
create index people_second_phone_idx on people (second_phone) where second_phone <> '';

-- +goose Down
alter table people drop column second_phone;
drop table schedule_changes;
