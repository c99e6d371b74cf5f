-- ChatSessionInsert makes a session, or nothing where its name is taken.
-- name: ChatSessionInsert :execrows
insert into chat_sessions (id, external_id, person_id, project_id) values (@id, @external_id, @person_id, @project_id)
on conflict on constraint chat_sessions_external_key do nothing;

-- name: ChatSessionByExternal :one
select * from chat_sessions where external_id = @external_id;

-- ChatSessionsPage lists sessions by when something was last said in them.
-- name: ChatSessionsPage :many
select * from chat_sessions
where (person_id = sqlc.narg(person_id) or sqlc.narg(person_id) is null)
  and (project_id = sqlc.narg(project_id) or sqlc.narg(project_id) is null)
  and (sqlc.narg(before_at)::timestamptz is null or (updated_at, id) < (sqlc.narg(before_at)::timestamptz, sqlc.narg(before_id)::uuid))
order by updated_at desc, id desc
limit @max_rows;

-- ChatSessionUpdate changes what is asked for.
-- name: ChatSessionUpdate :one
update chat_sessions set
    name = case when @set_name::boolean then sqlc.narg(name) else name end,
    project_id = case when @set_project::boolean then sqlc.narg(project_id) else project_id end
where id = @id
returning *;

-- ChatSessionName names a session that nobody has named.
-- name: ChatSessionName :exec
update chat_sessions set name = @name where id = @id and name is null;

-- name: ChatSessionTouch :exec
update chat_sessions set updated_at = greatest(updated_at, now()) where id = @id;

-- name: ChatSessionDelete :execrows
delete from chat_sessions where id = @id;

-- ChatSessionsRecallable returns which of these sessions belong to a project and
-- may be recalled in it.
-- name: ChatSessionsRecallable :many
select id from chat_sessions where id = any(@ids::uuid[]) and project_id = @project_id and chat_may_keep(person_id);

-- ChatEpisodeInsert keeps an episode, unless its session belongs to a person who
-- did not consent to being remembered, or is gone.
-- name: ChatEpisodeInsert :one
insert into chat_episodes (session_id, message, response, model, finish, tokens)
select s.id, @message::text, @response::text, @model::text, @finish::text, @tokens::integer
from chat_sessions s where s.id = @session_id and chat_may_keep(s.person_id)
returning id, created_at;

-- ChatEpisodesRecent returns a session's newest episodes, if they may be recalled.
-- name: ChatEpisodesRecent :many
select * from chat_talk where session_id = @session_id and may_keep order by id desc limit @max_rows;

-- ChatEpisodesAfter returns a session's episodes after one of them, oldest first,
-- if they may be recalled.
-- name: ChatEpisodesAfter :many
select * from chat_talk where session_id = @session_id and id > @after_id and may_keep order by id limit @max_rows;

-- ChatEpisodesPage lists episodes, newest first.
-- name: ChatEpisodesPage :many
select * from chat_talk
where (session_id = sqlc.narg(session_id) or sqlc.narg(session_id) is null)
  and (project_id = sqlc.narg(project_id) or sqlc.narg(project_id) is null)
  and (person_id = sqlc.narg(person_id) or sqlc.narg(person_id) is null)
  and (id < sqlc.narg(before_id)::bigint or sqlc.narg(before_id) is null)
order by id desc
limit @max_rows;

-- ChatEpisodesSearch finds episodes that hold any of the words, best first.
-- name: ChatEpisodesSearch :many
with asked as (
    select (select string_agg(quote_literal(lexeme), ' | ') from unnest(to_tsvector('english', @words::text)))::tsquery as words
), found as (
    select e.id, ts_rank_cd(e.tsv, asked.words, 1) as rank from asked, chat_episodes e where e.tsv @@ asked.words
)
select t.* from found join chat_talk t on t.id = found.id
where (t.session_id = sqlc.narg(session_id) or sqlc.narg(session_id) is null)
  and (t.project_id = sqlc.narg(project_id) or sqlc.narg(project_id) is null)
  and (t.person_id = sqlc.narg(person_id) or sqlc.narg(person_id) is null)
order by found.rank desc, t.id desc
limit @max_rows offset @skip;

-- ChatEpisode returns an episode with whose it is.
-- name: ChatEpisode :one
select * from chat_talk where id = @id;

-- ChatEpisodeDelete deletes an episode; the summaries that it went into go too.
-- name: ChatEpisodeDelete :execrows
delete from chat_episodes where id = @id;

-- ChatEpisodeRemembered notes that memory holds an episode, if it is still there
-- and its session has not changed its project since.
-- name: ChatEpisodeRemembered :execrows
update chat_episodes e set remembered_at = now()
from chat_sessions s
where e.id = @id and s.id = e.session_id and s.project_id is not distinct from sqlc.narg(project_id)::uuid;

