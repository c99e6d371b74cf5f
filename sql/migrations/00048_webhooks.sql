-- +goose Up

-- URLs that are told of events. Their secrets are made from their ids and a key that is not here.
create table webhooks (
    id            uuid primary key,
    url           text not null constraint webhooks_url_present check (url <> ''),
    events        text[] not null constraint webhooks_events_some check (cardinality(events) > 0),
    created_at    timestamptz not null default now(),
    -- Since when every attempt has failed, and when the latest did. Null: the last one was received.
    failing_since timestamptz,
    failed_at     timestamptz,
    constraint webhooks_failing_whole check ((failing_since is null) = (failed_at is null))
);

-- What happened, in ids and codes alone: no words of anybody.
create table webhook_events (
    id        uuid primary key,
    type      text not null,
    -- No foreign key: its lock would have the end of a call wait for a dial. webhook_forget deletes them.
    person_id uuid,
    at        timestamptz not null default now(),
    data      jsonb not null
);
create index webhook_events_person_idx on webhook_events (person_id);
create index webhook_events_at_idx on webhook_events (at);

-- One event on its way to one URL.
create table webhook_deliveries (
    id         uuid primary key default gen_random_uuid(),
    webhook_id uuid not null references webhooks on delete cascade,
    event_id   uuid not null references webhook_events on delete cascade,
    status     text not null default 'pending' constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
    created_at timestamptz not null default clock_timestamp(),
    -- Null: no job sends it yet.
    queued_at  timestamptz
);
create index webhook_deliveries_list_idx on webhook_deliveries (webhook_id, created_at desc, id desc);
create index webhook_deliveries_event_idx on webhook_deliveries (event_id);
create index webhook_deliveries_new_idx on webhook_deliveries (created_at) where queued_at is null;

create table webhook_attempts (
    id          bigint generated always as identity primary key,
    delivery_id uuid not null references webhook_deliveries on delete cascade,
    at          timestamptz not null,
    elapsed_ms  integer not null,
    -- Of the HTTP answer. Zero: none came.
    status      integer not null,
    error       text not null default '',
    -- The beginning of the answer.
    reply       text not null default ''
);
create index webhook_attempts_delivery_idx on webhook_attempts (delivery_id, id);

-- webhook_emit keeps an event for every webhook that wants it. It must not fail: it is part of the
-- transaction of what happened. A webhook that is deleted meanwhile is passed over.
-- +goose StatementBegin
create function webhook_emit(event_type text, person uuid, details jsonb) returns void language plpgsql as $$
declare
    event uuid := gen_random_uuid();
begin
    if not exists (select from webhooks w where event_type = any(w.events)) then
        return;
    end if;
    insert into webhook_events (id, type, person_id, data) values (event, event_type, person, jsonb_strip_nulls(details));
    insert into webhook_deliveries (webhook_id, event_id)
        select w.id, event from webhooks w where event_type = any(w.events) order by w.id for key share;
end
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function webhook_alert() returns trigger language plpgsql as $$
begin
    perform webhook_emit(tg_argv[0], new.person_id, jsonb_build_object(
        'alertId', new.id, 'userId', new.person_id, 'callId', new.call_id, 'tier', new.tier, 'kind', new.kind, 'status', new.status));
    return null;
end
$$;
-- +goose StatementEnd
-- One that is restored from elsewhere has no step to come, and is told to nobody.
create trigger alerts_raised after insert on alerts for each row
    when (new.status = 'open' and new.due_at is not null) execute function webhook_alert('alert.raised');
create trigger alerts_raised_higher after update on alerts for each row
    when (new.run <> old.run) execute function webhook_alert('alert.raised');
create trigger alerts_acknowledged after update on alerts for each row
    when (old.acknowledged_at is null and new.acknowledged_at is not null) execute function webhook_alert('alert.acknowledged');
create trigger alerts_closed after update on alerts for each row
    when (old.closed_at is null and new.closed_at is not null) execute function webhook_alert('alert.closed');

-- +goose StatementBegin
create function webhook_notice() returns trigger language plpgsql as $$
declare
    person uuid := (select a.person_id from alerts a where a.id = new.alert_id);
begin
    perform webhook_emit('alert.notice', person, jsonb_build_object(
        'alertId', new.alert_id, 'userId', person, 'noticeId', new.id, 'channel', new.channel, 'status', new.status));
    return null;
