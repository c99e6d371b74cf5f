-- MemoryTurnsIn returns a person's turns of a time; where there are topics, those
-- that speak of one, and the answers to those that ask about it.
-- name: MemoryTurnsIn :many
with met as materialized (
    select t.id, t.owner_id, t.conversation, t.seq, t.speaker from memory_turns t
    where t.person_id = @person_id::uuid and t.at >= @since::timestamptz and t.at < @until::timestamptz
        and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, t.text, @topics::text[]))
)
select id from met
union
select n.id from met cross join lateral (
    select b.id, b.speaker, b.at from memory_turns b
    where b.owner_id = met.owner_id and b.conversation = met.conversation and b.seq > met.seq order by b.seq limit 1
) n where cardinality(@topics::text[]) > 0 and met.speaker = 'assistant' and n.speaker = 'user' and n.at < @until::timestamptz;

-- MemoryTopicNames returns what else those are called whom a topic names: what
-- their aliases, short notes, or their relation to the person say.
-- name: MemoryTopicNames :many
with known as (
    select e.id, e.name, e.notes, array(select a.alias from memory_aliases a where a.entity_id = e.id) as aliases,
        exists (select 1 from memory_aliases a where a.entity_id = e.id
            and a.alias in (lower(btrim(p.name)), lower(btrim(p.preferred_name)))) as self
    from memory_entities e join people p on p.id = e.person_id where e.person_id = any(@people::uuid[])
)
select distinct n.called::text as called from known k cross join lateral unnest(k.aliases || k.name) as n(called)
where not k.self and length(n.called) > 1 and (
    memory_speaks_of(@config, k.name || E'\n' || array_to_string(k.aliases, E'\n'), @topics::text[])
    or (array_length(string_to_array(k.notes, ' '), 1) <= 4 and memory_speaks_of(@config, k.notes, @topics::text[]))
    or exists (select 1 from memory_relations r join known o on o.id in (r.from_id, r.to_id) and o.id <> k.id and o.self
        where k.id in (r.from_id, r.to_id) and memory_speaks_of(@config, replace(r.label, '_', ' '), @topics::text[])))
order by called;

-- name: MemoryFactSourcesOf :many
select distinct turn_id from memory_fact_sources where fact_id = any(@facts::uuid[]);

-- MemoryFactsIn returns a person's facts that were learned in a time; where there
-- are topics, those that speak of one.
-- name: MemoryFactsIn :many
select id from memory_facts where person_id = @person_id and learned_at >= @since::timestamptz and learned_at < @until::timestamptz
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, text || E'\n' || topic, @topics::text[]));

-- MemoryFactsLosing returns the facts that do not stand without the turns: no
-- other one of the person says it, or a word of it stems from these only.
-- name: MemoryFactsLosing :many
select f.id from memory_facts f
join (
    select s.fact_id,
        coalesce(string_agg(t.text, ' ') filter (where t.id = any(@turns::uuid[])), '') as gone,
        coalesce(string_agg(t.text, ' ') filter (where not t.id = any(@turns::uuid[])), '') as remains,
        coalesce(bool_or(t.speaker = 'user' and not t.id = any(@turns::uuid[])), false) as own
    from memory_fact_sources s join memory_turns t on t.id = s.turn_id
    where s.fact_id in (select g.fact_id from memory_fact_sources g where g.turn_id = any(@turns::uuid[]))
    group by s.fact_id
) s on s.fact_id = f.id
where not s.own or memory_lost(@config, f.text, s.gone, s.remains);

-- MemoryFactsForget deletes facts and marks what depends on them as stale.
-- name: MemoryFactsForget :execrows
with recursive upon as (
    select l.fact_id from memory_fact_links l where l.depends_on = any(@facts::uuid[])
    union
    select l.fact_id from memory_fact_links l join upon u on l.depends_on = u.fact_id
), doubt as (
    update memory_facts f set stale = true from upon u
    where f.id = u.fact_id and not f.id = any(@facts::uuid[]) and f.closed_at is null and not f.stale
)
delete from memory_facts where id = any(@facts::uuid[]);

-- MemoryRelationsForget deletes relations that stand on no fact and were heard in
-- the turns: then, or between two who were both met in them.
-- name: MemoryRelationsForget :execrows
delete from memory_relations r using memory_entities f, memory_entities t
where f.id = r.from_id and t.id = r.to_id and r.fact_id is null
    and exists (select 1 from memory_entity_sources s where s.entity_id in (f.id, t.id) and s.turn_id = any(@turns::uuid[]))
    and (r.valid_from in (select m.at from memory_turns m where m.id = any(@turns::uuid[]))
        or ((not exists (select 1 from memory_entity_sources s where s.entity_id = f.id)
                or exists (select 1 from memory_entity_sources s where s.entity_id = f.id and s.turn_id = any(@turns::uuid[])))
            and (not exists (select 1 from memory_entity_sources s where s.entity_id = t.id)
                or exists (select 1 from memory_entity_sources s where s.entity_id = t.id and s.turn_id = any(@turns::uuid[])))));

-- MemoryEntitiesForget deletes the entities that were met only in the turns, or
-- have their name from them only.
-- name: MemoryEntitiesForget :execrows
delete from memory_entities e using (
    select s.entity_id,
        coalesce(string_agg(t.text, ' ') filter (where t.id = any(@turns::uuid[])), '') as gone,
        coalesce(string_agg(t.text, ' ') filter (where not t.id = any(@turns::uuid[])), '') as remains,
        bool_and(t.id = any(@turns::uuid[])) as only_there
    from memory_entity_sources s join memory_turns t on t.id = s.turn_id
    where s.entity_id in (select g.entity_id from memory_entity_sources g where g.turn_id = any(@turns::uuid[]))
    group by s.entity_id
) s
where s.entity_id = e.id and (s.only_there or memory_lost('simple', e.name, s.gone, s.remains));

