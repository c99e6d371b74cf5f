-- name: CallInsert :one
insert into calls (id, person_id, believed_id, verified, call_type, direction, phone, reason, status, status_rank, call_sid, stream_token_hash, idempotency_key, request_hash)
values (@id, @person_id, @believed_id, @verified, @call_type, @direction, @phone, @reason, @status, @status_rank, @call_sid, @stream_token_hash, @idempotency_key, @request_hash)
returning *;

-- name: CallGet :one
select * from calls where id = @id;

-- name: CallBySID :one
select * from calls where call_sid = @call_sid::text;

-- name: CallByIdempotencyKey :one
select * from calls where idempotency_key = @idempotency_key::text;

-- name: CallByConversation :one
select c.* from calls c join conversations v on v.call_id = c.id where v.id = @conversation_id;

-- CallLiveOf is the live call with a person's telephone, whoever holds it.
-- name: CallLiveOf :one
select * from calls where coalesce(person_id, believed_id) = @person_id::uuid and ended_at is null;

-- name: CallsLiveByPhone :many
select * from calls where phone = @phone and ended_at is null order by id desc;

-- name: CallsLive :many
select * from calls where ended_at is null order by created_at;

-- CallsCountSince counts the dials that count towards the daily cap: those that may have rung, but
-- for the tries of essential calls.
-- name: CallsCountSince :one
select count(*) from calls c
where c.person_id = @person_id::uuid and c.direction = 'outbound' and c.created_at >= @since and c.outcome is distinct from 'failed'
  and not (c.idempotency_key like 'occurrence:%' and exists (
      select from occurrences o where o.person_id = c.person_id and o.essential and c.idempotency_key like 'occurrence:' || o.id || ':%'));

-- CallMinutes are the minutes of calls since a time, each begun one as a whole, of a person where there
-- is one. A call that goes on may become as long as calls may.
-- name: CallMinutes :one
select coalesce(sum(case when ended_at is null then @most::integer else ceil(extract(epoch from ended_at - answered_at) / 60) end), 0)::integer
from calls
where created_at >= @since and (ended_at is null or answered_at is not null)
  and (sqlc.narg('person_id')::uuid is null or person_id = sqlc.narg('person_id'));

-- CallMinutesLock has one process at a time decide whether minutes are left.
-- name: CallMinutesLock :exec
select pg_advisory_xact_lock(hashtext('naiber.minutes'));

-- name: CallsList :many
select * from calls
where (sqlc.narg('person_id')::uuid is null or person_id = sqlc.narg('person_id'))
  and (sqlc.narg('status')::text is null or status = sqlc.narg('status'))
  and (sqlc.narg('before')::uuid is null or id < sqlc.narg('before'))
order by id desc
limit @max_rows;

-- name: CallsHealthConversations :many
select conversation_id::text from calls
where person_id = @person_id::uuid and call_type = 'health_check' and conversation_id is not null and created_at >= @since;

-- name: CallSetSID :execrows
update calls set call_sid = @call_sid::text where id = @id and (call_sid is null or call_sid = @call_sid::text);

-- CallFoldStatus moves the status forward and never back: of a call that has
-- ended only to what ends one.
-- name: CallFoldStatus :one
update calls
set status = @status, status_rank = @status_rank,
    answered_at = case when @status = 'in-progress' or (@status = 'completed' and answered_at is null) then coalesce(answered_at, @at) else answered_at end
where id = @id and status_rank < @status_rank and (ended_at is null or @status_rank >= 4)
returning *;

-- name: CallSetAnsweredBy :exec
update calls set answered_by = @answered_by where id = @id;

-- CallSetVerified records how the speaker on a call was found to be its person; empty: they were not, after all.
-- name: CallSetVerified :exec
update calls set verified = @verified where id = @id;

-- CallsRungBack counts the calls to a person since a time that were made for a reason.
-- name: CallsRungBack :one
select count(*) from calls where person_id = @person_id::uuid and direction = 'outbound' and reason = @reason and created_at >= @since::timestamptz;

