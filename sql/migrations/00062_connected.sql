-- +goose Up

-- To whom the person on a call was put through: the notice of an alert by which somebody took
-- care of it, since when, and when they were on the line with nAIber alone again.
alter table calls
    add column connected_notice uuid,
    add column connected_at timestamptz,
    add column connected_over_at timestamptz,
    add constraint calls_connected_whole check ((connected_notice is null) = (connected_at is null));
create index calls_connected on calls (connected_notice) where connected_over_at is null and connected_notice is not null;

-- +goose Down
alter table calls drop column connected_notice, drop column connected_at, drop column connected_over_at;
