-- HealthCheckUpsert writes the check of a call that is the person's, and says
-- whether its words may be kept. No row means that it is no call of theirs. The
-- lock makes it wait for an ending of the call that is under way.
-- name: HealthCheckUpsert :one
with mine as (select id, person_id, ended_at, unrecorded from calls where id = @call_id and person_id = @person_id::uuid for share)
insert into health_checks (call_id, person_id, status, started_at, ended_at, resumes_call_id, questions)
select mine.id, mine.person_id, @status::text, @started_at::timestamptz,
    coalesce(sqlc.narg('ended_at')::timestamptz, mine.ended_at, now()), sqlc.narg('resumes_call_id')::uuid, sqlc.narg('questions')::jsonb
from mine
on conflict (call_id) do update set status = excluded.status, started_at = excluded.started_at, ended_at = excluded.ended_at,
    resumes_call_id = excluded.resumes_call_id, questions = excluded.questions
returning (select mine.unrecorded from mine)::boolean as unrecorded;

-- name: HealthAnswersClear :exec
delete from health_answers where call_id = @call_id;

-- name: HealthScoresClear :exec
delete from health_scores where call_id = @call_id;

-- name: HealthAnswerInsert :exec
insert into health_answers (call_id, person_id, seq, question_id, follow_up_of, question, short, pack, pack_version, screen, type, status,
    value, unit, ordinal, quote, confidence, source, attempts, at, carried, earlier)
values (@call_id, @person_id, @seq, @question_id, @follow_up_of, @question, @short, @pack, @pack_version, @screen, @type, @status,
    sqlc.narg('value')::jsonb, @unit, @ordinal, @quote, @confidence, @source, @attempts, @at, @carried, @earlier);

-- name: HealthScoreInsert :exec
insert into health_scores (call_id, pack, seq, version, title, total, highest, band, meaning, positive, answered, items)
values (@call_id, @pack, @seq, @version, @title, @total, @highest, @band, @meaning, @positive, @answered, @items);

-- HealthChecksList lists a person's checks, newest first, each with the later
-- call that went on with it. A call narrows it to that call's check.
-- name: HealthChecksList :many
select c.*, later.call_id as continued_by
from health_checks c
left join health_checks later on later.call_id = (
    select n.call_id from health_checks n where n.resumes_call_id = c.call_id order by n.started_at desc, n.call_id desc limit 1)
where (sqlc.narg('person_id')::uuid is null or c.person_id = sqlc.narg('person_id'))
  and (sqlc.narg('call_id')::uuid is null or c.call_id = sqlc.narg('call_id'))
  and (sqlc.narg('since')::timestamptz is null or c.started_at >= sqlc.narg('since'))
  and (sqlc.narg('before_at')::timestamptz is null or (c.started_at, c.call_id) < (sqlc.narg('before_at')::timestamptz, sqlc.narg('before_call')::uuid))
order by c.started_at desc, c.call_id desc
limit @max_rows;

-- HealthCheckUnfinished finds the newest check that was broken off and that
-- nobody went on with, neither in its own name nor by finishing a later one.
-- name: HealthCheckUnfinished :one
select c.call_id from health_checks c
where c.person_id = @person_id and c.status = 'in-progress' and c.ended_at >= @since
  and not exists (select from health_checks n where n.resumes_call_id = c.call_id)
  and not exists (select from health_checks n where n.person_id = c.person_id and n.status <> 'in-progress' and n.started_at > c.started_at)
order by c.started_at desc, c.call_id desc
limit 1;

-- name: HealthAnswersOf :many
select * from health_answers where call_id = any(@call_ids::uuid[]) order by call_id, seq;

-- name: HealthScoresOf :many
select * from health_scores where call_id = any(@call_ids::uuid[]) order by call_id, seq;

-- HealthHistory lists what a person answered since, oldest first. What a later
-- call carried on or corrected counts once, as it stands there; the call of a
-- carried answer is the one in which it was said, where that one is on record.
-- name: HealthHistory :many
select distinct on (a.at, a.question_id)
    a.question_id, a.question, a.short, a.pack, a.type, a.value, a.unit, a.ordinal, a.at::timestamptz as at,
    coalesce(o.call_id, a.call_id)::uuid as call_id
from health_answers a
join health_checks c on c.call_id = a.call_id
left join lateral (
    select said.call_id from health_answers said
    where a.carried and said.person_id = a.person_id and said.question_id = a.question_id and said.at = a.at and not said.carried
    limit 1) o on true
where a.person_id = @person_id and a.status in ('answered', 'keypad') and a.at >= @since::timestamptz
  and not exists (
    select from health_checks n join health_answers b on b.call_id = n.call_id
    where n.resumes_call_id = a.call_id and b.question_id = a.question_id and b.status in ('answered', 'keypad', 'refused'))
order by a.at, a.question_id, c.started_at desc;

-- HealthAsked says when each question was last put to a person.
-- name: HealthAsked :many
select question_id, max(at)::timestamptz as at
from health_answers
where person_id = @person_id and at is not null and status <> 'not_reached'
group by question_id;

-- HealthScreens lists the instruments that a person was asked, oldest first,
-- those that the call did not come to left out.
-- name: HealthScreens :many
with asked as (
    select call_id, pack, max(at)::timestamptz as at, bool_or(status = 'refused') as refused,
        bool_or(status in ('answered', 'keypad')) as answered
    from health_answers
    where person_id = @person_id and screen and at is not null and status <> 'not_reached'
    group by call_id, pack)
select distinct on (asked.at, asked.pack) asked.pack, asked.at, asked.refused, asked.answered, (s.total is not null)::boolean as complete
from asked left join health_scores s on s.call_id = asked.call_id and s.pack = asked.pack
order by asked.at, asked.pack, (s.total is not null) desc;

-- HealthCallBefore finds the newest earlier health check by telephone in which somebody
-- spoke, whether or not its answers are written yet.
-- name: HealthCallBefore :one
select * from calls
where person_id = @person_id::uuid and call_type = 'health_check' and id < @before and conversation_id is not null
  and ended_at >= @since::timestamptz
order by id desc
limit 1;

-- HealthQuestionInsert keeps a question; one with the same id stays as it is.
-- name: HealthQuestionInsert :exec
insert into health_questions (id, person_id, text, asked_by) values (@id, @person_id, @text, @asked_by) on conflict (id) do nothing;

-- HealthQuestionsOpen lists the questions that no health check has put yet, oldest first.
-- name: HealthQuestionsOpen :many
select * from health_questions where person_id = @person_id and call_id is null order by n limit @max_rows;

-- HealthQuestionsAsked notes which questions the check of a call has put.
-- name: HealthQuestionsAsked :exec
update health_questions q set call_id = a.call_id from health_answers a
where a.call_id = @call_id::uuid and q.person_id = a.person_id and q.call_id is null
  and a.question_id = 'carer.' || q.n and a.at is not null and a.status <> 'not_reached';
