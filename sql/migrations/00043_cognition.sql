-- +goose Up

-- Null: it is not known.
alter table people add column birth_date date constraint people_birth_date_lived check (birth_date between '1900-01-01' and '2100-01-01');

alter table consents
    drop constraint consents_scope_known,
    add constraint consents_scope_known check (scope in ('calls', 'recording', 'memory', 'cognitive'));

-- A cognitive check: one row a call, written when the call is over.
create table cognitive_checks (
    call_id     uuid primary key references calls on delete cascade,
    person_id   uuid not null references people on delete cascade,
    language    text not null,
    -- The forms of its tasks together.
    form        text not null,
    status      text not null constraint cognitive_checks_status_known check (status in ('complete', 'partial', 'postponed', 'declined')),
    started_at  timestamptz not null,
    ended_at    timestamptz not null,
    -- What may have disturbed it: [{"kind", "quote", "at"}].
    confounders jsonb not null default '[]'
);
create index cognitive_checks_person_idx on cognitive_checks (person_id, started_at desc, call_id desc);

create table cognitive_tasks (
    call_id    uuid not null references cognitive_checks on delete cascade,
    -- Its place in the check, from 0.
    seq        integer not null,
    task_id    text not null constraint cognitive_tasks_named check (task_id <> ''),
    version    text not null,
    title      text not null,
    form       text not null,
    status     text not null constraint cognitive_tasks_status_known check (status in ('complete', 'partial', 'void', 'refused', 'not_reached')),
    why        text not null default '',
    -- Null: it has no score. A highest score of 0 is open ended.
    raw        integer,
    max        integer not null constraint cognitive_tasks_max_positive check (max >= 0),
    seconds    double precision,
    -- Null: it was never put.
    at         timestamptz,
    -- What the score rests on: [{"item", "quote", "counts", "why"}].
    evidence   jsonb not null default '[]',
    confidence double precision not null constraint cognitive_tasks_confidence_share check (confidence between 0 and 1),
    primary key (call_id, task_id),
    constraint cognitive_tasks_raw_possible check (raw >= 0 and (max = 0 or raw <= max)),
    constraint cognitive_tasks_raw_put check (raw is null or at is not null)
);

-- Scores that people gave in place of the rules'. Rows are added and never changed; the
-- last one of a task counts. They outlive a check that is written again.
create table cognitive_corrections (
    n       bigint generated always as identity primary key,
    call_id uuid not null references cognitive_checks on delete cascade,
    task_id text not null,
    raw     integer not null constraint cognitive_corrections_raw_possible check (raw >= 0),
    by_whom text not null constraint cognitive_corrections_by_somebody check (btrim(by_whom) <> ''),
    note    text not null default '',
    at      timestamptz not null default now()
);
create index cognitive_corrections_task_idx on cognitive_corrections (call_id, task_id, n desc);

-- +goose Down
drop table cognitive_corrections, cognitive_tasks, cognitive_checks;
delete from consents where scope = 'cognitive';
alter table consents
    drop constraint consents_scope_known,
    add constraint consents_scope_known check (scope in ('calls', 'recording', 'memory'));
alter table people drop column birth_date;
