-- MemoryFactsShown lists a person's facts with the turns that they come from,
-- those learned last first.
-- name: MemoryFactsShown :many
select f.id, f.text, f.kind, f.topic, f.confidence, f.valid_from, f.valid_to, f.learned_at, f.closed_at, f.closed_by, f.replaces, f.stale,
    array(select s.turn_id from memory_fact_sources s join memory_turns t on t.id = s.turn_id where s.fact_id = f.id order by t.at, t.id)::uuid[] as sources,
    array(select l.depends_on from memory_fact_links l where l.fact_id = f.id order by l.depends_on)::uuid[] as depends_on
from memory_facts f
where f.person_id = @person_id and (not @current_only::boolean or f.closed_at is null)
    and (f.learned_at, f.id) < (@before_at::timestamptz, @before_id::uuid)
order by f.learned_at desc, f.id desc limit @max_rows;

-- MemoryEntitiesShown lists a person's entities with their names, in the order of their ids.
-- name: MemoryEntitiesShown :many
select e.id, e.project_id, e.kind, e.name, e.notes, e.first_seen, e.last_seen, e.created_at, e.updated_at,
    array(select a.alias from memory_aliases a where a.entity_id = e.id order by a.alias)::text[] as aliases,
    array(select s.turn_id from memory_entity_sources s join memory_turns t on t.id = s.turn_id where s.entity_id = e.id order by t.at, t.id)::uuid[] as sources
from memory_entities e where e.person_id = @person_id::uuid and e.id > coalesce(sqlc.narg('after_id')::uuid, '00000000-0000-0000-0000-000000000000') order by e.id limit @max_rows;

-- MemoryRelationsShown lists a person's relations, those that ended as well.
-- name: MemoryRelationsShown :many
select r.id, r.from_id, r.to_id, r.label, r.fact_id, r.valid_from, r.valid_to, r.created_at
from memory_relations r join memory_entities f on f.id = r.from_id join memory_entities t on t.id = r.to_id
where f.person_id = @person_id::uuid and t.person_id = @person_id::uuid order by r.id;

-- name: MemoryPromisesShown :many
select * from memory_promises where person_id = @person_id and (@status::text = '' or status = @status::text)
order by created_at desc, id desc limit @max_rows;

-- name: MemoryPromiseDelete :execrows
delete from memory_promises where person_id = @person_id and id = @id;

-- name: MemoryLimitsShown :many
select * from memory_limits where person_id = @person_id and (until is null or until > @at::timestamptz) order by created_at, id;

-- name: MemoryLimitDelete :execrows
delete from memory_limits where person_id = @person_id and id = @id;

-- MemoryLimitReplace keeps a limit in place of those with the same topic and rule.
-- name: MemoryLimitReplace :one
with old as (
    delete from memory_limits l where l.person_id = @person_id::uuid and lower(l.topic) = lower(@topic::text) and l.rule = @rule::text
)
insert into memory_limits (id, person_id, topic, rule, until, by, how)
values (@id::uuid, @person_id::uuid, @topic::text, @rule::text, sqlc.narg('until')::timestamptz, @by::text, @how::text)
returning *;

-- MemoryLimitProlong keeps a limit in place of one by the same that ends earlier,
-- unless any on the topic holds as long already. What others set stays.
-- name: MemoryLimitProlong :exec
with old as (
    delete from memory_limits l where l.person_id = @person_id::uuid and lower(l.topic) = lower(@topic::text) and l.rule = @rule::text
        and l.by = @by::text and l.until < @until::timestamptz
)
insert into memory_limits (id, person_id, topic, rule, until, by, how)
select @id::uuid, @person_id::uuid, @topic::text, @rule::text, @until::timestamptz, @by::text, @how::text
where not exists (select 1 from memory_limits l where l.person_id = @person_id::uuid and lower(l.topic) = lower(@topic::text)
    and (l.until is null or l.until >= @until::timestamptz));

-- name: MemorySummariesShown :many
select * from memory_summaries where person_id = @person_id::uuid order by created_at, id;
