-- name: DiscussionInsert :one
insert into discussions (discussion_id, person_id, question, asked_by, rounds, record, idempotency_key, request_hash)
values (@discussion_id, @person_id, @question, @asked_by, @rounds, @record, @idempotency_key, @request_hash)
returning *;

-- name: DiscussionSourcesInsert :exec
insert into discussion_sources (source_id, discussion_id)
select distinct unnest(@sources::uuid[]), @discussion_id::uuid;

-- name: DiscussionByID :one
select * from discussions where discussion_id = @discussion_id;

-- name: DiscussionByKey :one
select * from discussions where idempotency_key = @idempotency_key;

-- name: DiscussionsList :many
select * from discussions
where (sqlc.narg('person_id')::uuid is null or person_id = sqlc.narg('person_id'))
  and (sqlc.narg('status')::text is null or status = sqlc.narg('status'))
  and (sqlc.narg('before')::uuid is null or discussion_id < sqlc.narg('before'))
order by discussion_id desc limit @max_rows;

-- name: DiscussionsAppend :many
select n::int from discussions_append(@ids::uuid[], @last_seqs::bigint[], @statuses::text[], @rounds::int[],
    @owners::int[], @seqs::bigint[], @ats::timestamptz[], @kinds::text[], @datas::text[]) as n;

-- DiscussionAlive says that one is being carried on.
-- name: DiscussionAlive :exec
update discussions set updated_at = now() where discussion_id = @discussion_id and status = 'running';

-- name: DiscussionsStalled :many
select discussion_id, last_seq from discussions where status = 'running' and updated_at < now() - make_interval(secs => @seconds::float8) limit 100;

-- name: DiscussionEventsAfter :many
select seq, at, kind, data from discussion_events
where discussion_id = @discussion_id and seq > @seq order by seq limit @max_rows;

-- name: DiscussionActionsInsert :exec
insert into discussion_actions (action_id, discussion_id, kind, text, days)
select unnest(@ids::uuid[]), @discussion_id::uuid, unnest(@kinds::text[]), unnest(@texts::text[]), unnest(@days::int[]);

-- name: DiscussionActions :many
select * from discussion_actions where discussion_id = @discussion_id order by action_id;

-- name: DiscussionAction :one
select * from discussion_actions where action_id = @action_id and discussion_id = @discussion_id;

-- name: DiscussionActionDecide :one
update discussion_actions set status = @status, decided_by = @decided_by, note = @note, decided_at = now()
where action_id = @action_id and discussion_id = @discussion_id and status = 'proposed'
returning *;

-- DiscussionsForget deletes those of a person that had any of the sources before them,
-- those from before a time that speak of one of the topics, or all.
-- name: DiscussionsForget :many
delete from discussions d where d.person_id = @person_id and (@everything::bool
    or exists (select from discussion_sources s where s.discussion_id = d.discussion_id and s.source_id = any(@sources::uuid[]))
    or cardinality(@topics::text[]) > 0 and d.created_at < @until::timestamptz and memory_speaks_of(@config, discussion_text(d.discussion_id), @topics::text[]))
returning discussion_id;
