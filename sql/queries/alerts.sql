-- AlertRaise keeps an alert. Where there is one of its key it raises that one's tier, and
-- has its ladder begin again; a tier that is no higher changes nothing and returns no row.
-- name: AlertRaise :one
insert into alerts as a (id, key, person_id, call_id, turn, tier, kind, quote, why, unsure, created_at, began_at, due_at)
values (@id, sqlc.narg('key'), @person_id, @call_id, @turn, @tier, @kind, @quote, @why, @unsure, @at::timestamptz, @at::timestamptz, @at::timestamptz)
on conflict (key) do update set call_id = excluded.call_id, turn = excluded.turn, tier = excluded.tier, kind = excluded.kind,
    quote = excluded.quote, why = excluded.why, unsure = excluded.unsure, status = 'open', run = a.run + 1, began_at = excluded.began_at, step = 0, due_at = excluded.due_at,
    acknowledged_at = null, acknowledged_by = '', closed_at = null, closed_by = '', outcome = ''
where excluded.tier > a.tier
returning *;

-- name: AlertByID :one
select * from alerts where id = @id;

-- name: AlertByKey :one
select * from alerts where key = @key::text;

-- AlertLock holds an alert until the transaction ends.
-- name: AlertLock :one
select * from alerts where id = @id for update;

-- name: AlertsList :many
select * from alerts
where (sqlc.narg('person_id')::uuid is null or person_id = sqlc.narg('person_id'))
  and (sqlc.narg('status')::text is null or status = sqlc.narg('status'))
  and (sqlc.narg('tier')::int is null or tier = sqlc.narg('tier'))
  and (sqlc.narg('before')::uuid is null or id < sqlc.narg('before'))
order by id desc
limit @max_rows;

-- AlertsStanding lists those that nobody has closed: first those that nobody sees to, then
-- the most urgent, then the oldest.
-- name: AlertsStanding :many
select * from alerts
where status <> 'closed' and (sqlc.narg('person_id')::uuid is null or person_id = sqlc.narg('person_id'))
order by acknowledged_at is not null, tier desc, id
limit @max_rows;

-- name: AlertsOf :many
select * from alerts where person_id = @person_id::uuid order by id;

-- AlertSettle writes where an alert that is locked stands now.
-- name: AlertSettle :one
update alerts set status = @status, acknowledged_at = @acknowledged_at, acknowledged_by = @acknowledged_by,
    closed_at = @closed_at, closed_by = @closed_by, outcome = @outcome, due_at = null
where id = @id
returning *;

-- AlertUnrecorded takes the person's words from a closed alert of a call of which none may be kept.
-- name: AlertUnrecorded :exec
with unrecorded as (
    update alerts a set quote = '', why = '' from calls c where a.id = @id and c.id = a.call_id and c.unrecorded returning a.id
)
update alert_events e set detail = '' from unrecorded u where e.alert_id = u.id and e.kind in ('raised', 'tier_raised');

-- name: AlertStepped :exec
update alerts set step = step + 1, due_at = sqlc.narg('due_at') where id = @id;

-- AlertsDue lists alerts whose next step should have been taken.
-- name: AlertsDue :many
select id, run, step from alerts where status in ('open', 'notified') and due_at <= @before::timestamptz order by tier desc, due_at limit 100;

-- AlertsStalled lists the latest steps by which nobody could be told, of alerts whose next
-- one is not due yet.
-- name: AlertsStalled :many
select a.id as alert_id, a.run, (a.step - 1)::integer as step from alerts a
where a.status in ('open', 'notified') and a.due_at > @at::timestamptz
    and (select bool_and(n.status = 'failed') from alert_notices n where n.alert_id = a.id and n.run = a.run and n.step = a.step - 1)
order by a.tier desc, a.due_at;

-- name: AlertNotified :exec
update alerts set status = 'notified' where id = @id and status = 'open';

-- name: AlertEventInsert :exec
insert into alert_events (alert_id, at, kind, by_whom, detail) values (@alert_id, @at, @kind, @by_whom, @detail);

