-- name: RepairInsert :exec
insert into repairs (session_id, person_id) values (@session_id, @person_id) on conflict (session_id) do nothing;

-- RepairLock returns a session and keeps others from answering in it until the
-- transaction ends. Expired says that nothing was said in it for so long.
-- name: RepairLock :one
select r.*, (r.archived_at is not null or r.updated_at < now() - make_interval(secs => sqlc.arg(ttl)::float8))::bool as expired,
    coalesce(r.claimed_until > now(), false)::bool as claimed
from repairs r where r.session_id = @session_id for update;

-- RepairUnanswered returns the last message of a session where it got no reply.
-- name: RepairUnanswered :one
select m.session_id, m.seq, m.role, m.content, m.tool, m.at from repair_messages m
where m.session_id = @session_id and m.role = 'user'
    and not exists (select 1 from repair_messages l where l.session_id = m.session_id and l.seq > m.seq);

-- name: RepairClaim :exec
update repairs set claim = @claim, claimed_until = now() + make_interval(secs => sqlc.arg(lease)::float8), last_seq = @last_seq, updated_at = now()
where session_id = @session_id;

-- name: RepairMessageInsert :exec
insert into repair_messages (session_id, seq, role, content) values (@session_id, @seq, 'user', @content);

-- RepairAnswer keeps a reply and what is known then, where the claim still holds. Of a
-- person who does not consent to being remembered no word is kept, neither of the
-- message.
-- name: RepairAnswer :execrows
with held as (
    update repairs r set state = @state, updated_at = now(), claim = case when sqlc.arg(done)::bool then null else r.claim end,
        claimed_until = case when sqlc.arg(done)::bool then null else r.claimed_until end
    where r.session_id = @session_id and r.claim = @claim
    returning r.session_id, chat_may_keep(r.person_id) as may_keep
), unsaid as (
    update repair_messages m set content = '' from held where m.session_id = held.session_id and m.seq = sqlc.arg(seq)::int - 1 and not held.may_keep
)
insert into repair_messages (session_id, seq, role, content, tool)
select held.session_id, sqlc.arg(seq)::int, 'assistant', case when held.may_keep then @content::text else '' end, case when held.may_keep then sqlc.narg('tool')::jsonb end from held;

-- name: RepairRelease :exec
update repairs set claim = null, claimed_until = null where session_id = @session_id and claim = @claim;

-- name: RepairByID :one
select * from repairs where session_id = @session_id;

-- name: RepairMessages :many
select * from repair_messages where session_id = @session_id and content <> '' order by seq;

-- RepairSnapshot keeps what is known in a call, and brings no call back that is gone.
-- name: RepairSnapshot :exec
insert into repairs (session_id, person_id, call_id, state)
select c.id::text, c.person_id, c.id, @state from calls c where c.id = @call_id
on conflict (session_id) do update set state = excluded.state, updated_at = now() where repairs.call_id = excluded.call_id;

-- RepairsArchive ends sessions in which nothing was said for so long. What is known of
-- those who do not consent to being remembered served the session, and goes.
-- name: RepairsArchive :execrows
update repairs set archived_at = now(), state = case when chat_may_keep(person_id) then state else '{}' end
where archived_at is null and updated_at < now() - make_interval(secs => sqlc.arg(ttl)::float8);

-- name: RepairsOf :many
select * from repairs where person_id = @person_id order by created_at, session_id;

-- name: RepairRestore :execrows
insert into repairs (session_id, person_id, call_id, state, last_seq, created_at, updated_at, archived_at)
values (@session_id, @person_id, @call_id, @state, @last_seq, @created_at, @updated_at, @archived_at)
on conflict (session_id) do nothing;

-- name: RepairMessageRestore :exec
insert into repair_messages (session_id, seq, role, content, tool, at) values (@session_id, @seq, @role, @content, sqlc.narg('tool'), @at);

-- RepairsForget deletes a person's sessions: those of calls, those that speak of one of
-- the topics and began before a time, or, where there are no topics, those of a time.
-- name: RepairsForget :many
delete from repairs r where r.person_id = @person_id and (r.call_id = any(@calls::uuid[]) or case when cardinality(@topics::text[]) > 0
    then r.created_at < @until::timestamptz and memory_speaks_of(@config, repair_text(r.session_id), @topics::text[])
    else r.created_at < @until::timestamptz and r.updated_at >= @since::timestamptz end)
returning r.session_id, repair_mails(r.session_id)::text[] as mails;

-- MailsForget deletes a person's mails likewise, and those with the keys.
-- name: MailsForget :many
delete from mails m where m.person_id = @person_id and (m.key = any(@keys::text[]) or case when cardinality(@topics::text[]) > 0
        then m.created_at < @until::timestamptz and memory_speaks_of(@config, m.subject || E'\n' || m.body, @topics::text[])
        else m.created_at < @until::timestamptz and m.created_at >= @since::timestamptz end)
returning mail_id;

-- RepairsSweep deletes sessions and mails from before a time that belong to no person.
-- name: RepairsSweep :exec
with gone as (delete from mails where mails.person_id is null and mails.created_at < @until::timestamptz)
delete from repairs where repairs.person_id is null and repairs.created_at < @until::timestamptz;
