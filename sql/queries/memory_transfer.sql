-- MemoryTurnsInOrder lists a person's turns in the order of time, from after the given one on.
-- name: MemoryTurnsInOrder :many
select * from memory_turns where person_id = @person_id::uuid and (at, id) > (@after_at::timestamptz, coalesce(sqlc.narg('after_id')::uuid, '00000000-0000-0000-0000-000000000000'))
order by at, id limit @max_rows;

-- MemoryCallsKnown returns those of the calls that are the person's.
-- name: MemoryCallsKnown :many
select id from calls where person_id = @person_id::uuid and id = any(@ids::uuid[]);

-- MemorySessionsKnown returns those of the sessions that are the person's, with their projects.
-- name: MemorySessionsKnown :many
select id, project_id from chat_sessions where person_id = @person_id::uuid and id = any(@ids::uuid[]);

-- MemoryFactRestore keeps a fact as it was elsewhere; one of somebody else stays
-- as it is, and no row changes.
-- name: MemoryFactRestore :execrows
insert into memory_facts as f (id, person_id, text, kind, topic, confidence, valid_from, valid_to, learned_at, closed_at, stale)
values (@id, @person_id, @text, @kind, @topic, @confidence, @valid_from, @valid_to, @learned_at, @closed_at, @stale)
on conflict (id) do update set text = excluded.text, kind = excluded.kind, topic = excluded.topic, confidence = excluded.confidence,
    valid_from = excluded.valid_from, valid_to = excluded.valid_to, learned_at = excluded.learned_at, closed_at = excluded.closed_at, stale = excluded.stale
where f.person_id = excluded.person_id;

-- MemoryFactRefer notes which of a person's facts ended another, and which it replaces.
-- name: MemoryFactRefer :exec
update memory_facts f set
    closed_by = (select o.id from memory_facts o where o.id = sqlc.narg('closed_by')::uuid and o.person_id = f.person_id),
    replaces = (select o.id from memory_facts o where o.id = sqlc.narg('replaces')::uuid and o.person_id = f.person_id)
where f.id = @id and f.person_id = @person_id;

-- name: MemoryEntityRestore :execrows
insert into memory_entities as e (id, person_id, kind, name, notes, first_seen, last_seen, created_at, updated_at)
values (@id, @person_id::uuid, @kind, @name, @notes, @first_seen, @last_seen, @created_at, @updated_at)
on conflict (id) do update set kind = excluded.kind, name = excluded.name, notes = excluded.notes, first_seen = excluded.first_seen,
    last_seen = excluded.last_seen, created_at = excluded.created_at, updated_at = excluded.updated_at
where e.person_id = excluded.person_id;

-- MemoryRelationRestore keeps a relation between two of a person's entities.
-- name: MemoryRelationRestore :execrows
insert into memory_relations as r (id, from_id, to_id, label, fact_id, valid_from, valid_to, created_at)
select @id::uuid, f.id, t.id, @label::text, (select a.id from memory_facts a where a.id = sqlc.narg('fact_id')::uuid and a.person_id = @person_id::uuid),
    sqlc.narg('valid_from')::timestamptz, sqlc.narg('valid_to')::timestamptz, @created_at::timestamptz
from memory_entities f, memory_entities t
where f.id = @from_id::uuid and t.id = @to_id::uuid and f.person_id = @person_id::uuid and t.person_id = @person_id::uuid
on conflict (id) do update set label = excluded.label, fact_id = excluded.fact_id, valid_from = excluded.valid_from,
    valid_to = excluded.valid_to, created_at = excluded.created_at
where r.from_id = excluded.from_id and r.to_id = excluded.to_id;

