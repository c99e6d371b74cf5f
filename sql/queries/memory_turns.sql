-- MemoryLock makes those who change one owner's memory wait for each other.
-- name: MemoryLock :exec
select pg_advisory_xact_lock(hashtextextended('naiber memory ' || cast(sqlc.arg('owner_id')::uuid as text), 0));

-- MemoryFrame is what has to be known of a person before anything is kept or
-- recalled.
-- name: MemoryFrame :one
select p.name, p.preferred_name, p.timezone, memory_text_config(p.id)::text as config,
    exists (select 1 from consents c where c.person_id = p.id and c.scope = 'memory' and c.revoked_at is null) as consented
from people p where p.id = @person_id;

-- MemoryLimitTopics returns the topics of people's limits that hold at a time.
-- name: MemoryLimitTopics :many
select distinct topic from memory_limits
where person_id = any(@people::uuid[]) and rule = any(@rules::text[]) and (until is null or until > @at::timestamptz)
order by topic;

-- MemoryTopicsUnraisable returns the topics that may not come up with whom a scope
-- sees: in one row those that are barred, and in one each those that only cool
-- down; with the names of whom they mean (what their aliases, short notes, or their
-- relation to the person say), and whether a question speaks of them itself.
-- name: MemoryTopicsUnraisable :many
with c as materialized (
    select memory_people(sqlc.narg('person_id')::uuid, sqlc.narg('session_id')::uuid, sqlc.narg('project_id')::uuid) as people
), text_config as materialized ( -- read only where there are limits
    select memory_text_config(sqlc.narg('person_id')::uuid) as config
), limits as (
    select l.topic, bool_and(l.rule = 'cool_down') as cooling from c join memory_limits l on l.person_id = any(c.people)
    where l.until is null or l.until > @at::timestamptz group by l.topic
), asked as (
    select array_agg(l.topic order by l.topic)::text[] as topics, l.cooling from limits l
    group by l.cooling, case when l.cooling then l.topic end
), known as ( -- read only where there are limits
    select e.id, e.name, e.notes, array(select a.alias from memory_aliases a where a.entity_id = e.id) as aliases,
        exists (select 1 from memory_aliases a where a.entity_id = e.id
            and a.alias in (lower(btrim(p.name)), lower(btrim(p.preferred_name)))) as self
    from c join memory_entities e on e.person_id = any(c.people) join people p on p.id = e.person_id
), named as (
    select a.topics, a.cooling, array(
        select distinct n.called from known k cross join lateral unnest(k.aliases || k.name) as n(called)
        where not k.self and length(n.called) > 1 and (
            memory_speaks_of((select config from text_config), k.name || E'\n' || array_to_string(k.aliases, E'\n'), a.topics)
            or (array_length(string_to_array(k.notes, ' '), 1) <= 4 and memory_speaks_of((select config from text_config), k.notes, a.topics))
            or exists (select 1 from memory_relations r join known o on o.id in (r.from_id, r.to_id) and o.id <> k.id and o.self
                where k.id in (r.from_id, r.to_id) and memory_speaks_of((select config from text_config), replace(r.label, '_', ' '), a.topics)))
        order by n.called)::text[] as names
    from asked a
)
select n.topics::text[] as topics, n.cooling::bool as cooling, n.names::text[] as names,
    (n.cooling and memory_speaks_of((select config from text_config), @question::text, n.topics || n.names))::bool as asked
from named n order by n.cooling, n.topics;

-- MemoryConsentHold keeps a person's consent from being taken back until the
-- transaction ends. It returns no row where there is none.
-- name: MemoryConsentHold :many
select id from consents where person_id = @person_id and scope = 'memory' and revoked_at is null for share;

-- MemoryMatching returns which of the texts, counted from 1, speak of one of
-- the topics. A topic of stop words only is looked for as it is written.
-- name: MemoryMatching :many
select t.place::integer as place
from unnest(@texts::text[]) with ordinality as t(body, place)
where exists (
    select 1 from (select l.topic, plainto_tsquery(cast(sqlc.arg('config')::text as regconfig), l.topic) as query
        from unnest(@topics::text[]) as l(topic)) l
    where case when numnode(l.query) > 0 then l.query @@ to_tsvector(cast(sqlc.arg('config')::text as regconfig), t.body)
        else position(lower(l.topic) in lower(t.body)) > 0 end
)
order by t.place;

-- name: MemoryTurnsByID :many
select * from memory_turns where id = any(@ids::uuid[]) order by conversation, seq;

-- name: MemoryTurnsByIDLock :many
select * from memory_turns where id = any(@ids::uuid[]) order by id for update;

-- MemorySeqs returns the last place taken in each conversation.
-- name: MemorySeqs :many
select conversation, max(seq)::integer as last_seq from memory_turns
where owner_id = @owner_id and conversation = any(@conversations::text[]) group by conversation;

