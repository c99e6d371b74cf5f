-- MemoryQueueClaimGone takes rows whose window, fact or entity is gone, of those
-- that nobody works on: their vectors are to be deleted, which needs no embedder.
-- name: MemoryQueueClaimGone :many
update memory_queue q set claimed_until = @until::timestamptz, tries = q.tries + 1
from (
    select n.kind, n.id from memory_queue n
    where (n.claimed_until is null or n.claimed_until < @at::timestamptz)
        and not exists (select 1 from memory_windows w where w.id = n.id and n.kind = 'window')
        and not exists (select 1 from memory_facts f where f.id = n.id and n.kind = 'fact')
        and not exists (select 1 from memory_entities e where e.id = n.id and n.kind = 'entity')
    order by n.added_at limit @max_rows for update of n skip locked
) next
where q.kind = next.kind and q.id = next.id
returning q.kind, q.id, q.rev;

-- MemoryQueueGone counts the rows whose window, fact or entity is gone.
-- name: MemoryQueueGone :one
select count(*) from memory_queue n
where not exists (select 1 from memory_windows w where w.id = n.id and n.kind = 'window')
    and not exists (select 1 from memory_facts f where f.id = n.id and n.kind = 'fact')
    and not exists (select 1 from memory_entities e where e.id = n.id and n.kind = 'entity');

-- MemoryVectorsStray returns those of the ids that stand for nothing which the
-- person has.
-- name: MemoryVectorsStray :many
select v.id::uuid as id from (select unnest(@ids::uuid[]) as id) v
where not exists (select 1 from memory_windows w where w.id = v.id and w.person_id = @person_id::uuid)
    and not exists (select 1 from memory_facts f where f.id = v.id and f.person_id = @person_id::uuid)
    and not exists (select 1 from memory_entities e where e.id = v.id and e.person_id = @person_id::uuid);

-- name: MemoryErasureAsk :exec
insert into memory_erasures (person_id) values (@person_id) on conflict (person_id) do update set asked_at = clock_timestamp(), tries = 0;

-- name: MemoryErasures :many
select person_id, asked_at from memory_erasures order by asked_at limit @max_rows;

-- name: MemoryErasureTried :exec
update memory_erasures set tries = tries + 1 where person_id = @person_id;

-- MemoryErasureDone takes a request away that nobody has made again since.
-- name: MemoryErasureDone :exec
delete from memory_erasures where person_id = @person_id and asked_at <= @asked_at;

-- MemoryPeopleBefore returns the people of whom there are words from before a time:
-- in memory, in transcripts, in the text channel, in alerts, or about appliances.
-- name: MemoryPeopleBefore :many
select person_id::uuid as person_id from memory_turns where person_id is not null and at < @until::timestamptz
union
select c.person_id from utterances u join calls c on c.id = u.call_id
where c.person_id is not null and u.at < @until::timestamptz and (u.text <> '' or u.intended is not null)
union
select s.person_id from chat_episodes e join chat_sessions s on s.id = e.session_id
where s.person_id is not null and e.created_at < @until::timestamptz
union
select r.person_id from repairs r where r.person_id is not null and r.created_at < @until::timestamptz
union
select m.person_id from mails m where m.person_id is not null and m.created_at < @until::timestamptz
union
select a.person_id from alerts a where a.person_id is not null and a.created_at < @until::timestamptz
    and (a.quote || a.why || a.outcome <> '' or exists (select from alert_events e where e.alert_id = a.id and e.detail <> ''))
limit @max_rows;

-- MemoryTurnsOfNobody returns turns from before a time that belong to no person: those
-- of sessions and projects.
-- name: MemoryTurnsOfNobody :many
select * from memory_turns where person_id is null and at < @until::timestamptz order by at, id limit @max_rows;

-- ChatEpisodesSweep deletes episodes from before a time of sessions that belong to no
-- person, and takes the names from these sessions.
-- name: ChatEpisodesSweep :exec
with gone as (
    delete from chat_episodes e using chat_sessions s
    where s.id = e.session_id and s.person_id is null and e.created_at < @until::timestamptz
    returning e.session_id
)
update chat_sessions s set name = null where s.id in (select session_id from gone);

-- MemoryResurfacing counts, by place, what is still there of what was to be
-- forgotten: by its ids, and what is of a time or speaks of one of the topics.
-- name: MemoryResurfacing :many
select 'turns'::text as place, count(*) as found from memory_turns t
where t.person_id = @person_id::uuid and (t.id = any(@turns::uuid[]) or case when cardinality(@topics::text[]) > 0
    then t.at < @until::timestamptz and memory_speaks_of(@config, t.text, @topics::text[]) else t.at >= @since::timestamptz and t.at < @until::timestamptz end)
