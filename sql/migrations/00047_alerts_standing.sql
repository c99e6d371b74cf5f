-- +goose Up

-- When a provider said that a notice has arrived.
alter table alert_notices add column delivered_at timestamptz;

-- Every page of the console asks again and again for those that nobody has closed.
create index alerts_standing_idx on alerts (tier desc, id) where status <> 'closed';

-- +goose Down
drop index alerts_standing_idx;
alter table alert_notices drop column delivered_at;
