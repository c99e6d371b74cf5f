-- +goose Up

-- What keeps nAIber from its work now, and the alert that tells of it: one for as long as it lasts.
create table operator_troubles (
    cause    text primary key,
    -- Null: it is not raised yet.
    alert_id uuid references alerts on delete set null,
    since    timestamptz not null,
    seen_at  timestamptz not null
);
create index operator_troubles_alert_idx on operator_troubles (alert_id);

-- Text messages that were answered: a carrier may deliver one twice.
create table texts_taken (
    sid       text primary key,
    -- What it was taken for.
    notice_id uuid references alert_notices on delete set null,
    taken_at  timestamptz not null
);
create index texts_taken_notice_idx on texts_taken (notice_id);

-- +goose Down
drop table texts_taken, operator_troubles;
