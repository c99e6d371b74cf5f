-- +goose Up

-- How a contact is told of an alert.
alter table contacts
    add column webhook text not null default '',
    -- Empty: all that is known of them.
    add column channels text[] not null default '{}' constraint contacts_channels_known check (channels <@ array['sms', 'call', 'email', 'webhook']),
    -- Local clock times of the person, 'HH:MM'. Null: at any time.
    add column hours_from text constraint contacts_hours_from_clock check (hours_from ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    add column hours_to text constraint contacts_hours_to_clock check (hours_to ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
    -- Empty: the person's.
    add column language text not null default '',
    -- Kinds of alerts. Null: nobody has decided, and what is usual holds; empty: none.
    add column must_not_be_told text[],
    add constraint contacts_hours_both check ((hours_from is null) = (hours_to is null));

-- Something that a human being must hear of.
create table alerts (
    id              uuid primary key,
    -- What happens again under the same key is the same alert.
    key             text constraint alerts_key_once unique,
    -- Null: it is the operator's.
    person_id       uuid references people on delete cascade,
    call_id         uuid references calls on delete set null,
    turn            integer not null default 0,
    tier            integer not null constraint alerts_tier_known check (tier between 1 and 4),
    kind            text not null constraint alerts_kind_present check (kind <> ''),
    quote           text not null default '',
    why             text not null default '',
    status          text not null default 'open' constraint alerts_status_known check (status in ('open', 'notified', 'acknowledged', 'closed')),
    created_at      timestamptz not null,
    acknowledged_at timestamptz,
    acknowledged_by text not null default '',
    closed_at       timestamptz,
    closed_by       text not null default '',
    outcome         text not null default '',
    -- The ladder: which time it is climbed, since when, the step that is next, and when
    -- that is due. Null: no step follows.
    run             integer not null default 1,
    began_at        timestamptz not null,
    step            integer not null default 0,
    due_at          timestamptz,
    constraint alerts_acknowledged_whole check ((acknowledged_at is null) = (acknowledged_by = '')),
    constraint alerts_acknowledged_first check ((status in ('acknowledged', 'closed')) = (acknowledged_at is not null)),
    constraint alerts_closed_whole check ((closed_at is null) = (closed_by = '') and (status = 'closed') = (closed_at is not null))
);
create index alerts_person_idx on alerts (person_id, id desc);
create index alerts_call_idx on alerts (call_id);
create index alerts_due_idx on alerts (due_at) where status in ('open', 'notified');

-- One message to one address.
create table alert_notices (
    id          uuid primary key,
    alert_id    uuid not null references alerts on delete cascade,
    run         integer not null,
    step        integer not null,
    -- Null: somebody on call, or a contact who is none any more.
    contact_id  uuid references contacts on delete set null,
    name        text not null,
    channel     text not null constraint alert_notices_channel_known check (channel in ('sms', 'call', 'email', 'webhook')),
    address     text not null,
    language    text not null,
    status      text not null default 'queued' constraint alert_notices_status_known check (status in ('queued', 'sent', 'delivered', 'failed', 'acknowledged')),
    detail      text not null default '',
    -- The provider's name for it, by which it tells what became of it.
    provider_id text constraint alert_notices_provider_once unique,
    created_at  timestamptz not null,
    due_at      timestamptz not null,
    -- A sender claims it before sending. How often that was, how often nobody knows what
    -- became of it, and since when somebody has it.
    attempts    integer not null default 0,
    lost        integer not null default 0,
    claimed_at  timestamptz,
    sent_at     timestamptz,
    constraint alert_notices_once unique (alert_id, run, step, channel, address)
);
create index alert_notices_contact_idx on alert_notices (contact_id);
create index alert_notices_queued_idx on alert_notices (due_at) where status = 'queued';

-- A link in a notice, which acknowledges its alert once.
create table alert_links (
    -- SHA-256 of the token.
    token_hash bytea primary key,
    notice_id  uuid not null references alert_notices on delete cascade,
    expires_at timestamptz not null,
    opened_at  timestamptz,
    used_at    timestamptz
);
create index alert_links_notice_idx on alert_links (notice_id);

-- What happened to an alert, besides what is in its notices.
create table alert_events (
    id       bigint generated always as identity primary key,
    alert_id uuid not null references alerts on delete cascade,
    at       timestamptz not null,
    kind     text not null,
    by_whom  text not null default '',
    detail   text not null default ''
);
create index alert_events_alert_idx on alert_events (alert_id, id);

-- alert_text is all that was said of an alert.
-- +goose StatementBegin
create function alert_text(alert alerts) returns text
language sql stable as $$
    select concat_ws(E'\n', replace(alert.kind, '_', ' '), alert.quote, alert.why, alert.outcome,
        (select string_agg(e.detail, E'\n' order by e.id) from alert_events e where e.alert_id = alert.id))
$$;
-- +goose StatementEnd

-- When a person was last known to be well is asked for with every person.
create index calls_reached_idx on calls (person_id, ended_at desc) where outcome = 'reached';

-- +goose Down
drop index calls_reached_idx;
drop function alert_text(alerts);
drop table alert_events, alert_links, alert_notices, alerts;
alter table contacts
    drop column must_not_be_told, drop column language, drop column hours_to, drop column hours_from, drop column channels, drop column webhook;
