-- AlertNoticeTo is the notice that went to a number and that its reply is taken for: of an
-- alert that nobody has acknowledged before others, of one that was not declined from
-- there before those that were, of the highest tier, the latest. Of several of one alert it
-- is the text message, which can be replied to.
-- name: AlertNoticeTo :one
select n.* from alert_notices n join alerts a on a.id = n.alert_id
where n.address = @phone and n.channel in ('sms', 'call') and n.sent_at >= @since::timestamptz
order by a.status in ('open', 'notified') desc,
    a.status in ('open', 'notified') and exists (
        select from alert_notices d where d.alert_id = n.alert_id and d.run = a.run and d.address = n.address and d.status = 'failed' and d.detail = @declined::text
    ),
    case when a.status in ('open', 'notified') then a.tier end desc nulls last,
    max(n.sent_at) over (partition by n.alert_id) desc, n.channel = 'sms' desc, n.sent_at desc
limit 1;

-- AlertNoticeDecline gives up what one person was told in a step of a ladder, by some channels.
-- name: AlertNoticeDecline :many
update alert_notices n set status = 'failed', detail = @detail, claimed_at = null
from alert_notices d
where d.id = @id and n.alert_id = d.alert_id and n.run = d.run and n.step = d.step and n.name = d.name
    and n.contact_id is not distinct from d.contact_id and n.channel = any(@channels::text[]) and n.status in ('queued', 'sent', 'delivered')
returning n.alert_id, n.run, n.step;

-- TextStop keeps that a number which we know of as a contact's wants no text messages.
-- name: TextStop :execrows
insert into text_stops (phone, stopped_at)
select @phone::text, @at::timestamptz
where exists (select from contacts c where c.phone = @phone) or exists (select from alert_notices n where n.address = @phone and n.channel in ('sms', 'call'))
on conflict (phone) do update set stopped_at = text_stops.stopped_at;

-- name: TextStart :execrows
delete from text_stops where phone = @phone;

-- name: TextStopped :one
select exists (select from text_stops where phone = @phone);

-- AlertLinksRenew has the links of an alert acknowledge it again, and no link close it that
-- has not.
-- name: AlertLinksRenew :exec
update alert_links l set used_at = null from alert_notices n where n.id = l.notice_id and n.alert_id = @alert_id;

-- AlertLinksUsed marks the links of all notices to whom one went as used by them, so that
-- these show what it is about, and close the alert.
-- name: AlertLinksUsed :exec
update alert_links l set used_at = @at::timestamptz
from alert_notices n, alert_notices d
where d.id = @notice_id and n.alert_id = d.alert_id and n.name = d.name and n.contact_id is not distinct from d.contact_id
    and l.notice_id = n.id and l.used_at is null;
