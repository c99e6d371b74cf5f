-- +goose Up

-- What danger the person told of last in a call, since when, and when they said
-- to be all right.
alter table calls
    add column danger text,
    add column danger_at timestamptz,
    add column danger_over_at timestamptz,
    add constraint calls_danger_whole check ((danger is null) = (danger_at is null));

-- +goose Down
alter table calls drop column danger, drop column danger_at, drop column danger_over_at;
