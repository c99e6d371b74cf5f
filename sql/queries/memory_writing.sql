-- WritingDue returns what people wrote in sessions where nothing was said for a
-- while, as far as nobody was asked to learn from it; the longest ago first. What
-- memory does not hold yet is waited for.
-- name: WritingDue :many
select s.id, s.person_id, s.lesson_to as after, s.updated_at as through
from chat_sessions s
where s.lesson_to < s.updated_at and s.updated_at < @before
    and exists (select 1 from chat_episodes e where e.session_id = s.id and e.created_at > s.lesson_to)
    and not exists (select 1 from chat_episodes e where e.session_id = s.id and e.created_at > s.lesson_to and e.remembered_at is null)
order by s.updated_at, s.id limit @max_rows;

-- WritingTaken notes that somebody was asked to learn from a stretch. It changes
-- no row where somebody was before, or where it has grown.
-- name: WritingTaken :execrows
update chat_sessions set lesson_to = updated_at where id = @id and lesson_to = @after and updated_at = @through;

-- WritingLearned returns what is done of learning from a stretch.
-- name: WritingLearned :many
select step from memory_learned_writing where session_id = @session_id and through = @through;

-- WritingLearnedMark notes that a step is done. It changes no row where it was before.
-- name: WritingLearnedMark :execrows
insert into memory_learned_writing (session_id, through, step) values (@session_id, @through, @step) on conflict do nothing;

-- WritingTexts returns a stretch as the text channel has it, an episode each.
-- name: WritingTexts :many
select (message || E'\n' || response)::text as text from chat_episodes
where session_id = @session_id and created_at > @after::timestamptz and created_at <= @through::timestamptz order by id;

-- MemoryConversationSpan returns what is kept of one conversation of an owner from
-- some time until another, in order, with a few turns before.
-- name: MemoryConversationSpan :many
select * from (
    (select b.* from memory_turns b
     where b.owner_id = @owner_id::uuid and b.conversation = @conversation::text and b.at <= @after::timestamptz
     order by b.at desc, b.seq desc limit @overlap)
    union all
    (select t.* from memory_turns t
     where t.owner_id = @owner_id::uuid and t.conversation = @conversation::text and t.at > @after::timestamptz and t.at <= @through::timestamptz)
) x order by x.seq;