-- name: AlertEventsOf :many
select * from alert_events where alert_id = any(@alert_ids::uuid[]) order by alert_id, id;

-- name: AlertNoticeInsert :execrows
insert into alert_notices (id, alert_id, run, step, contact_id, name, channel, address, language, status, detail, created_at, due_at)
values (@id, @alert_id, @run, @step, @contact_id, @name, @channel, @address, @language, @status, @detail, @created_at, @due_at)
on conflict do nothing;

-- name: AlertNoticesOf :many
select * from alert_notices where alert_id = any(@alert_ids::uuid[]) order by alert_id, id;

-- AlertNoticeClaim takes a notice to send it, unless nobody needs it any more or somebody
-- else has it. One whose sender has not been heard of since a time is taken once more.
-- name: AlertNoticeClaim :one
update alert_notices n set attempts = attempts + 1, lost = lost + (claimed_at is not null)::int, claimed_at = @at::timestamptz
from alerts a
where n.id = @id and a.id = n.alert_id and n.status = 'queued' and n.run = a.run and a.status in ('open', 'notified')
    and (n.claimed_at is null or n.claimed_at <= @lapsed::timestamptz and n.lost = 0)
returning n.*;

-- AlertNoticesDue lists those that should have been sent, and those whose sender has
-- not been heard of.
-- name: AlertNoticesDue :many
select n.id from alert_notices n join alerts a on a.id = n.alert_id
where n.status = 'queued' and n.run = a.run and a.status in ('open', 'notified') and n.due_at <= @before::timestamptz
    and (n.claimed_at is null or n.claimed_at <= @lapsed::timestamptz and n.lost = 0)
    and n.id <> all(@seen::uuid[])
order by a.tier desc, n.due_at limit 200;

-- AlertNoticesLost gives up those whose senders have not been heard of, and that nobody
-- is to send again.
-- name: AlertNoticesLost :many
update alert_notices n set status = 'failed', detail = @detail, claimed_at = null
from alerts a
where a.id = n.alert_id and n.status = 'queued' and n.claimed_at <= @lapsed::timestamptz and (n.lost > 0 or n.run <> a.run or a.status not in ('open', 'notified'))
returning n.alert_id, n.run, n.step;

-- AlertNoticesDrop gives up those that nobody has sent and nobody needs any more.
-- name: AlertNoticesDrop :exec
update alert_notices set status = 'failed', detail = @detail
where alert_id = @alert_id and status = 'queued' and claimed_at is null;

-- name: AlertNoticeSent :one
update alert_notices set status = 'sent', sent_at = @at::timestamptz, provider_id = sqlc.narg('provider_id'), detail = '', claimed_at = null
where id = @id and status = 'queued'
returning alert_id;

-- name: AlertNoticeFailed :one
update alert_notices set status = 'failed', detail = @detail, claimed_at = null where id = @id and status = 'queued'
returning alert_id, run, step;

-- AlertNoticeRelease gives a claim back, so that it can be tried again.
-- name: AlertNoticeRelease :exec
update alert_notices set detail = @detail, claimed_at = null where id = @id and status = 'queued';

-- name: AlertNoticeByID :one
select * from alert_notices where id = @id;

-- AlertNoticeTold notes what a provider tells of a notice: no word of its sending follows
-- one of its arrival, and none of either undoes that it failed, or why.
-- name: AlertNoticeTold :one
update alert_notices set status = @status, detail = case when status = 'failed' or @detail = '' and status = @status then detail else @detail::text end,
    delivered_at = case when @status = 'delivered' then coalesce(delivered_at, @at::timestamptz) else delivered_at end
where provider_id = @provider_id::text and status <> 'acknowledged' and (status = 'sent' or @status <> 'sent') and (status <> 'failed' or @status = 'failed')
returning *;

-- AlertNoticeAcknowledged marks the notice that an acknowledgement answered.
-- name: AlertNoticeAcknowledged :exec
update alert_notices set status = 'acknowledged', claimed_at = null where id = @id;