-- MemoryNotesForget takes away the notes of entities that have a word from the
-- turns only.
-- name: MemoryNotesForget :execrows
update memory_entities e set notes = '', updated_at = now() from (
    select s.entity_id,
        coalesce(string_agg(t.text, ' ') filter (where t.id = any(@turns::uuid[])), '') as gone,
        coalesce(string_agg(t.text, ' ') filter (where not t.id = any(@turns::uuid[])), '') as remains
    from memory_entity_sources s join memory_turns t on t.id = s.turn_id
    where s.entity_id in (select g.entity_id from memory_entity_sources g where g.turn_id = any(@turns::uuid[]))
    group by s.entity_id
) s
where s.entity_id = e.id and e.notes <> '' and memory_lost(@config, e.notes, s.gone, s.remains);

-- name: MemoryAliasesForget :execrows
delete from memory_aliases a using (
    select s.entity_id,
        coalesce(string_agg(t.text, ' ') filter (where t.id = any(@turns::uuid[])), '') as gone,
        coalesce(string_agg(t.text, ' ') filter (where not t.id = any(@turns::uuid[])), '') as remains
    from memory_entity_sources s join memory_turns t on t.id = s.turn_id
    where s.entity_id in (select g.entity_id from memory_entity_sources g where g.turn_id = any(@turns::uuid[]))
    group by s.entity_id
) s
where s.entity_id = a.entity_id and memory_lost('simple', a.alias, s.gone, s.remains);

-- MemoryEntitiesNamedForget deletes a person's entities that a topic names.
-- name: MemoryEntitiesNamedForget :execrows
delete from memory_entities e where e.person_id = @person_id::uuid and e.first_seen < @until::timestamptz
    and memory_speaks_of(@config, e.name || E'\n' || array_to_string(array(select a.alias from memory_aliases a where a.entity_id = e.id), E'\n'), @topics::text[]);

-- name: MemoryNotesAboutForget :execrows
update memory_entities set notes = '', updated_at = now()
where person_id = @person_id::uuid and notes <> '' and memory_speaks_of(@config, notes, @topics::text[]);

-- name: MemoryRelationsAboutForget :execrows
delete from memory_relations r using memory_entities e
where e.id = r.from_id and e.person_id = @person_id::uuid and memory_speaks_of(@config, replace(r.label, '_', ' '), @topics::text[]);

-- name: MemoryEntitiesForgetAll :execrows
delete from memory_entities where person_id = @person_id::uuid;

-- MemoryPromisesForget deletes promises that were made in the turns, or have a
-- word from what was forgotten of their call only.
-- name: MemoryPromisesForget :execrows
delete from memory_promises p where p.turn_id = any(@turns::uuid[])
    or (p.turn_id is null and exists (
        select 1 from memory_turns t where t.id = any(@turns::uuid[]) and t.call_id = p.call_id)
        and memory_lost(@config, p.text,
            (select string_agg(t.text, ' ') from memory_turns t where t.call_id = p.call_id and t.id = any(@turns::uuid[])),
            coalesce((select string_agg(t.text, ' ') from memory_turns t where t.call_id = p.call_id and not t.id = any(@turns::uuid[])), '')));

-- MemoryPromisesAboutForget deletes a person's promises about a topic.
-- name: MemoryPromisesAboutForget :execrows
delete from memory_promises where person_id = @person_id and created_at < @until::timestamptz and memory_speaks_of(@config, text, @topics::text[]);

-- MemoryPromisesBetweenForget deletes a person's promises that were made in a
-- time: in the calls of it, or outside of any.
-- name: MemoryPromisesBetweenForget :execrows
delete from memory_promises p where p.person_id = @person_id and p.turn_id is null
    and coalesce((select c.created_at from calls c where c.id = p.call_id), p.created_at) >= @since::timestamptz
    and coalesce((select c.created_at from calls c where c.id = p.call_id), p.created_at) < @until::timestamptz;

-- MemorySummariesForget drops the summaries of owners that reach a moment or
-- beyond: the later ones go on from the earlier.
-- name: MemorySummariesForget :execrows
delete from memory_summaries where to_at >= @since::timestamptz
    and (person_id = any(@owners::uuid[]) or session_id = any(@owners::uuid[]) or project_id = any(@owners::uuid[]));

-- name: MemorySummariesAboutForget :execrows
delete from memory_summaries where person_id = @person_id::uuid and memory_speaks_of(@config, text, @topics::text[]);

-- name: MemoryTombstonesInsert :exec
insert into memory_tombstones (turn_id, person_id) select unnest(@turns::uuid[]), @person_id::uuid on conflict do nothing;

-- MemoryTombstonesOf returns which of the turns were forgotten.
-- name: MemoryTombstonesOf :many
select turn_id from memory_tombstones where turn_id = any(@turns::uuid[]);

-- PersonTouch has every copy of a person's record, in whatever process, read anew,
-- and tells those who follow.
-- name: PersonTouch :exec
with touched as (update people set updated_at = now() where id = @id returning id)
select pg_notify('people_touched', id::text) from touched;

-- PersonForget notes until when something that a person said was forgotten.
-- Whoever is about to write what waited elsewhere has written it, or sees this.
-- name: PersonForget :exec
update people set forgotten_until = greatest(forgotten_until, @until::timestamptz) where id = @id;

-- PersonForgottenUntil is that moment. It stays as it is until the transaction ends.
-- name: PersonForgottenUntil :one
select forgotten_until from people where id = @id for share;
