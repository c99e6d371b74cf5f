-- LearnedSteps returns what is done of learning from a call.
-- name: LearnedSteps :many
select step from memory_learned where call_id = @call_id;

-- LearnedMark notes that a step is done. It changes no row where it was before.
-- name: LearnedMark :execrows
insert into memory_learned (call_id, step) values (@call_id, @step) on conflict do nothing;

-- MemoryConversation returns what is kept of one conversation of a person, in order.
-- name: MemoryConversation :many
select * from memory_turns where person_id = @person_id::uuid and conversation = @conversation order by seq;

-- name: MemoryFactInsert :execrows
insert into memory_facts (id, person_id, text, kind, topic, confidence, valid_from, valid_to, learned_at, closed_at, closed_by, replaces, stale)
values (@id, @person_id, @text, @kind, @topic, @confidence, @valid_from, @valid_to, @learned_at, @closed_at, @closed_by, @replaces, @stale)
on conflict (id) do nothing;

-- name: MemoryFactSourcesInsert :exec
insert into memory_fact_sources (fact_id, turn_id)
select @fact_id::uuid, t.id from memory_turns t where t.id = any(@turns::uuid[]) and t.person_id = @person_id::uuid on conflict do nothing;

-- name: MemoryFactLinksInsert :exec
insert into memory_fact_links (fact_id, depends_on)
select @fact_id::uuid, f.id from memory_facts f where f.id = any(@depends_on::uuid[]) and f.person_id = @person_id and f.id <> @fact_id::uuid
on conflict do nothing;

-- MemoryFactClose ends an open fact; its history stays.
-- name: MemoryFactClose :execrows
update memory_facts set closed_at = @closed_at::timestamptz, closed_by = @closed_by::uuid,
    valid_to = case when valid_to is null then greatest(@valid_to::timestamptz, valid_from) else valid_to end
where id = @id and person_id = @person_id and closed_at is null;

-- MemoryFactsStale marks what depends on a fact, and what depends on that.
-- name: MemoryFactsStale :execrows
with recursive upon as (
    select l.fact_id from memory_fact_links l where l.depends_on = @id
    union
    select l.fact_id from memory_fact_links l join upon u on l.depends_on = u.fact_id
)
update memory_facts f set stale = true from upon u
where f.id = u.fact_id and f.person_id = @person_id and f.closed_at is null and not f.stale and f.id <> @id;

-- MemoryFactConfirm has a fact hold again that was said again at a time: nothing
-- that ended before makes it doubtful, and when it was over is forgotten. A plan
-- whose day has passed stays over, unless another day was said.
-- name: MemoryFactConfirm :exec
with recursive under as (
    select l.depends_on from memory_fact_links l where l.fact_id = @id
    union
    select l.depends_on from memory_fact_links l join under u on l.fact_id = u.depends_on
)
update memory_facts f set
    stale = f.stale and exists (select 1 from under u join memory_facts d on d.id = u.depends_on where d.closed_at >= @at::timestamptz),
    valid_to = case when f.valid_to <= @at::timestamptz and (f.kind <> 'plan' or sqlc.narg('valid_to')::timestamptz is not null)
        then sqlc.narg('valid_to')::timestamptz else f.valid_to end
where f.id = @id and f.person_id = @person_id and f.closed_at is null;

-- MemoryRelationsEnd ends the relations that a fact stood for.
-- name: MemoryRelationsEnd :exec
update memory_relations set valid_to = @valid_to::timestamptz where fact_id = @fact_id::uuid and valid_to is null;

