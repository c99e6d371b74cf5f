-- +goose Up

-- Something that the person said until then was forgotten. What they answered
-- before it may still wait in a health check's thread: of that, only values are
-- written. Null: nothing was.
alter table people add column forgotten_until timestamptz;

-- +goose Down
alter table people drop column forgotten_until;