-- name: AlertStepFailed :one
select coalesce(bool_and(status = 'failed'), true)::boolean as failed from alert_notices where alert_id = @alert_id and run = @run and step = @step;

-- name: AlertLinkInsert :exec
insert into alert_links (token_hash, notice_id, expires_at) values (@token_hash, @notice_id, @expires_at);

-- name: AlertLinkByToken :one
select l.*, n.alert_id, n.name, n.language, n.channel, n.address from alert_links l join alert_notices n on n.id = l.notice_id where l.token_hash = @token_hash;

-- name: AlertLinkOpened :execrows
update alert_links set opened_at = @at::timestamptz where token_hash = @token_hash and opened_at is null;

-- name: AlertLinkUsed :execrows
update alert_links set used_at = @at::timestamptz where token_hash = @token_hash and used_at is null;

-- LastKnownOK is the latest call in which the person was spoken with, without a danger or
-- an alert of it that is still open, and not fallen silent. A machine is not the person, and who phones us may be
-- anybody.
-- name: LastKnownOK :one
select c.id, c.ended_at::timestamptz as at from calls c
where c.person_id = @person_id::uuid and c.direction = 'outbound' and c.outcome = 'reached' and c.answered_by !~ '^(machine|fax)' and c.ended_cause <> 'silence'
    and (c.danger is null or c.danger_over_at is not null)
    and not exists (select from alerts a where a.call_id = c.id and a.tier > 1 and a.status <> 'closed')
order by c.ended_at desc limit 1;

-- AlertWordsForget takes the words of a time out of alerts; where there are topics, out of
-- those that speak of one. The alerts stay. It returns their calls.
-- name: AlertWordsForget :many
with spoken as (
    select a.id from alerts a
    where a.person_id = @person_id and a.created_at >= @since::timestamptz and a.created_at < @until::timestamptz
        and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, alert_text(a), @topics::text[]))
), said as (
    update alert_events e set detail = '' from spoken s where e.alert_id = s.id and e.detail <> '' returning e.alert_id
)
update alerts a set quote = '', why = '', outcome = '' from spoken s
where a.id = s.id and (a.quote || a.why || a.outcome <> '' or exists (select from said where said.alert_id = a.id))
returning a.call_id;

-- AlertRestore keeps an alert as it was elsewhere; nobody is told of it here. One that is
-- there stays as it is.
-- name: AlertRestore :execrows
insert into alerts (id, person_id, call_id, turn, tier, kind, quote, why, unsure, status, created_at, began_at, acknowledged_at, acknowledged_by, closed_at, closed_by, outcome)
values (@id, @person_id, @call_id, @turn, @tier, @kind, @quote, @why, @unsure, @status, @created_at, @began_at, @acknowledged_at, @acknowledged_by, @closed_at, @closed_by, @outcome)
on conflict do nothing;

-- name: AlertNoticeRestore :exec
insert into alert_notices (id, alert_id, run, step, name, channel, address, language, status, detail, created_at, due_at, sent_at, delivered_at)
values (@id, @alert_id, @run, @step, @name, @channel, @address, @language, @status, @detail, @created_at, @due_at, @sent_at, @delivered_at)
on conflict do nothing;

-- TroubleSee notes that something keeps nAIber from its work.
-- name: TroubleSee :one
insert into operator_troubles as t (cause, since, seen_at) values (@cause, @at::timestamptz, @at::timestamptz)
on conflict (cause) do update set seen_at = greatest(t.seen_at, excluded.seen_at)
returning *;

-- name: TroubleTold :exec
update operator_troubles set alert_id = @alert_id where cause = @cause;

-- name: TroublesEnded :many
delete from operator_troubles where seen_at < @before::timestamptz returning *;

-- TextTake notes that a text message is answered now, and what it is taken for.
-- name: TextTake :execrows
insert into texts_taken (sid, notice_id, taken_at) values (@sid, @notice_id, @at::timestamptz) on conflict do nothing;

-- name: TextTaken :one
select notice_id from texts_taken where sid = @sid;

-- name: TextsPrune :execrows
delete from texts_taken where taken_at < @before::timestamptz;