end
$$;
-- +goose StatementEnd
create trigger alert_notices_changed after update on alert_notices for each row
    when (old.status <> new.status) execute function webhook_notice();

-- +goose StatementBegin
create function webhook_call() returns trigger language plpgsql as $$
begin
    perform webhook_emit(tg_argv[0], new.person_id, jsonb_build_object(
        'callId', new.id, 'userId', new.person_id, 'callType', new.call_type, 'direction', new.direction, 'outcome', new.outcome, 'cause', new.ended_cause));
    return null;
end
$$;
-- +goose StatementEnd
create trigger calls_started after update on calls for each row
    when (old.status <> 'in-progress' and new.status = 'in-progress') execute function webhook_call('call.started');
create trigger calls_ended after update on calls for each row
    when (old.ended_at is null and new.ended_at is not null) execute function webhook_call('call.ended');

-- +goose StatementBegin
create function webhook_analysed() returns trigger language plpgsql as $$
declare
    call calls := (select c from calls c where c.id = new.call_id);
begin
    perform webhook_emit('call.analysed', call.person_id, jsonb_build_object(
        'callId', call.id, 'userId', call.person_id, 'callType', call.call_type, 'direction', call.direction, 'outcome', call.outcome, 'cause', call.ended_cause));
    return null;
end
$$;
-- +goose StatementEnd
create trigger call_events_analysed after insert on call_events for each row
    when (new.kind = 'post_call_done') execute function webhook_analysed();

-- +goose StatementBegin
create function webhook_missed() returns trigger language plpgsql as $$
begin
    perform webhook_emit('schedule.missed', new.person_id, jsonb_build_object(
        'occurrenceId', new.id, 'scheduleId', new.schedule_id, 'userId', new.person_id, 'callType', new.call_type, 'essential', new.essential,
        'due', to_char(new.due at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'attempts', new.attempts));
    return null;
end
$$;
-- +goose StatementEnd
create trigger occurrences_missed after update on occurrences for each row
    when (old.status <> 'missed' and new.status = 'missed') execute function webhook_missed();

-- +goose StatementBegin
create function webhook_consent() returns trigger language plpgsql as $$
begin
    perform webhook_emit('consent.changed', new.person_id, jsonb_build_object('userId', new.person_id, 'scope', new.scope, 'given', new.revoked_at is null));
    return null;
end
$$;
-- +goose StatementEnd
create trigger consents_given after insert on consents for each row
    when (new.revoked_at is null) execute function webhook_consent();
create trigger consents_revoked after update on consents for each row
    when (old.revoked_at is null and new.revoked_at is not null) execute function webhook_consent();

-- +goose StatementBegin
create function webhook_person() returns trigger language plpgsql as $$
begin
    perform webhook_emit(case when new.opted_out_at is null then 'person.opted_in' else 'person.opted_out' end, new.id, jsonb_build_object('userId', new.id));
    return null;
end
$$;
-- +goose StatementEnd
create trigger people_opted after update on people for each row
    when ((old.opted_out_at is null) <> (new.opted_out_at is null)) execute function webhook_person();

-- Who deletes a person deletes what was told of them.
-- +goose StatementBegin
create function webhook_forget() returns trigger language plpgsql as $$
begin
    delete from webhook_events where person_id = old.id;
    return null;
end
$$;
-- +goose StatementEnd
create trigger people_webhooks after delete on people for each row execute function webhook_forget();

-- +goose Down
drop trigger people_webhooks on people;
drop trigger people_opted on people;
drop trigger consents_revoked on consents;
drop trigger consents_given on consents;
drop trigger occurrences_missed on occurrences;
drop trigger call_events_analysed on call_events;
drop trigger calls_ended on calls;
drop trigger calls_started on calls;
drop trigger alert_notices_changed on alert_notices;
drop trigger alerts_closed on alerts;
drop trigger alerts_acknowledged on alerts;
drop trigger alerts_raised_higher on alerts;
drop trigger alerts_raised on alerts;
drop function webhook_forget(), webhook_person(), webhook_consent(), webhook_missed(), webhook_analysed(), webhook_call(), webhook_notice(), webhook_alert();
drop function webhook_emit(text, uuid, jsonb);
drop table webhook_attempts, webhook_deliveries, webhook_events, webhooks;
