-- CognitiveCheckUpsert writes the check of a call that is the person's, and says
-- whether its words may be kept. No row means that it is no call of theirs. The
-- lock makes it wait for an ending of the call that is under way.
-- name: CognitiveCheckUpsert :one
with mine as (select id, person_id, ended_at, unrecorded from calls where id = @call_id and person_id = @person_id::uuid for share)
insert into cognitive_checks (call_id, person_id, language, form, status, started_at, ended_at)
select mine.id, mine.person_id, @language::text, @form::text, @status::text, @started_at::timestamptz,
    coalesce(sqlc.narg('ended_at')::timestamptz, mine.ended_at, now())
from mine
on conflict (call_id) do update set language = excluded.language, form = excluded.form, status = excluded.status,
    started_at = excluded.started_at, ended_at = excluded.ended_at
returning (select mine.unrecorded from mine)::boolean as unrecorded;

-- name: CognitiveConfoundersSet :exec
update cognitive_checks set confounders = @confounders where call_id = @call_id;

-- name: CognitiveTasksClear :exec
delete from cognitive_tasks where call_id = @call_id;

-- name: CognitiveTaskInsert :exec
insert into cognitive_tasks (call_id, seq, task_id, version, title, form, status, why, raw, max, seconds, at, evidence, confidence)
values (@call_id, @seq, @task_id, @version, @title, @form, @status, @why, @raw, @max, @seconds, @at, @evidence, @confidence);

-- CognitiveChecksList lists a person's checks, newest first. A call narrows it to
-- that call's check.
-- name: CognitiveChecksList :many
select * from cognitive_checks c
where (sqlc.narg('person_id')::uuid is null or c.person_id = sqlc.narg('person_id'))
  and (sqlc.narg('call_id')::uuid is null or c.call_id = sqlc.narg('call_id'))
  and (sqlc.narg('since')::timestamptz is null or c.started_at >= sqlc.narg('since'))
  and (sqlc.narg('before_at')::timestamptz is null or (c.started_at, c.call_id) < (sqlc.narg('before_at')::timestamptz, sqlc.narg('before_call')::uuid))
order by c.started_at desc, c.call_id desc
limit @max_rows;

-- name: CognitiveTasksOf :many
select * from cognitive_tasks where call_id = any(@call_ids::uuid[]) order by call_id, seq;

-- CognitiveCorrectionsOf returns the last correction of each task.
-- name: CognitiveCorrectionsOf :many
select distinct on (call_id, task_id) * from cognitive_corrections where call_id = any(@call_ids::uuid[]) order by call_id, task_id, n desc;

-- CognitiveCheckLock holds a check until the transaction ends, so that it is not written
-- again while a task of it is corrected. A task is read after it: one that was being written
-- again is another row by then.
-- name: CognitiveCheckLock :one
select person_id from cognitive_checks where call_id = @call_id for share;

-- name: CognitiveTaskRange :one
select raw, max from cognitive_tasks where call_id = @call_id and task_id = @task_id;

-- name: CognitiveCorrectionInsert :one
insert into cognitive_corrections (call_id, task_id, raw, by_whom, note) values (@call_id, @task_id, @raw, @by_whom, @note) returning *;

-- CognitivePast lists what a person was put, oldest first.
-- name: CognitivePast :many
select t.task_id, t.version, t.form, t.at::timestamptz as at from cognitive_tasks t join cognitive_checks c on c.call_id = t.call_id
where c.person_id = @person_id and t.at is not null and t.status <> 'not_reached'
order by t.at, t.seq;

-- CognitiveWordsForget takes the person's words of a time out of what the scores rest
-- on; where there are topics, out of tasks that speak of one. The scores stay. It
-- returns the calls of the tasks.
-- name: CognitiveWordsForget :many
update cognitive_tasks t set evidence = (select coalesce(jsonb_agg(e || '{"quote": ""}'::jsonb), '[]'::jsonb) from jsonb_array_elements(t.evidence) e)
from cognitive_checks c
where c.call_id = t.call_id and c.person_id = @person_id and t.at >= @since::timestamptz and t.at < @until::timestamptz
    and jsonb_path_exists(t.evidence, '$[*].quote ? (@ <> "")')
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, (select string_agg(e ->> 'quote', E'\n') from jsonb_array_elements(t.evidence) e), @topics::text[]))
returning t.call_id;

-- CognitiveConfoundersForget does the same for what may have disturbed a check.
-- name: CognitiveConfoundersForget :many
update cognitive_checks c set confounders = (select coalesce(jsonb_agg(e - 'quote'), '[]'::jsonb) from jsonb_array_elements(c.confounders) e)
where c.person_id = @person_id and c.started_at >= @since::timestamptz and c.started_at < @until::timestamptz
    and jsonb_path_exists(c.confounders, '$[*].quote')
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, (select string_agg(concat_ws(' ', e ->> 'kind', e ->> 'quote'), E'\n') from jsonb_array_elements(c.confounders) e), @topics::text[]))
returning c.call_id;

-- CognitiveNotesForget takes the words from corrections of checks of a time.
-- name: CognitiveNotesForget :exec
update cognitive_corrections n set note = ''
from cognitive_checks c
where c.call_id = n.call_id and c.person_id = @person_id and n.note <> '' and c.started_at >= @since::timestamptz and c.started_at < @until::timestamptz
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, n.note, @topics::text[]));