-- name: MemorySummaryRestore :execrows
insert into memory_summaries as m (id, person_id, text, from_turn, to_turn, from_at, to_at, turns, tokens, model, created_at)
values (@id, @person_id::uuid, @text,
    (select t.id from memory_turns t where t.id = sqlc.narg('from_turn')::uuid and t.person_id = @person_id::uuid),
    (select t.id from memory_turns t where t.id = sqlc.narg('to_turn')::uuid and t.person_id = @person_id::uuid),
    @from_at, @to_at, @turns, @tokens, @model, @created_at)
on conflict (id) do update set text = excluded.text, from_turn = excluded.from_turn, to_turn = excluded.to_turn, from_at = excluded.from_at,
    to_at = excluded.to_at, turns = excluded.turns, tokens = excluded.tokens, model = excluded.model, created_at = excluded.created_at
where m.person_id = excluded.person_id;

-- CallSummariesOf lists the summaries of a person's calls, oldest first.
-- name: CallSummariesOf :many
select * from summaries where person_id = @person_id order by created_at, id;

-- CallSummaryRestore keeps the summary of a call of the person.
-- name: CallSummaryRestore :execrows
insert into summaries (id, person_id, call_id, text, model, created_at)
select @id::uuid, c.person_id, c.id, @text::text, @model::text, @created_at::timestamptz
from calls c where c.id = @call_id::uuid and c.person_id = @person_id::uuid
on conflict on constraint summaries_call_key do update set id = excluded.id, text = excluded.text, model = excluded.model, created_at = excluded.created_at;

-- TopicMentionsOf lists what a person's calls mentioned, oldest first.
-- name: TopicMentionsOf :many
select t.label, m.call_id, m.mentions, m.at from topic_mentions m join topics t on t.id = m.topic_id
where t.person_id = @person_id order by m.at, t.key, m.call_id;

-- TopicMentionRestore keeps how often a call of the person mentioned a topic.
-- name: TopicMentionRestore :execrows
with mine as (select c.id, c.person_id from calls c where c.id = @call_id::uuid and c.person_id = @person_id::uuid),
named as (
    insert into topics (id, person_id, key, label, first_mentioned_at, last_mentioned_at)
    select @id::uuid, mine.person_id, @key::text, @label::text, @at::timestamptz, @at::timestamptz from mine
    on conflict on constraint topics_person_key do update set label = excluded.label
    returning id
)
insert into topic_mentions (topic_id, call_id, mentions, at) select named.id, mine.id, @mentions::integer, @at::timestamptz from named, mine
on conflict (topic_id, call_id) do update set mentions = excluded.mentions, at = excluded.at;

-- name: MemoryPromiseRestore :execrows
insert into memory_promises as p (id, person_id, text, kind, due_on, due_at, recurrence, status, call_id, turn_id, used_call, used_at, created_at, updated_at)
values (@id, @person_id, @text, @kind, @due_on, @due_at, @recurrence, @status,
    (select c.id from calls c where c.id = sqlc.narg('call_id')::uuid and c.person_id = @person_id),
    (select t.id from memory_turns t where t.id = sqlc.narg('turn_id')::uuid and t.person_id = @person_id),
    (select c.id from calls c where c.id = sqlc.narg('used_call')::uuid and c.person_id = @person_id),
    @used_at, @created_at, @updated_at)
on conflict (id) do update set text = excluded.text, kind = excluded.kind, due_on = excluded.due_on, due_at = excluded.due_at,
    recurrence = excluded.recurrence, status = excluded.status, call_id = excluded.call_id, turn_id = excluded.turn_id,
    used_call = excluded.used_call, used_at = excluded.used_at, created_at = excluded.created_at, updated_at = excluded.updated_at
where p.person_id = excluded.person_id;

-- name: MemoryLimitRestore :execrows
insert into memory_limits as l (id, person_id, topic, rule, until, by, how, created_at)
values (@id, @person_id, @topic, @rule, @until, @by, @how, @created_at)
on conflict (id) do update set topic = excluded.topic, rule = excluded.rule, until = excluded.until, by = excluded.by,
    how = excluded.how, created_at = excluded.created_at
where l.person_id = excluded.person_id;
