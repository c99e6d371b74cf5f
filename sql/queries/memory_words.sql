-- WordsOfUtterances returns those of the lines that stand in a person's transcripts.
-- name: WordsOfUtterances :many
select u.id, u.call_id, u.role, u.text, u.at from utterances u join calls c on c.id = u.call_id
where c.person_id = @person_id::uuid and u.id = any(@ids::bigint[]) order by u.id;

-- WordsIn returns the lines of a person's transcripts of a time; where there are
-- topics, those that speak of one, and the answers to those that ask about it.
-- name: WordsIn :many
with met as materialized (
    select u.id, u.call_id, u.role from utterances u join calls c on c.id = u.call_id
    where c.person_id = @person_id::uuid and u.at >= @since::timestamptz and u.at < @until::timestamptz
        and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, u.text || E'\n' || coalesce(u.intended, ''), @topics::text[]))
), these as (
    select id from met
    union
    select n.id from met cross join lateral (
        select b.id, b.role from utterances b where b.call_id = met.call_id and b.id > met.id order by b.id limit 1
    ) n where cardinality(@topics::text[]) > 0 and met.role = 'assistant' and n.role = 'user'
)
select u.id, u.call_id, u.role, u.text, u.at from utterances u join these on these.id = u.id order by u.id;

-- name: UtterancesBlank :execrows
update utterances set text = '', intended = null where id = any(@ids::bigint[]) and (text <> '' or intended is not null);

-- WordsBlankHeard takes from the requests for turns what was heard of lines of
-- the transcript: the same words, within two minutes.
-- name: WordsBlankHeard :execrows
update turns t set heard = '' from (select unnest(@calls::uuid[]) as call_id, unnest(@bodies::text[]) as body, unnest(@ats::timestamptz[]) as at) g
where t.call_id = g.call_id and t.heard <> '' and memory_plain(g.body) <> '  ' and t.at between g.at - interval '2 minutes' and g.at + interval '2 minutes'
    and (position(memory_plain(g.body) in memory_plain(t.heard)) > 0 or position(memory_plain(t.heard) in memory_plain(g.body)) > 0);

-- name: WordsBlankReply :execrows
update turns t set reply = '', withheld = '' from (select unnest(@calls::uuid[]) as call_id, unnest(@bodies::text[]) as body, unnest(@ats::timestamptz[]) as at) g
where t.call_id = g.call_id and t.reply <> '' and memory_plain(g.body) <> '  ' and t.at between g.at - interval '2 minutes' and g.at + interval '2 minutes'
    and (position(memory_plain(g.body) in memory_plain(t.reply)) > 0 or position(memory_plain(t.reply) in memory_plain(g.body)) > 0);

-- WordsBlankIn takes from the requests for turns of a time what was heard and
-- said; where there are topics, what speaks of one.
-- name: WordsBlankIn :execrows
update turns t set
    heard = case when cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, t.heard, @topics::text[]) then '' else t.heard end,
    reply = case when cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, t.reply, @topics::text[]) then '' else t.reply end,
    withheld = case when cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, t.withheld, @topics::text[]) then '' else t.withheld end
from calls c
where c.id = t.call_id and c.person_id = @person_id::uuid and t.at >= @since::timestamptz and t.at < @until::timestamptz
    and (t.heard <> '' or t.reply <> '' or t.withheld <> '')
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, t.heard || E'\n' || t.reply || E'\n' || t.withheld, @topics::text[]));

-- WordsBlankEvents takes the words from the lines of calls' timelines that say
-- what was heard.
-- name: WordsBlankEvents :execrows
update call_events e set data = e.data - 'text' from (select unnest(@calls::uuid[]) as call_id, unnest(@bodies::text[]) as body) g
where e.call_id = g.call_id and e.kind = 'heard' and e.data ? 'text' and memory_plain(e.data ->> 'text') <> '  '
    and (position(memory_plain(g.body) in memory_plain(e.data ->> 'text')) > 0 or position(memory_plain(e.data ->> 'text') in memory_plain(g.body)) > 0);

-- name: WordsBlankEventsIn :execrows
update call_events e set data = e.data - 'text' from calls c
where c.id = e.call_id and c.person_id = @person_id::uuid and e.kind = 'heard' and e.data ? 'text'
    and e.at >= @since::timestamptz and e.at < @until::timestamptz
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, e.data ->> 'text', @topics::text[]));

-- CallsIn returns a person's calls of a time; where there are topics, those whose
-- summaries speak of one, whenever they were.
-- name: CallsIn :many
select c.id from calls c where cardinality(@topics::text[]) = 0
    and c.person_id = @person_id::uuid and c.created_at >= @since::timestamptz and c.created_at < @until::timestamptz
union all
select s.call_id from summaries s where cardinality(@topics::text[]) > 0
    and s.person_id = @person_id::uuid and memory_speaks_of(@config, s.text, @topics::text[]);

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
-- speak of one of the topics, where there are any, and the words of a carer's
-- question. The values stay, but for those that are words themselves. It returns the
-- calls of the answers.
-- name: HealthWordsForget :many
update health_answers a set quote = '',
    question = case when a.pack = 'carer' then @asked::text else a.question end,
    short = case when a.pack = 'carer' then @asked::text else a.short end,
    value = case when a.type = 'text' and a.value is not null then '""'::jsonb else a.value end,
    earlier = (select coalesce(jsonb_agg(e || '{"quote": ""}' || case when a.type = 'text' then '{"value": ""}' else '{}' end::jsonb), '[]'::jsonb)
        from jsonb_array_elements(a.earlier) e)
where a.person_id = @person_id and (a.at >= @since::timestamptz and a.at < @until::timestamptz or a.at is null and a.pack = 'carer')
    and (a.quote <> '' or jsonb_array_length(a.earlier) > 0 or a.type = 'text' and a.value <> '""' or a.pack = 'carer' and a.question <> @asked::text)
    and (cardinality(@topics::text[]) = 0
        or memory_speaks_of(@config, concat_ws(E'\n', a.quote, a.earlier::text, case when a.type = 'text' then a.value::text end,
            case when a.pack = 'carer' then a.question end), @topics::text[]))
returning a.call_id;

-- HealthQuestionsForget deletes the carers' questions of a time; where there are
-- topics, those that speak of one.
-- name: HealthQuestionsForget :exec
delete from health_questions q where q.person_id = @person_id and q.created_at >= @since::timestamptz and q.created_at < @until::timestamptz
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, q.text, @topics::text[]));

-- HealthSessionsForget takes from health checks what they would go on with: it
-- holds words.
-- name: HealthSessionsForget :execrows
update health_checks h set questions = null
where h.person_id = @person_id and h.questions is not null and h.started_at >= @since::timestamptz and h.started_at < @until::timestamptz
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, h.questions::text, @topics::text[]));