-- MemoryTurnsInsert keeps new turns of one owner.
-- name: MemoryTurnsInsert :exec
insert into memory_turns (id, person_id, session_id, project_id, call_id, conversation, seq, speaker, name, text, at, source, source_key)
select t.id, sqlc.narg('person_id')::uuid, sqlc.narg('session_id')::uuid, sqlc.narg('project_id')::uuid,
    t.call_id, t.conversation, t.seq, t.speaker, t.name, t.body, t.at, t.source, t.source_key
from (select unnest(@ids::uuid[]) as id, unnest(@calls::uuid[]) as call_id, unnest(@conversations::text[]) as conversation,
    unnest(@seqs::integer[]) as seq, unnest(@speakers::text[]) as speaker, unnest(@names::text[]) as name,
    unnest(@bodies::text[]) as body, unnest(@ats::timestamptz[]) as at, unnest(@sources::text[]) as source,
    unnest(@source_keys::text[]) as source_key) t;

-- MemoryTurnReplace rewrites what a turn says; its place stays.
-- name: MemoryTurnReplace :exec
update memory_turns set text = @body, name = @name, at = @at, speaker = @speaker where id = @id;

-- name: MemoryTurnsDelete :exec
delete from memory_turns where id = any(@ids::uuid[]);

-- MemoryTurnsOf lists what a scope sees, newest first, from before the given turn on.
-- name: MemoryTurnsOf :many
select * from (
    (select t.* from memory_turns t where t.person_id = sqlc.narg('person_id')::uuid
        and (t.at, t.id) < (@before_at::timestamptz, @before_id::uuid) order by t.at desc, t.id desc limit @max_rows)
    union
    (select t.* from memory_turns t where t.session_id = sqlc.narg('session_id')::uuid
        and (t.at, t.id) < (@before_at::timestamptz, @before_id::uuid) order by t.at desc, t.id desc limit @max_rows)
    union
    (select t.* from memory_turns t where t.project_id = sqlc.narg('project_id')::uuid
        and (t.at, t.id) < (@before_at::timestamptz, @before_id::uuid) order by t.at desc, t.id desc limit @max_rows)
) t order by t.at desc, t.id desc limit @max_rows;

-- MemoryTurnsAround returns the turns of a conversation between two places, the
-- two before them and the two after them, in order. A conversation whose turns
-- are not seen by the same owners is as many conversations as there are owners.
-- name: MemoryTurnsAround :many
select * from (
    (select t.* from memory_turns t where t.owner_id = @owner_id and t.conversation = @conversation and t.seq < @first_seq
        and (t.person_id, t.session_id, t.project_id) is not distinct from
            (sqlc.narg('person_id')::uuid, sqlc.narg('session_id')::uuid, sqlc.narg('project_id')::uuid) order by t.seq desc limit 2)
    union all
    (select t.* from memory_turns t where t.owner_id = @owner_id and t.conversation = @conversation and t.seq between @first_seq and @last_seq
        and (t.person_id, t.session_id, t.project_id) is not distinct from
            (sqlc.narg('person_id')::uuid, sqlc.narg('session_id')::uuid, sqlc.narg('project_id')::uuid))
    union all
    (select t.* from memory_turns t where t.owner_id = @owner_id and t.conversation = @conversation and t.seq > @last_seq
        and (t.person_id, t.session_id, t.project_id) is not distinct from
            (sqlc.narg('person_id')::uuid, sqlc.narg('session_id')::uuid, sqlc.narg('project_id')::uuid) order by t.seq limit 2)
) t order by t.seq;

-- MemorySessionElsewhere reports whether a turn of a session is seen by another
-- project. It looks at both ends of the index, however long the session is.
-- name: MemorySessionElsewhere :one
select exists (select 1 from (
    (select t.project_id from memory_turns t where t.session_id = @session_id::uuid order by t.project_id limit 1)
    union all
    (select t.project_id from memory_turns t where t.session_id = @session_id::uuid order by t.project_id desc limit 1)
) e where e.project_id is distinct from sqlc.narg('project_id')::uuid);

-- MemoryScopesOf returns whose the turns of a person or of a session are.
-- name: MemoryScopesOf :many
select distinct t.person_id, t.session_id, t.project_id from memory_turns t
where t.person_id = sqlc.narg('person_id')::uuid or t.session_id = sqlc.narg('session_id')::uuid;

-- MemorySessionMove has a session's turns, windows and entities seen by another project, or by none.
-- name: MemorySessionMove :exec
with entities as (update memory_entities e set project_id = sqlc.narg('project_id')::uuid
    where e.session_id = @session_id::uuid and e.project_id is distinct from sqlc.narg('project_id')::uuid),
moved as (update memory_turns t set project_id = sqlc.narg('project_id')::uuid
    where t.session_id = @session_id::uuid and t.project_id is distinct from sqlc.narg('project_id')::uuid)
update memory_windows w set project_id = sqlc.narg('project_id')::uuid
where w.session_id = @session_id::uuid and w.project_id is distinct from sqlc.narg('project_id')::uuid;