-- ChatEpisodesPending lists what memory does not hold yet, oldest first.
-- name: ChatEpisodesPending :many
select id from chat_talk
where remembered_at is null and created_at < @before and id > @after_id and may_keep
order by id
limit @max_rows;

-- ChatSessionSize counts a session's episodes and their tokens.
-- name: ChatSessionSize :one
select count(*)::integer as episodes, coalesce(sum(tokens), 0)::integer as tokens from chat_episodes where session_id = @session_id;

-- name: ChatProjectInsert :one
insert into chat_projects (id, name, description, system_prompt) values (@id, @name, @description, @system_prompt)
returning *;

-- name: ChatProject :one
select * from chat_projects where id = @id;

-- name: ChatProjectsPage :many
select * from chat_projects where id < sqlc.narg('before_id')::uuid or sqlc.narg('before_id')::uuid is null
order by id desc
limit @max_rows;

-- name: ChatProjectUpdate :one
update chat_projects set
    name = coalesce(sqlc.narg(name), name),
    description = coalesce(sqlc.narg(description), description),
    system_prompt = case when @set_prompt::boolean then sqlc.narg(system_prompt) else system_prompt end,
    updated_at = now()
where id = @id
returning *;

-- name: ChatProjectDelete :execrows
delete from chat_projects where id = @id;

-- ChatProjectSessions lists a project's sessions with their sizes and newest
-- summaries. Recallable says whether they may go into a summary of the project.
-- name: ChatProjectSessions :many
select s.id, s.external_id, s.name, s.person_id, s.project_id, s.created_at, s.updated_at,
    chat_may_keep(s.person_id) as recallable,
    (select count(*) from chat_episodes e where e.session_id = s.id)::integer as episodes,
    coalesce((select min(e.id) from chat_episodes e where e.session_id = s.id), 0)::bigint as first_episode,
    coalesce((select max(e.id) from chat_episodes e where e.session_id = s.id), 0)::bigint as last_episode,
    coalesce(m.id, '00000000-0000-0000-0000-000000000000')::uuid as summary_id, coalesce(m.text, '') as summary, coalesce(m.episode_from, 0)::bigint as summary_from, coalesce(m.episode_to, 0)::bigint as summary_to
from chat_sessions s
left join lateral (
    select c.id, c.text, c.episode_from, c.episode_to from chat_summaries c where c.session_id = s.id order by c.id desc limit 1
) m on true
where s.project_id = @project_id
order by s.updated_at desc, s.id desc
limit @max_rows;

-- ChatSummaryInsert keeps a summary; the same range again rewrites it.
-- name: ChatSummaryInsert :one
insert into chat_summaries (id, session_id, project_id, text, tokens, episode_from, episode_to, model)
values (@id, @session_id, @project_id, @text, @tokens, @episode_from, @episode_to, @model)
on conflict on constraint chat_summaries_session_key do update set text = excluded.text, tokens = excluded.tokens, model = excluded.model
returning *;

-- ChatSessionsHold keeps sessions from changing, and from losing an episode,
-- until the transaction ends.
-- name: ChatSessionsHold :many
select id from chat_sessions where id = any(@ids::uuid[]) order by id for share;

-- ChatSummaryCovered counts how much of what a summary was made from is still
-- there: something may have been deleted while it was written.
-- name: ChatSummaryCovered :one
select (select count(*) from chat_talk t
        where t.id = any(@episodes::bigint[]) and t.may_keep
          and (t.session_id = sqlc.narg(session_id) or t.project_id = sqlc.narg(project_id)))::integer as episodes,
    (select count(*) from chat_summaries m join chat_sessions s on s.id = m.session_id
        where m.id = any(@summaries::uuid[]) and chat_may_keep(s.person_id)
          and (s.id = sqlc.narg(session_id) or s.project_id = sqlc.narg(project_id)))::integer as summaries;

-- name: ChatSummariesOf :many
select * from chat_summaries
where (session_id = sqlc.narg(session_id) or sqlc.narg(session_id) is null)
  and (project_id = sqlc.narg(project_id) or sqlc.narg(project_id) is null)
  and num_nonnulls(sqlc.narg(session_id)::uuid, sqlc.narg(project_id)::uuid) = 1
order by id desc
limit @max_rows;

-- ChatSummariesPrune keeps the newest summaries of one owner.
-- name: ChatSummariesPrune :exec
delete from chat_summaries d
where d.id in (
    select m.id from chat_summaries m
    where m.session_id is not distinct from sqlc.narg(session_id)::uuid and m.project_id is not distinct from sqlc.narg(project_id)::uuid
    order by m.id desc offset @kept
);

-- name: ChatSettings :one
select value from chat_settings;

-- ChatSettingsPatch sets some keys and takes away others, at once.
-- name: ChatSettingsPatch :one
with given as (select @patch::jsonb as patch, @removed::text[] as removed)
insert into chat_settings (value) select patch - removed from given
on conflict (one) do update set value = (chat_settings.value || (select patch from given)) - (select removed from given), updated_at = now()
returning value;
