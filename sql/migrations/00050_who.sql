-- +goose Up

alter table calls
    -- The person whose number somebody phones from who has not shown to be them. Such a
    -- caller is nobody whom we know: person_id is null.
    add column believed_id uuid references people on delete cascade,
    -- How whoever is on the line was found to be the person; empty: not yet.
    add column verified text not null default '' constraint calls_verified_known check (verified in ('', 'presumed', 'confirmed', 'keyed')),
    add constraint calls_believed_alone check (believed_id is null or person_id is null);
-- As it was taken for until now.
update calls set verified = 'presumed' where person_id is not null;
create index calls_believed_idx on calls (believed_id, id desc) where believed_id is not null;

-- A telephone has one live call also where it is not known who holds it.
drop index calls_one_live_per_person;
create unique index calls_one_live_per_person on calls (coalesce(person_id, believed_id)) where ended_at is null;

-- What somebody keys to show who they are.
create table person_pins (
    person_id    uuid primary key references people on delete cascade,
    -- PBKDF2 of the digits, with its salt.
    salt         bytea not null,
    hash         bytea not null,
    wrong        integer not null default 0,
    locked_until timestamptz,
    set_at       timestamptz not null default now()
);

-- Whoever said so had not shown to be the person.
alter table alerts add column unsure boolean not null default false;

-- +goose Down

alter table alerts drop column unsure;
drop table person_pins;
delete from calls where believed_id is not null and ended_at is null;
drop index calls_one_live_per_person;
create unique index calls_one_live_per_person on calls (person_id) where ended_at is null;
drop index calls_believed_idx;
alter table calls drop constraint calls_believed_alone, drop column believed_id, drop column verified;