union all
select 'windows', count(*) from memory_windows w
where w.person_id = @person_id::uuid and (w.turn_ids && @turns::uuid[]
    or (cardinality(@topics::text[]) = 0 and w.at >= @since::timestamptz and w.at < @until::timestamptz))
union all
select 'facts', count(*) from memory_facts f
where f.person_id = @person_id::uuid and (f.id = any(@facts::uuid[])
    or (cardinality(@topics::text[]) > 0 and f.learned_at < @until::timestamptz and memory_speaks_of(@config, f.text || E'\n' || f.topic, @topics::text[]))
    or (@everything::boolean and f.learned_at < @until::timestamptz))
union all
select 'entities', count(*) from memory_entities e
where e.person_id = @person_id::uuid and ((@everything::boolean and e.first_seen < @until::timestamptz)
    or (cardinality(@topics::text[]) > 0 and e.first_seen < @until::timestamptz and memory_speaks_of(@config,
        e.name || E'\n' || e.notes || E'\n' || array_to_string(array(select a.alias from memory_aliases a where a.entity_id = e.id), E'\n'), @topics::text[])))
union all
select 'relations', count(*) from memory_relations r join memory_entities e on e.id = r.from_id
where e.person_id = @person_id::uuid and (r.fact_id = any(@facts::uuid[])
    or (cardinality(@topics::text[]) > 0 and r.created_at < @until::timestamptz and memory_speaks_of(@config, replace(r.label, '_', ' '), @topics::text[])))
union all
select 'promises', count(*) from memory_promises p
where p.person_id = @person_id::uuid and (p.turn_id = any(@turns::uuid[])
    or (@everything::boolean and p.created_at < @until::timestamptz)
    or (cardinality(@topics::text[]) > 0 and p.created_at < @until::timestamptz and memory_speaks_of(@config, p.text, @topics::text[])))
union all
select 'summaries', count(*) from memory_summaries m
where m.person_id = @person_id::uuid and ((@everything::boolean and m.from_at < @until::timestamptz)
    or (cardinality(@topics::text[]) > 0 and m.from_at < @until::timestamptz and memory_speaks_of(@config, m.text, @topics::text[])))
union all
select 'call summaries', count(*) from summaries s
where s.person_id = @person_id::uuid and (s.call_id = any(@calls::uuid[])
    or (cardinality(@topics::text[]) > 0 and s.created_at < @until::timestamptz and memory_speaks_of(@config, s.text, @topics::text[])))
union all
select 'topics', count(*) from topics t
where t.person_id = @person_id::uuid and ((@everything::boolean and t.last_mentioned_at < @until::timestamptz)
    or (cardinality(@topics::text[]) > 0 and memory_speaks_of(@config, t.label, @topics::text[])))
union all
select 'transcripts', count(*) from utterances u join calls c on c.id = u.call_id
where c.person_id = @person_id::uuid and u.text <> '' and (u.id = any(@lines::bigint[]) or case when cardinality(@topics::text[]) > 0
    then u.at < @until::timestamptz and memory_speaks_of(@config, u.text, @topics::text[]) else u.at >= @since::timestamptz and u.at < @until::timestamptz end)
union all
select 'requests for turns', count(*) from turns t join calls c on c.id = t.call_id
where c.person_id = @person_id::uuid and case when cardinality(@topics::text[]) > 0
    then t.at < @until::timestamptz and memory_speaks_of(@config, t.heard || E'\n' || t.reply || E'\n' || t.withheld, @topics::text[])
    else t.at >= @since::timestamptz and t.at < @until::timestamptz and t.heard || t.reply || t.withheld <> '' end
union all
select 'timelines', count(*) from call_events e join calls c on c.id = e.call_id
where c.person_id = @person_id::uuid and e.kind in ('heard', 'summary', 'topics') and case when cardinality(@topics::text[]) > 0
    then e.at < @until::timestamptz and memory_speaks_of(@config, e.data::text, @topics::text[])
    else e.at >= @since::timestamptz and e.at < @until::timestamptz and (e.data ? 'text' or e.data ? 'topics') end
union all
select 'chats', count(*) from chat_episodes e join chat_sessions s on s.id = e.session_id
where s.person_id = @person_id::uuid and (e.id = any(@episodes::bigint[]) or case when cardinality(@topics::text[]) > 0
    then e.created_at < @until::timestamptz and memory_speaks_of(@config, e.message || E'\n' || e.response, @topics::text[])
    else e.created_at >= @since::timestamptz and e.created_at < @until::timestamptz end)
