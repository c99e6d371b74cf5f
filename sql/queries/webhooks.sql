-- name: WebhookInsert :one
insert into webhooks (id, url, events) values (@id, @url, @events) returning *;

-- name: WebhookGet :one
select * from webhooks where id = @id;

-- name: WebhooksList :many
select * from webhooks order by id;

-- name: WebhookDelete :execrows
delete from webhooks where id = @id;

-- WebhooksFailing lists those of which every attempt has failed for so long.
-- name: WebhooksFailing :many
select * from webhooks where failed_at >= failing_since + make_interval(secs => @seconds::float) order by id;

-- WebhookDeliveriesTake returns deliveries that no job sends yet, and notes that one does.
-- name: WebhookDeliveriesTake :many
with taken as (
    select d.id from webhook_deliveries d where d.queued_at is null order by d.created_at limit 100 for update skip locked
)
update webhook_deliveries d set queued_at = now() from taken t where d.id = t.id returning d.id;

-- name: WebhookDeliveryGet :one
select sqlc.embed(d), sqlc.embed(e), w.url from webhook_deliveries d
join webhook_events e on e.id = d.event_id join webhooks w on w.id = d.webhook_id
where d.id = @id;

-- name: WebhookDeliveriesList :many
select sqlc.embed(d), sqlc.embed(e) from webhook_deliveries d join webhook_events e on e.id = d.event_id
where d.webhook_id = @webhook_id
  and (sqlc.narg('status')::text is null or d.status = sqlc.narg('status'))
  and (sqlc.narg('before_at')::timestamptz is null or (d.created_at, d.id) < (sqlc.narg('before_at'), @before_id::uuid))
order by d.created_at desc, d.id desc
limit @max_rows;

-- name: WebhookAttemptsOf :many
select * from webhook_attempts where delivery_id = any(@delivery_ids::uuid[]) order by delivery_id, id;

-- name: WebhookReplay :one
insert into webhook_deliveries (webhook_id, event_id)
select d.webhook_id, d.event_id from webhook_deliveries d where d.id = @id and d.webhook_id = @webhook_id
returning id;

-- WebhookTried notes how the latest attempt at a webhook went. It comes before what is written of
-- the delivery, as where a webhook is deleted.
-- name: WebhookTried :exec
update webhooks w set
    failing_since = case when @failed::boolean then coalesce(w.failing_since, @at::timestamptz) end,
    failed_at = case when @failed::boolean then greatest(w.failed_at, @at::timestamptz) end
from webhook_deliveries d where d.id = @delivery_id and w.id = d.webhook_id and (@failed::boolean or w.failing_since is not null);

-- name: WebhookDeliverySettle :exec
update webhook_deliveries set status = @status where id = @id;

-- name: WebhookAttemptInsert :exec
insert into webhook_attempts (delivery_id, at, elapsed_ms, status, error, reply) values (@delivery_id, @at, @elapsed_ms, @status, @error, @reply);

-- WebhookDeliveriesLost gives up those whose job was cancelled, or lost its process in the last try.
-- name: WebhookDeliveriesLost :exec
update webhook_deliveries set status = 'failed' where status = 'pending' and queued_at < @before::timestamptz;

-- name: WebhookEventsPrune :execrows
delete from webhook_events where at < @before::timestamptz;
