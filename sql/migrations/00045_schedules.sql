-- +goose Up

-- When a person is called regularly, by the calendar and the clock where they live.
create table schedules (
    id             uuid primary key,
    person_id      uuid not null references people on delete cascade,
    call_type      text not null,
    -- RFC 5545, of whole days.
    rrule          text not null constraint schedules_rrule_present check (rrule <> ''),
    -- Local clock times, 'HH:MM'.
    window_from    text not null constraint schedules_window_from_clock check (window_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    window_to      text not null constraint schedules_window_to_clock check (window_to ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    -- How long after window_from the first try may be.
    jitter_minutes integer not null constraint schedules_jitter_positive check (jitter_minutes >= 0),
    essential      boolean not null,
    -- How long after the window an essential call may still be made.
    grace_minutes  integer not null constraint schedules_grace_positive check (grace_minutes >= 0),
    -- What the rule counts from.
    starts_on      date not null,
    ends_on        date,
    note           text not null default '',
    paused         boolean not null default false,
    created_by     text not null default '',
    -- Nothing is planned that would have been due before.
    since          timestamptz not null,
    -- The last local day that was planned.
    planned_to     date,
    -- By the database's clock.
    planned_at     timestamptz,
    removed_at     timestamptz,
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now(),
    constraint schedules_window_forward check (window_from < window_to),
    constraint schedules_days_forward check (ends_on >= starts_on)
);
create index schedules_person_idx on schedules (person_id, id) where removed_at is null;

-- A call that is to be made on a day, and what became of it.
create table occurrences (
    id           uuid primary key,
    schedule_id  uuid not null references schedules on delete cascade,
    person_id    uuid not null references people on delete cascade,
    call_type    text not null,
    essential    boolean not null,
    -- The day where the person lived when it was planned: none is made twice.
    local_date   date not null,
    window_start timestamptz not null,
    due          timestamptz not null,
    window_end   timestamptz not null,
    -- No try begins later.
    deadline     timestamptz not null,
    -- When it is tried next.
    next_at      timestamptz not null,
    status       text not null default 'due' constraint occurrences_status_known check (status in ('due', 'calling', 'done', 'missed', 'escalated', 'skipped')),
    why          text not null default '',
    attempts     integer not null default 0,
    settled_at   timestamptz,
    constraint occurrences_day_key unique (schedule_id, local_date),
    constraint occurrences_forward check (window_start <= due and due <= window_end and window_end <= deadline)
);
create index occurrences_due_idx on occurrences (next_at) where status = 'due';
create index occurrences_calling_idx on occurrences (id) where status = 'calling';
create index occurrences_missed_idx on occurrences (deadline) where status = 'missed' and essential;
create index occurrences_person_idx on occurrences (person_id, due);
create index occurrences_list_idx on occurrences (due, id);
create index occurrences_settled_idx on occurrences (settled_at);

-- A try of an occurrence. Its call has the idempotency key 'occurrence:ID:N'.
create table occurrence_attempts (
    occurrence_id  uuid not null references occurrences on delete cascade,
    n              integer not null,
    call_id        uuid references calls on delete set null,
    started_at     timestamptz not null,
    ended_at       timestamptz,
    -- reached, busy, no_answer, machine, dropped, failed, canceled; empty while it lasts.
    result         text not null default '',
    -- When the carrier was asked, and whether it failed. Null: it has not been.
    asked_at       timestamptz,
    carrier_failed boolean,
    primary key (occurrence_id, n)
);
create index occurrence_attempts_started_idx on occurrence_attempts (started_at);
create index occurrence_attempts_asked_idx on occurrence_attempts (carrier_failed, asked_at);
create index occurrence_attempts_call_idx on occurrence_attempts (call_id);

-- +goose Down
drop table occurrence_attempts, occurrences, schedules;