-- name: CallSetFirstWord :exec
update calls set first_word_ms = @first_word_ms::integer where id = @id and first_word_ms is null;

-- name: CallMarkDanger :execrows
update calls set danger = @danger::text, danger_at = coalesce(danger_at, @at::timestamptz), danger_over_at = null where id = @id;

-- name: CallEndDanger :execrows
update calls set danger_over_at = @at::timestamptz where id = @id and danger is not null;

-- name: CallSetStreamToken :execrows
update calls set stream_token_hash = @stream_token_hash where id = @id and ended_at is null;

-- CallTakeStreamToken spends the one-use token: only the first taker gets the call.
-- name: CallTakeStreamToken :one
update calls set stream_token_hash = null
where stream_token_hash = @stream_token_hash and ended_at is null
returning *;

-- name: CallAddReconnect :one
update calls
set reconnects = reconnects + 1, stream_token_hash = @stream_token_hash
where id = @id and ended_at is null
returning *;

-- name: CallConnect :execrows
update calls set connected_notice = @notice::uuid, connected_at = @at::timestamptz, connected_over_at = null
where id = @id and ended_at is null and (connected_at is null or connected_over_at is not null or connected_notice = @notice or connected_at < @before::timestamptz);

-- name: CallComeBack :one
update calls set stream_token_hash = @stream_token_hash, connected_over_at = coalesce(connected_over_at, @at::timestamptz)
where id = @id and ended_at is null and connected_at is not null
returning *;

-- name: CallDisconnect :exec
update calls set connected_over_at = @at::timestamptz where connected_notice = @notice::uuid and connected_over_at is null;

-- name: CallSetConversation :exec
update calls set conversation_id = @conversation_id::text where id = @id and conversation_id is null;

-- CallFinish ends a call once; a second ending finds no row. Twilio's last word
-- may never reach us, so the status ends here too; its rank stays, for that word
-- still counts when it comes.
-- name: CallFinish :one
update calls
set status = case
        when status_rank >= 4 then status
        when answered_at is not null then 'completed'
        when call_sid is null then 'failed'
        else 'canceled'
    end,
    verified = coalesce(sqlc.narg('verified')::text, verified),
    -- With somebody who did not show to be the person, nobody has spoken with the person.
    outcome = case
        when @outcome::text = 'reached' and direction = 'outbound' and coalesce(sqlc.narg('verified')::text, verified) = '' then 'someone_else'
        else @outcome::text
    end,
    ended_at = now(), ended_cause = @ended_cause::text, ended_by = @ended_by::text, stream_token_hash = null
where id = @id and ended_at is null
returning *;

-- CallSetUnrecorded marks a call as one of which no word is kept, unless its
-- person allows that now. Nobody has allowed it for a caller who is not known.
-- name: CallSetUnrecorded :execrows
update calls set unrecorded = true
where calls.id = @id and not coalesce(keeps_words(calls.person_id), false);

-- CallsStopRecording marks a person's live calls where their words may not be kept: none is any more.
-- name: CallsStopRecording :exec
update calls set unrecorded = true where person_id = @person_id::uuid and ended_at is null and not keeps_words(@person_id::uuid);

-- name: ConversationInsert :exec
insert into conversations (id, call_id, seq)
select @id, @call_id, coalesce(max(seq), 0) + 1 from conversations where call_id = @call_id
on conflict (id) do nothing;

-- name: ConversationsOf :many
select * from conversations where call_id = @call_id order by seq;

-- CallInsertPast records a call that took place elsewhere or long ago.
-- name: CallInsertPast :one
insert into calls (id, person_id, verified, call_type, direction, phone, status, status_rank, outcome, ended_cause, ended_by, created_at, answered_at, ended_at)
values (@id, @person_id, 'presumed', @call_type, 'outbound', @phone, 'completed', 4, 'reached', 'goodbye', 'person', @at::timestamptz, @at::timestamptz, @at::timestamptz)
returning *;
