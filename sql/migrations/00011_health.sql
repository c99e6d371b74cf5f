-- +goose Up

-- What a health check left behind: one row a call, written when the call is over.
create table health_checks (
    call_id         uuid primary key constraint health_checks_call_fkey references calls on delete cascade,
    person_id       uuid not null constraint health_checks_person_fkey references people on delete cascade,
    status          text not null constraint health_checks_status_known check (status in ('completed', 'in-progress', 'stopped')),
    started_at      timestamptz not null,
    ended_at        timestamptz not null,
    -- The earlier call whose check this one went on with. It names the call and
    -- not the check, since the later check may be written first.
    resumes_call_id uuid constraint health_checks_resumes_fkey references calls on delete set null,
    -- The session in the persona's own form. Null: there is nothing to go on with.
    questions       jsonb,
    constraint health_checks_resumes_other check (resumes_call_id <> call_id),
    -- For the answers, which name both.
    constraint health_checks_call_person_key unique (call_id, person_id)
);
create index health_checks_person_idx on health_checks (person_id, started_at desc, call_id desc);
create index health_checks_resumes_idx on health_checks (resumes_call_id) where resumes_call_id is not null;

create table health_answers (
    call_id         uuid not null,
    -- The check's: a person's answers are read without going through all their checks.
    person_id       uuid not null,
    -- Its place among the questions, from 0.
    seq             integer not null,
    question_id     text not null constraint health_answers_question_named check (question_id <> ''),
    -- Empty: no follow-up.
    follow_up_of    text not null default '',
    question        text not null,
    short           text not null default '',
    pack            text not null default '',
    pack_version    text not null default '',
    -- Part of an instrument, of which a call holds one.
    screen          boolean not null default false,
    type            text not null constraint health_answers_type_known check (type in ('scale', 'boolean', 'choice', 'number', 'text', 'time')),
    status          text not null constraint health_answers_status_known
        check (status in ('answered', 'keypad', 'refused', 'unclear', 'skipped', 'not_reached')),
    value           jsonb,
    unit            text not null default '',
    ordinal         double precision,
    -- The person's words; empty where they may not be kept.
    quote           text not null default '',
    confidence      double precision not null constraint health_answers_confidence_share check (confidence between 0 and 1),
    source          text not null default '',
    attempts        integer not null constraint health_answers_attempts_positive check (attempts >= 0),
    -- Null: never asked.
    at              timestamptz,
    -- Given in the check that this one resumes.
    carried         boolean not null,
    -- Readings that were taken back in the same check, oldest first.
    earlier         jsonb not null default '[]',
    primary key (call_id, seq),
    constraint health_answers_check_fkey foreign key (call_id, person_id) references health_checks (call_id, person_id) on delete cascade,
    constraint health_answers_question_key unique (call_id, question_id),
    -- A value is what somebody answered: no refusal and nothing unclear has one.
    constraint health_answers_value_given check ((value is not null) = (status in ('answered', 'keypad'))),
    constraint health_answers_given_at check (value is null or at is not null),
    constraint health_answers_ordinal_given check (ordinal is null or value is not null)
);

create index health_answers_at_idx on health_answers (person_id, at) where at is not null;
create index health_answers_asked_idx on health_answers (person_id, question_id, at) where at is not null and status <> 'not_reached';
create index health_answers_screen_idx on health_answers (person_id) where screen and at is not null and status <> 'not_reached';

create table health_scores (
    call_id     uuid not null constraint health_scores_check_fkey references health_checks on delete cascade,
    pack        text not null constraint health_scores_pack_named check (pack <> ''),
    -- Its place among the scores, from 0.
    seq         integer not null,
    version     text not null default '',
    title       text not null default '',
    -- Null where an item is missing: a total over part of an instrument is none.
    total       integer,
    highest     integer not null,
    band        text not null default '',
    meaning     text not null default '',
    positive    boolean not null,
    answered    integer not null,
    items       integer not null,
    primary key (call_id, pack)
);

-- +goose Down
drop table health_scores, health_answers, health_checks;
