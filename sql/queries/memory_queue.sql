-- MemoryQueueClaim takes up to a number of rows that nobody works on.
-- name: MemoryQueueClaim :many
update memory_queue q set claimed_until = @until::timestamptz, tries = q.tries + 1
from (
    select n.kind, n.id from memory_queue n
    where n.claimed_until is null or n.claimed_until < @at::timestamptz
    order by n.claimed_until nulls first, n.added_at limit @max_rows for update skip locked
) next
where q.kind = next.kind and q.id = next.id
returning q.kind, q.id, q.rev;

-- MemoryQueueClaimThese takes certain rows, of those that nobody works on.
-- name: MemoryQueueClaimThese :many
update memory_queue q set claimed_until = @until::timestamptz, tries = q.tries + 1
from (
    select n.kind, n.id from memory_queue n
    where n.kind = 'window' and n.id = any(@ids::uuid[]) and (n.claimed_until is null or n.claimed_until < @at::timestamptz)
    for update skip locked
) next
where q.kind = next.kind and q.id = next.id
returning q.kind, q.id, q.rev;

-- MemoryQueueDone drops claimed rows that have not changed since.
-- name: MemoryQueueDone :exec
delete from memory_queue q using (select unnest(@kinds::text[]) as kind, unnest(@ids::uuid[]) as id, unnest(@revs::uuid[]) as rev) d
where q.kind = d.kind and q.id = d.id and q.rev = d.rev;

-- MemoryQueueRelease gives claimed rows back: at once, or not before a time.
-- name: MemoryQueueRelease :exec
update memory_queue q set claimed_until = sqlc.narg('not_before')::timestamptz
from (select unnest(@kinds::text[]) as kind, unnest(@ids::uuid[]) as id) d
where q.kind = d.kind and q.id = d.id;

-- name: MemoryQueueLength :one
select count(*) from memory_queue;

-- MemoryQueueAll asks for every vector to be made anew.
-- name: MemoryQueueAll :execrows
insert into memory_queue (kind, id)
select 'window', w.id from memory_windows w
union all select 'fact', f.id from memory_facts f
union all select 'entity', e.id from memory_entities e
on conflict (kind, id) do update set rev = gen_random_uuid(), tries = 0;

-- MemoryModelGet returns the model that the vectors were made with; no row: none yet.
-- name: MemoryModelGet :one
select model from memory_models;

-- name: MemoryModelSet :exec
insert into memory_models (model) values (@model) on conflict (id) do update set model = excluded.model, at = now();

-- MemoryIndexable returns what there is to embed of the given ids. What was
-- deleted is not among it.
-- name: MemoryIndexable :many
select 'window'::text as kind, w.id, w.person_id, w.session_id, w.project_id, (w.text || E'\n' || w.extra)::text as body, w.at
from memory_windows w where w.id = any(@windows::uuid[])
union all
select 'fact'::text, f.id, f.person_id, null::uuid, null::uuid, f.text, f.learned_at
from memory_facts f where f.id = any(@facts::uuid[])
union all
select 'entity'::text, e.id, e.person_id, e.session_id, e.project_id, (e.name || ' (' || e.kind || ') ' || e.notes)::text, e.last_seen
from memory_entities e where e.id = any(@entities::uuid[]);

-- name: MemoryQueueOldest :one
-- MemoryQueueOldest counts the queue and says since when its oldest row waits.
select count(*) as pending, coalesce(min(added_at), now())::timestamptz as since from memory_queue;
