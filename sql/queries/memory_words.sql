-- WordsOfUtterances returns those of the lines that stand in a person's transcripts.
-- name: WordsOfUtterances :many
select u.id, u.call_id, u.role, u.text, u.at from utterances u join calls c on c.id = u.call_id
where c.person_id = @person_id::uuid and u.id = any(@ids::bigint[]) order by u.id;

-- WordsAbout returns the lines of a person's transcripts from before a time that
-- speak of a topic, and the answers to those that ask about it.
-- name: WordsAbout :many
with met as materialized (
    select u.id, u.call_id, u.role from utterances u join calls c on c.id = u.call_id
    where c.person_id = @person_id::uuid and u.at < @until::timestamptz
        and memory_speaks_of(@config, u.text || E'\n' || coalesce(u.intended, ''), @topics::text[])
), these as (
    select id from met
    union
    select n.id from met cross join lateral (
        select b.id, b.role from utterances b where b.call_id = met.call_id and b.id > met.id order by b.id limit 1
    ) n where met.role = 'assistant' and n.role = 'user'
)
select u.id, u.call_id, u.role, u.text, u.at from utterances u join these on these.id = u.id order by u.id;

-- name: WordsBetween :many
select u.id, u.call_id, u.role, u.text, u.at from utterances u join calls c on c.id = u.call_id
where c.person_id = @person_id::uuid and u.at >= @since::timestamptz and u.at < @until::timestamptz order by u.id;

-- name: UtterancesBlank :execrows
update utterances set text = '', intended = null where id = any(@ids::bigint[]) and (text <> '' or intended is not null);

-- WordsBlankHeard takes from the requests for turns what was heard of lines of
-- the transcript: the same words, within two minutes.
-- name: WordsBlankHeard :execrows
update turns t set heard = '' from (select unnest(@calls::uuid[]) as call_id, unnest(@bodies::text[]) as body, unnest(@ats::timestamptz[]) as at) g
where t.call_id = g.call_id and t.heard <> '' and memory_plain(g.body) <> '  ' and t.at between g.at - interval '2 minutes' and g.at + interval '2 minutes'
    and (position(memory_plain(g.body) in memory_plain(t.heard)) > 0 or position(memory_plain(t.heard) in memory_plain(g.body)) > 0);

-- name: WordsBlankReply :execrows
update turns t set reply = '' from (select unnest(@calls::uuid[]) as call_id, unnest(@bodies::text[]) as body, unnest(@ats::timestamptz[]) as at) g
where t.call_id = g.call_id and t.reply <> '' and memory_plain(g.body) <> '  ' and t.at between g.at - interval '2 minutes' and g.at + interval '2 minutes'
    and (position(memory_plain(g.body) in memory_plain(t.reply)) > 0 or position(memory_plain(t.reply) in memory_plain(g.body)) > 0);

-- WordsBlankAbout takes from the requests for turns what speaks of a topic.
-- name: WordsBlankAbout :execrows
update turns t set
    heard = case when memory_speaks_of(@config, t.heard, @topics::text[]) then '' else t.heard end,
    reply = case when memory_speaks_of(@config, t.reply, @topics::text[]) then '' else t.reply end
from calls c
where c.id = t.call_id and c.person_id = @person_id::uuid and t.at < @until::timestamptz
    and memory_speaks_of(@config, t.heard || E'\n' || t.reply, @topics::text[]);

-- name: WordsBlankBetween :execrows
update turns t set heard = '', reply = '' from calls c
where c.id = t.call_id and c.person_id = @person_id::uuid and t.at >= @since::timestamptz and t.at < @until::timestamptz and (t.heard <> '' or t.reply <> '');

-- WordsBlankEvents takes the words from the lines of calls' timelines that say
-- what was heard.
-- name: WordsBlankEvents :execrows
update call_events e set data = e.data - 'text' from (select unnest(@calls::uuid[]) as call_id, unnest(@bodies::text[]) as body) g
where e.call_id = g.call_id and e.kind = 'heard' and e.data ? 'text' and memory_plain(e.data ->> 'text') <> '  '
    and (position(memory_plain(g.body) in memory_plain(e.data ->> 'text')) > 0 or position(memory_plain(e.data ->> 'text') in memory_plain(g.body)) > 0);

