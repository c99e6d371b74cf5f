-- +goose Up

-- Numbers of contacts that asked for no text messages about alerts. They go by number, as
-- carriers keep them: several contacts may share one, contacts are written again when they
-- are edited, and who asked to be left alone stays so when a person is deleted.
create table text_stops (
    phone      text primary key,
    stopped_at timestamptz not null
);

-- Whose reply a text message is.
create index alert_notices_address_idx on alert_notices (address, sent_at desc) where channel in ('sms', 'call');

-- +goose Down
drop index alert_notices_address_idx;
drop table text_stops;
