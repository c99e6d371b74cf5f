-- UtteranceInsert adds a line, unless the call's words are no longer kept. The
-- lock makes it wait for a withdrawal that is under way.
-- name: UtteranceInsert :one
with kept as (select calls.id from calls where calls.id = @call_id and not calls.unrecorded for share)
insert into utterances (call_id, role, text, conversation_id, event_id, at)
select kept.id, @role, @text, @conversation_id, @event_id, @at from kept
returning *;

-- UtteranceCorrect replaces what was meant to be said by what was heard of it before a barge-in: the
-- line with the event's number, else the latest one that was meant to be said in these words.
-- name: UtteranceCorrect :execrows
update utterances set text = @text, intended = coalesce(intended, text)
where id = (
    select u.id from utterances u,
        lateral (select u.conversation_id = @conversation_id and u.event_id = @event_id as numbered,
            regexp_replace(btrim(coalesce(u.intended, u.text)), '\s+', ' ', 'g') = regexp_replace(btrim(@original::text), '\s+', ' ', 'g') as worded) m
    where u.call_id = @call_id and u.role = 'assistant' and (m.numbered or m.worded)
    order by m.numbered desc, m.worded desc, u.id desc limit 1);

-- name: UtterancesOf :many
select * from utterances where call_id = @call_id order by id;

-- name: UtterancesLast :many
select * from (select * from utterances where call_id = @call_id order by id desc limit @max_rows) last order by id;