union all
select 'chat summaries', count(*) from chat_summaries m join chat_sessions s on s.id = m.session_id
where s.person_id = @person_id::uuid and ((@everything::boolean and m.created_at < @until::timestamptz)
    or (cardinality(@topics::text[]) > 0 and m.created_at < @until::timestamptz and memory_speaks_of(@config, m.text, @topics::text[])))
union all
select 'health answers', count(*) from health_answers a
where a.person_id = @person_id::uuid and case when cardinality(@topics::text[]) > 0
    then a.at < @until::timestamptz and memory_speaks_of(@config, concat_ws(E'\n', a.quote, case when a.type = 'text' then a.value::text end,
        case when a.pack = 'carer' then a.question end), @topics::text[])
    else a.at >= @since::timestamptz and a.at < @until::timestamptz and (a.quote <> '' or a.type = 'text' and a.value <> '""') end
union all
select 'cognitive checks', (
    select count(*) from cognitive_tasks t join cognitive_checks c on c.call_id = t.call_id
    where c.person_id = @person_id::uuid and t.at < @until::timestamptz and jsonb_path_exists(t.evidence, '$[*].quote ? (@ <> "")') and case
        when cardinality(@topics::text[]) > 0 then memory_speaks_of(@config, (select string_agg(e ->> 'quote', E'\n') from jsonb_array_elements(t.evidence) e), @topics::text[]) else t.at >= @since::timestamptz end) + (
    select count(*) from cognitive_checks c
    where c.person_id = @person_id::uuid and c.started_at < @until::timestamptz and jsonb_path_exists(c.confounders, '$[*].quote') and case
        when cardinality(@topics::text[]) > 0 then memory_speaks_of(@config, (select string_agg(concat_ws(' ', e ->> 'kind', e ->> 'quote'), E'\n') from jsonb_array_elements(c.confounders) e), @topics::text[]) else c.started_at >= @since::timestamptz end) + (
    select count(*) from cognitive_corrections n join cognitive_checks c on c.call_id = n.call_id
    where c.person_id = @person_id::uuid and c.started_at < @until::timestamptz and n.note <> '' and case
        when cardinality(@topics::text[]) > 0 then memory_speaks_of(@config, n.note, @topics::text[]) else c.started_at >= @since::timestamptz end)
union all
select 'alerts', count(*) from alerts a
where a.person_id = @person_id::uuid and a.created_at < @until::timestamptz
    and (a.quote || a.why || a.outcome <> '' or exists (select from alert_events e where e.alert_id = a.id and e.detail <> ''))
    and case when cardinality(@topics::text[]) > 0 then memory_speaks_of(@config, alert_text(a), @topics::text[]) else a.created_at >= @since::timestamptz end
union all
select 'notes of schedules', count(*) from schedules s
where s.person_id = @person_id::uuid and s.updated_at < @until::timestamptz and s.note <> ''
    and case when cardinality(@topics::text[]) > 0 then memory_speaks_of(@config, s.note, @topics::text[]) else s.updated_at >= @since::timestamptz end
union all
select 'carers'' questions', count(*) from health_questions q
where q.person_id = @person_id::uuid and q.created_at < @until::timestamptz
    and (@everything::boolean or cardinality(@topics::text[]) > 0 and memory_speaks_of(@config, q.text, @topics::text[]))
union all
select 'discussions', count(*) from discussions d
where d.person_id = @person_id::uuid and (@everything::boolean
    or exists (select from discussion_sources s where s.discussion_id = d.discussion_id and s.source_id = any(@facts::uuid[]))
    or cardinality(@topics::text[]) > 0 and d.created_at < @until::timestamptz and memory_speaks_of(@config, discussion_text(d.discussion_id), @topics::text[]))
union all
select 'repairs', count(*) from repairs r
where r.person_id = @person_id::uuid and case when cardinality(@topics::text[]) > 0
    then r.created_at < @until::timestamptz and memory_speaks_of(@config, repair_text(r.session_id), @topics::text[])
    else r.created_at < @until::timestamptz and r.updated_at >= @since::timestamptz end
union all
select 'mails', count(*) from mails m
where m.person_id = @person_id::uuid and case when cardinality(@topics::text[]) > 0
    then m.created_at < @until::timestamptz and memory_speaks_of(@config, m.subject || E'\n' || m.body, @topics::text[])
    else m.created_at < @until::timestamptz and m.created_at >= @since::timestamptz end
union all
-- Threads whose words would still be written.
select 'checkpoints', count(*) from checkpoint_threads t join people p on p.id = @person_id::uuid
where t.data is not null and position(p.id::text in t.thread) > 0 and coalesce(p.forgotten_until, '0001-01-01Z') < @marked::timestamptz;
