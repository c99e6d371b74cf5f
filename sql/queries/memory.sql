-- SummaryUpsert writes the one summary of a call; a retry rewrites it.
-- name: SummaryUpsert :exec
insert into summaries (id, person_id, call_id, text, model) values (@id, @person_id, @call_id, @text, @model)
on conflict on constraint summaries_call_key do update set text = excluded.text, model = excluded.model;

-- name: SummaryOf :one
select * from summaries where call_id = @call_id;

-- name: SummariesLast :many
select * from summaries where person_id = @person_id order by created_at desc, id desc limit @max_rows;

-- name: TopicUpsert :one
insert into topics (id, person_id, key, label, first_mentioned_at, last_mentioned_at)
values (@id, @person_id, @key, @label, @at, @at)
on conflict on constraint topics_person_key do update set label = topics.label
returning *;

-- name: TopicMentionUpsert :exec
insert into topic_mentions (topic_id, call_id, mentions, at) values (@topic_id, @call_id, @mentions, @at)
on conflict (topic_id, call_id) do update set mentions = excluded.mentions;

-- TopicsRecount derives the counts of a person's topics from their mentions.
-- name: TopicsRecount :exec
update topics t
set mentions = s.mentions, first_mentioned_at = s.first_at, last_mentioned_at = s.last_at
from (
    select m.topic_id, sum(m.mentions)::integer as mentions, min(m.at)::timestamptz as first_at, max(m.at)::timestamptz as last_at
    from topic_mentions m join topics o on o.id = m.topic_id
    where o.person_id = @person_id
    group by m.topic_id
) s
where t.id = s.topic_id;

-- TopicMentionsClear forgets what an earlier try counted for a call.
-- name: TopicMentionsClear :exec
delete from topic_mentions where call_id = @call_id;

-- name: TopicsUnmentionedDelete :exec
delete from topics t where t.person_id = @person_id and not exists (select 1 from topic_mentions m where m.topic_id = t.id);

-- name: TopicsOf :many
select * from topics where person_id = @person_id order by last_mentioned_at desc, mentions desc, id limit @max_rows;

-- name: TopicsOfCall :many
select t.* from topics t join topic_mentions m on m.topic_id = t.id where m.call_id = @call_id order by m.mentions desc, t.label;

-- SummaryInsertPast keeps the summary of a call that was recorded after the fact.
-- name: SummaryInsertPast :exec
insert into summaries (id, person_id, call_id, text, created_at) values (@id, @person_id, @call_id, @text, @at);