-- name: WordsBlankEventsAbout :execrows
update call_events e set data = e.data - 'text' from calls c
where c.id = e.call_id and c.person_id = @person_id::uuid and e.kind = 'heard' and e.at < @until::timestamptz
    and memory_speaks_of(@config, e.data ->> 'text', @topics::text[]);

-- name: WordsBlankEventsBetween :execrows
update call_events e set data = e.data - 'text' from calls c
where c.id = e.call_id and c.person_id = @person_id::uuid and e.kind = 'heard' and e.data ? 'text' and e.at >= @since::timestamptz and e.at < @until::timestamptz;

-- name: CallsBetween :many
select id from calls where person_id = @person_id::uuid and created_at >= @since::timestamptz and created_at < @until::timestamptz;

-- CallsSummedUpAbout returns a person's calls whose summaries speak of a topic.
-- name: CallsSummedUpAbout :many
select call_id from summaries where person_id = @person_id and memory_speaks_of(@config, text, @topics::text[]);

-- CallSummariesForget drops the summaries of calls, and notes that they may be made anew.
-- name: CallSummariesForget :execrows
with told as (delete from call_events e where e.call_id = any(@calls::uuid[]) and e.kind in ('summary', 'topics')),
    learned as (delete from memory_learned l where l.call_id = any(@calls::uuid[]) and l.step in ('summary', 'person'))
delete from summaries s where s.call_id = any(@calls::uuid[]);

-- TopicMentionsForget drops the mentions of topics in calls that have a word from
-- what was forgotten of the call only.
-- name: TopicMentionsForget :execrows
delete from topic_mentions m using topics t, (select unnest(@calls::uuid[]) as call_id, unnest(@gone::text[]) as gone) g
where t.id = m.topic_id and t.person_id = @person_id and m.call_id = g.call_id
    and memory_lost(@config, t.label, g.gone, coalesce((select string_agg(u.text, ' ') from utterances u where u.call_id = g.call_id), ''));

-- name: TopicMentionsOfCallsForget :execrows
delete from topic_mentions where call_id = any(@calls::uuid[]);

-- name: TopicsAboutForget :execrows
delete from topics where person_id = @person_id and memory_speaks_of(@config, label, @topics::text[]);

-- ChatEpisodesForget deletes episodes of a person's sessions and takes the names
-- from these sessions, which may be made from them.
-- name: ChatEpisodesForget :execrows
with gone as (
    delete from chat_episodes e using chat_sessions s
    where s.id = e.session_id and s.person_id = @person_id::uuid and (
        e.id = any(@ids::bigint[])
        or (e.created_at >= @since::timestamptz and e.created_at < @until::timestamptz
            and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, e.message || E'\n' || e.response, @topics::text[]))))
    returning e.session_id
)
update chat_sessions s set name = null where s.id in (select session_id from gone);

-- HealthWordsForget takes the person's words from health answers of a time that
-- speak of one of the topics, where there are any. The values stay, but for those
-- that are words themselves.
-- name: HealthWordsForget :execrows
update health_answers a set quote = '',
    value = case when a.type = 'text' and a.value is not null then '""'::jsonb else a.value end,
    earlier = (select coalesce(jsonb_agg(e || '{"quote": ""}' || case when a.type = 'text' then '{"value": ""}' else '{}' end::jsonb), '[]'::jsonb)
        from jsonb_array_elements(a.earlier) e)
where a.person_id = @person_id and a.at >= @since::timestamptz and a.at < @until::timestamptz
    and (a.quote <> '' or jsonb_array_length(a.earlier) > 0 or a.type = 'text' and a.value <> '""')
    and (cardinality(@topics::text[]) = 0
        or memory_speaks_of(@config, concat_ws(E'\n', a.quote, a.earlier::text, case when a.type = 'text' then a.value::text end), @topics::text[]));

-- HealthSessionsForget takes from health checks what they would go on with: it
-- holds words.
-- name: HealthSessionsForget :execrows
update health_checks h set questions = null
where h.person_id = @person_id and h.questions is not null and h.started_at >= @since::timestamptz and h.started_at < @until::timestamptz
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, h.questions::text, @topics::text[]));
