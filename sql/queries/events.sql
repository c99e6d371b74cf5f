-- CallEventInsert takes the call's event lock before its number, so that the
-- numbers of one call's events become visible in their order: who reads on from
-- the last number that they saw misses none.
-- name: CallEventInsert :execrows
insert into call_events (call_id, kind, at, data, dedupe_key)
select @call_id, @kind, @at, @data, sqlc.narg('dedupe_key')
from lock_call_events(@call_id)
on conflict on constraint call_events_dedupe_key do nothing;

-- name: CallEventsAfter :many
select * from call_events where call_id = @call_id and id > @after order by id limit 1000;

-- name: CallEventFirst :one
select data from call_events where call_id = @call_id and kind = @kind order by id limit 1;
