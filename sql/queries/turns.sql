-- TurnInsert leaves out what was heard where the call is unrecorded. The
-- lock makes it wait for an ending that is under way, and that ending for it:
-- either the ending sees this row, or this row sees the ending.
-- name: TurnInsert :exec
with ended as (select unrecorded from calls where calls.id = @call_id for share)
insert into turns (id, call_id, conversation_id, place, attempt, kind, heard, persona, at)
values (@id, @call_id, @conversation_id, @place, @attempt, @kind,
    case when (select unrecorded from ended) then '' else @heard::text end, @persona, @at);

-- TurnFinish leaves out what was said where the call is unrecorded; the lock
-- is as in TurnInsert. The turn's line in the call's timeline, if there is one,
-- is added by the same statement: two would be one more wait for the database.
-- Its number is taken as in CallEventInsert.
-- name: TurnFinish :exec
with ended as (
    select c.id, c.unrecorded from calls c
    where c.id = (select t.call_id from turns t where t.id = @id)
    for share),
finished as (
    update turns
    set reply = case when ended.unrecorded then '' else @reply::text end,
        withheld = case when ended.unrecorded then '' else @withheld::text end,
        outcome = @outcome::text, model = @model, ttft_ms = @ttft_ms, duration_ms = @duration_ms, filler = @filler, joined = @joined
    from ended
    where turns.id = @id and turns.call_id = ended.id
    returning turns.id, turns.call_id)
insert into call_events (call_id, kind, at, data, dedupe_key)
select finished.call_id, 'turn', @at::timestamptz, sqlc.narg('event')::jsonb, 'turn:' || finished.id
from finished cross join lateral lock_call_events(finished.call_id)
where sqlc.narg('event')::jsonb is not null
on conflict on constraint call_events_dedupe_key do nothing;

-- TurnsBlank takes every word out of a call's turns. It names no word in its
-- condition, so that a turn which is being written meanwhile is met too.
-- name: TurnsBlank :exec
update turns set heard = '', reply = '', withheld = '' where call_id = @call_id;

-- name: TurnsOf :many
select * from turns where call_id = @call_id order by id;