-- MemoryFactsLike returns a person's open facts that share words with a text,
-- those that share most first.
-- name: MemoryFactsLike :many
select f.id from memory_facts f,
    (select string_agg('''' || replace(replace(l, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery as query
     from unnest(tsvector_to_array(to_tsvector(cast(sqlc.arg('config')::text as regconfig), @body::text))) l) q
where f.person_id = @person_id and f.closed_at is null
    and to_tsvector(cast(sqlc.arg('config')::text as regconfig), f.text) @@ q.query
order by ts_rank(to_tsvector(cast(sqlc.arg('config')::text as regconfig), f.text), q.query) desc, f.learned_at desc, f.id
limit @max_rows;

-- name: MemoryFactsByID :many
select * from memory_facts where person_id = @person_id and id = any(@ids::uuid[]) order by learned_at, id;

-- name: MemoryFactsByIDLock :many
select * from memory_facts where person_id = @person_id and id = any(@ids::uuid[]) order by id for update;

-- MemoryFactsKnown returns a person's newest facts that still hold and speak of
-- none of the topics.
-- name: MemoryFactsKnown :many
select * from memory_facts where person_id = @person_id and closed_at is null and (valid_to is null or valid_to > @at::timestamptz)
    and not memory_speaks_of(@config, text || E'\n' || topic, @topics::text[])
order by stale, learned_at desc, id desc limit @max_rows;

-- MemoryFactsFrom returns the open facts that were learned from any of the turns.
-- name: MemoryFactsFrom :many
select f.* from memory_facts f
where f.person_id = @person_id and f.closed_at is null
    and exists (select 1 from memory_fact_sources s where s.fact_id = f.id and s.turn_id = any(@turns::uuid[]))
order by f.learned_at, f.id;

-- MemoryEntitiesKnown returns a person's entities, or a session's, those met last first.
-- name: MemoryEntitiesKnown :many
select e.id, e.kind, e.name, e.notes, e.first_seen, e.last_seen,
    array(select a.alias from memory_aliases a where a.entity_id = e.id order by a.alias)::text[] as aliases
from memory_entities e where e.person_id = sqlc.narg('person_id')::uuid or e.session_id = sqlc.narg('session_id')::uuid
order by e.last_seen desc, e.id limit @max_rows;

-- MemoryEntityUpsert keeps an entity of a person, or of a session and whatever
-- project sees that, or what is new about it.
-- name: MemoryEntityUpsert :exec
insert into memory_entities (id, person_id, session_id, project_id, kind, name, notes, first_seen, last_seen)
values (@id, sqlc.narg('person_id')::uuid, sqlc.narg('session_id')::uuid,
    (select t.project_id from memory_turns t where t.session_id = sqlc.narg('session_id')::uuid limit 1), @kind, @name, @notes, @at, @at)
on conflict (id) do update set name = excluded.name, notes = excluded.notes, updated_at = now(),
    first_seen = least(memory_entities.first_seen, excluded.first_seen), last_seen = greatest(memory_entities.last_seen, excluded.last_seen);

-- name: MemoryAliasesInsert :exec
insert into memory_aliases (entity_id, alias) select @entity_id::uuid, unnest(@aliases::text[]) on conflict do nothing;

-- name: MemoryEntitySourcesInsert :exec
insert into memory_entity_sources (entity_id, turn_id)
select @entity_id::uuid, t.id from memory_turns t where t.id = any(@turns::uuid[])
    and (t.person_id = sqlc.narg('person_id')::uuid or t.session_id = sqlc.narg('session_id')::uuid) on conflict do nothing;

-- MemoryRelationInsert keeps a relation; one that holds already is not kept twice.
-- name: MemoryRelationInsert :exec
insert into memory_relations (id, from_id, to_id, label, fact_id, valid_from)
select @id::uuid, @from_id::uuid, @to_id::uuid, @label::text, sqlc.narg('fact_id')::uuid, @valid_from::timestamptz
where not exists (select 1 from memory_relations r
    where r.from_id = @from_id::uuid and r.to_id = @to_id::uuid and r.label = @label::text and r.valid_to is null)
on conflict do nothing;

-- MemoryRelationGround gives a relation that holds the fact that it stands on.
-- name: MemoryRelationGround :exec
update memory_relations r set fact_id = @fact_id::uuid
where r.from_id = @from_id and r.to_id = @to_id and r.label = @label and r.valid_to is null and r.fact_id is null
    and not exists (select 1 from memory_relations o where o.from_id = r.from_id and o.to_id = r.to_id and o.label = r.label and o.fact_id = @fact_id::uuid);

-- MemoryRelationsGroundless returns a person's relations that hold and stand on no fact.
-- name: MemoryRelationsGroundless :many
select r.id, r.label, r.valid_from, f.name as from_name, t.name as to_name
from memory_relations r join memory_entities f on f.id = r.from_id join memory_entities t on t.id = r.to_id
where r.valid_to is null and r.fact_id is null and f.person_id = @person_id::uuid and t.person_id = @person_id::uuid
order by r.id limit @max_rows;

-- name: MemoryRelationEnd :exec
update memory_relations set valid_to = @valid_to::timestamptz where id = @id and valid_to is null;

-- MemoryNeighbours returns the relations that hold between the given entities and
-- others, either way, with both ends. It never leaves the scope.
-- name: MemoryNeighbours :many
select r.id, r.label, r.fact_id, f.id as from_id, f.kind as from_kind, f.name as from_name, f.notes as from_notes,
    t.id as to_id, t.kind as to_kind, t.name as to_name, t.notes as to_notes
from memory_relations r
join memory_entities f on f.id = r.from_id
join memory_entities t on t.id = r.to_id
where r.valid_to is null and (r.from_id = any(@ids::uuid[]) or r.to_id = any(@ids::uuid[]))
    and (f.person_id = sqlc.narg('person_id')::uuid or f.session_id = sqlc.narg('session_id')::uuid or f.project_id = sqlc.narg('project_id')::uuid)
    and (t.person_id = sqlc.narg('person_id')::uuid or t.session_id = sqlc.narg('session_id')::uuid or t.project_id = sqlc.narg('project_id')::uuid)
order by r.created_at desc, r.id limit @max_rows;

-- MemoryEntitiesByID returns those of the entities that a scope sees.
-- name: MemoryEntitiesByID :many
select id, kind, name, notes from memory_entities
where id = any(@ids::uuid[])
    and (person_id = sqlc.narg('person_id')::uuid or session_id = sqlc.narg('session_id')::uuid or project_id = sqlc.narg('project_id')::uuid)
order by last_seen desc, id;

-- MemoryEntitiesNamed returns the entities of a scope one of whose aliases is in a text.
-- name: MemoryEntitiesNamed :many
select e.id from memory_entities e
where (e.person_id = sqlc.narg('person_id')::uuid or e.session_id = sqlc.narg('session_id')::uuid or e.project_id = sqlc.narg('project_id')::uuid)
    and exists (select 1 from memory_aliases a where a.entity_id = e.id
        and position(' ' || a.alias || ' ' in ' ' || @body::text || ' ') > 0)
order by e.last_seen desc, e.id limit @max_rows;

-- name: MemoryPersonSummary :one
select * from memory_summaries where person_id = @person_id::uuid order by created_at desc, id desc limit 1;

-- MemoryFactsEnded reports whether a person's facts that were learned until a time
-- have ended since.
-- name: MemoryFactsEnded :one
select exists (select 1 from memory_facts where person_id = @person_id and learned_at <= @at::timestamptz and closed_at > @at::timestamptz);

-- name: MemorySummaryInsert :exec
insert into memory_summaries (id, person_id, text, from_turn, to_turn, from_at, to_at, turns, tokens, model)
values (@id, @person_id::uuid, @text, @from_turn, @to_turn, @from_at, @to_at, @turns, @tokens, @model);

-- MemoryTurnsSince returns a person's turns after a moment and id, the newest ones, oldest first.
-- name: MemoryTurnsSince :many
select * from (
    select t.* from memory_turns t where t.person_id = @person_id::uuid and (t.at, t.id) > (@after_at::timestamptz, coalesce(sqlc.narg('after_id')::uuid, '00000000-0000-0000-0000-000000000000'))
    order by t.at desc, t.id desc limit @max_rows
) t order by t.at, t.id;

-- name: MemoryPromiseInsert :exec
insert into memory_promises (id, person_id, text, kind, due_on, due_at, recurrence, call_id, turn_id)
values (@id, @person_id, @text, @kind, @due_on, @due_at, @recurrence, sqlc.narg('call_id')::uuid, sqlc.narg('turn_id')::uuid)
on conflict (id) do nothing;

-- name: MemoryPromisesOpen :many
select * from memory_promises where person_id = @person_id and status = 'open' order by due_on nulls last, due_at nulls last, created_at, id;

-- MemoryPromisesUse notes that a call's opening has promises.
-- name: MemoryPromisesUse :execrows
update memory_promises set used_call = @call_id::uuid, used_at = @at::timestamptz, updated_at = now(),
    status = case when recurrence = '' then 'used' else status end
where person_id = @person_id and id = any(@ids::uuid[]) and status = 'open';

-- name: MemoryPromisesUsedBy :many
select * from memory_promises where used_call = @call_id::uuid and status in ('open', 'used') order by id;

-- name: MemoryPromiseKept :exec
update memory_promises set status = 'kept', updated_at = now() where id = @id and status = 'used';

-- MemoryPromiseReopen has a promise wait for the next call: this one did not come to it.
-- name: MemoryPromiseReopen :exec
update memory_promises set status = 'open', used_call = null, used_at = null, updated_at = now() where id = @id and status in ('open', 'used');

-- MemoryLimitInsert keeps a limit; one that holds already is not kept twice.
-- name: MemoryLimitInsert :execrows
insert into memory_limits (id, person_id, topic, rule, until, by, how)
select @id::uuid, @person_id::uuid, @topic::text, @rule::text, sqlc.narg('until')::timestamptz, @by::text, @how::text
where not exists (select 1 from memory_limits l where l.person_id = @person_id::uuid and l.topic = @topic::text and l.rule = @rule::text
    and (l.until is null or l.until >= coalesce(sqlc.narg('until')::timestamptz, 'infinity'::timestamptz)))
on conflict (id) do nothing;

-- MemoryLimitLift takes limits on a topic back that forbid to raise it.
-- name: MemoryLimitLift :execrows
delete from memory_limits where person_id = @person_id and topic = @topic and rule in ('never_raise', 'cool_down');

-- name: MemoryLimitsDrop :exec
delete from memory_limits where person_id = @person_id and id = any(@ids::uuid[]);
