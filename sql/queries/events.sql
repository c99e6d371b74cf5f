-- name: CallEventInsert :execrows
insert into call_events (call_id, kind, at, data, dedupe_key) values (@call_id, @kind, @at, @data, @dedupe_key)
on conflict on constraint call_events_dedupe_key do nothing;

-- name: CallEventsAfter :many
select * from call_events where call_id = @call_id and id > @after order by id limit 1000;
