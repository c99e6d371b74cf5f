-- MemoryBlank reports whether a person consents to being remembered, and whether
-- there is nothing to recall of them and no limit to heed.
-- name: MemoryBlank :one
select exists (select 1 from consents c where c.person_id = p.id and c.scope = 'memory' and c.revoked_at is null) as consented,
    (not exists (select 1 from memory_windows w where w.person_id = p.id)
        and not exists (select 1 from memory_entities e where e.person_id = p.id)
        and not exists (select 1 from memory_limits l where l.person_id = p.id))::bool as blank
from people p where p.id = @person_id;

-- MemoryFactTexts returns the facts that were learned from turns.
-- name: MemoryFactTexts :many
select s.turn_id, f.text from memory_fact_sources s join memory_facts f on f.id = s.fact_id
where s.turn_id = any(@turns::uuid[]) order by f.learned_at, f.id;

-- MemoryWindowsUpsert writes windows of one owner; those that are as they were
-- are not touched.
-- name: MemoryWindowsUpsert :execrows
insert into memory_windows (id, person_id, session_id, project_id, conversation, turn_ids, text, extra, config, tsv, at)
select w.id, sqlc.narg('person_id')::uuid, sqlc.narg('session_id')::uuid, sqlc.narg('project_id')::uuid, w.conversation,
    array_remove(array[w.first, w.second, w.third], null), w.body, w.extra, @config::text,
    to_tsvector(cast(sqlc.arg('config')::text as regconfig), w.body || E'\n' || w.extra), w.at
from (select unnest(@ids::uuid[]) as id, unnest(@firsts::uuid[]) as first, unnest(@seconds::uuid[]) as second, unnest(@thirds::uuid[]) as third,
    unnest(@conversations::text[]) as conversation, unnest(@bodies::text[]) as body, unnest(@extras::text[]) as extra, unnest(@ats::timestamptz[]) as at) w
on conflict (id) do update set turn_ids = excluded.turn_ids, text = excluded.text, extra = excluded.extra,
    config = excluded.config, tsv = excluded.tsv, at = excluded.at
where (memory_windows.turn_ids, memory_windows.text, memory_windows.extra, memory_windows.config, memory_windows.at)
    is distinct from (excluded.turn_ids, excluded.text, excluded.extra, excluded.config, excluded.at);

-- name: MemoryWindowsDelete :exec
delete from memory_windows where id = any(@ids::uuid[]);

-- MemoryTerms reads the words of a question with the dictionary and returns each
-- lexeme that any of the owners' windows has, its key, in how many of the owner's
-- it stands, and the places of the words, from 1, that it comes from. The empty
-- lexeme counts the windows.
-- name: MemoryTerms :many
with said as materialized (
    select l.lexeme, array_agg(distinct w.place::integer) as places
    from (select memory_text_config(sqlc.narg('person_id')::uuid)::regconfig as config offset 0) c
    cross join unnest(@words::text[]) with ordinality as w(word, place)
    cross join lateral unnest(tsvector_to_array(to_tsvector(c.config, w.word))) as l(lexeme) group by l.lexeme
)
select t.owner_id, t.lexeme, memory_key(t.owner_id, t.lexeme)::bigint as key, t.windows,
    coalesce((select s.places from said s where s.lexeme = t.lexeme), '{}')::integer[] as places
from memory_terms t
where t.owner_id = any(@owners::uuid[]) and t.lexeme = any(array(select s.lexeme from said s) || ''::text)
order by t.windows, t.lexeme, t.owner_id;

-- MemoryTermsCalled returns, as MemoryTerms does, the lexemes of what else those
-- people and pets are called whom a person calls by one of the words, which are as
-- aliases are: by an alias, or by what they are to the person, to somebody whom
-- another of the words names, or to somebody who is meant so ("my sister's son").
-- name: MemoryTermsCalled :many
with recursive called as materialized (
    select e.id, e.name, e.last_seen, a.said, a.self
    from people p join memory_entities e on e.person_id = p.id and e.kind in ('person', 'pet')
    cross join lateral ( -- an aggregate, and so by the index
        select bool_or(a.alias in (select w from unnest(@words::text[]) w)) as said,
            bool_or(a.alias in (lower(btrim(p.name)), lower(btrim(p.preferred_name)))) as self
        from memory_aliases a where a.entity_id = e.id) a
    where p.id = @person_id::uuid
), related as materialized (
    select r.from_id, r.to_id from called f
    cross join lateral ( -- by the index too, or all people's relations are read
        select m.from_id, m.to_id from memory_relations m
        where m.from_id = f.id and m.valid_to is null and replace(m.label, '_', ' ') in (select w from unnest(@words::text[]) w) offset 0) r
    join called t on t.id = r.to_id
), reached (id) as (
    select id from called where self or said
    union
    select case r.from_id when a.id then r.to_id else r.from_id end from reached a join related r on a.id in (r.from_id, r.to_id)
), meant as (
    select c.id, c.name, c.last_seen from called c join reached a on a.id = c.id where not c.self
), names as (
    select n.word from (
        select m.name as word, m.last_seen from meant m
        union
        select a.alias as word, m.last_seen from meant m
        cross join lateral (select o.alias from memory_aliases o where o.entity_id = m.id offset 0) a
    ) n
    where lower(n.word) not in (select w from unnest(@words::text[]) w)
    order by n.last_seen desc, n.word limit @max_rows
), c as materialized (
    select memory_text_config(@person_id::uuid)::regconfig as config
)
select t.owner_id, t.lexeme, memory_key(t.owner_id, t.lexeme)::bigint as key, t.windows
from memory_terms t
where t.owner_id = any(@owners::uuid[]) and t.lexeme = any(array(
    select l.lexeme from c cross join names n
    cross join lateral unnest(tsvector_to_array(to_tsvector(c.config, n.word))) as l(lexeme)))
order by t.windows, t.lexeme, t.owner_id;

-- MemoryWindowsByTerms returns the windows that have any of the lexemes, best
-- first. A lexeme is worth its weight, less in a long window; the common ones
-- (quoted, for a tsquery) find nothing by themselves and only count where another
-- was found. Where a window has several of the owners, the closest finds it.
-- name: MemoryWindowsByTerms :many
with found as (
    select w.id, w.at, sum(t.weight * 2.2 / (1 + 1.2 * (1 - sqlc.arg('flatten')::float8
        + sqlc.arg('flatten')::float8 * w.words / sqlc.arg('typical')::float8))) as score
    from (select unnest(@owners::uuid[]) as owner_id, unnest(@keys::bigint[]) as key, unnest(@weights::float8[]) as weight) t
    cross join lateral (
        select m.id, m.at, m.words, m.person_id, m.session_id, m.project_id from memory_windows m
        where memory_keys(m.person_id, m.session_id, m.project_id, m.tsv) && array[t.key]
        offset 0 -- planned by itself, so that nothing but the index on the keys can answer it
    ) w
    where t.owner_id = case when w.person_id = sqlc.narg('person_id')::uuid then w.person_id
        when w.session_id = sqlc.narg('session_id')::uuid then w.session_id
        when w.project_id = sqlc.narg('project_id')::uuid then w.project_id end
    group by w.id, w.at order by score desc, w.at desc limit @pool
)
select f.id, f.at, (f.score + coalesce((
    select sum(c.weight) from (select unnest(@common::text[]) as query, unnest(@common_weights::float8[]) as weight) c
    where w.tsv @@ c.query::tsquery), 0))::float8 as score
from found f join memory_windows w on w.id = f.id
order by score desc, f.at desc, f.id limit @max_rows;

-- MemoryWindowsNewest returns the newest windows that match, newest first: for
-- a word that is in so many that the index cannot choose.
-- name: MemoryWindowsNewest :many
select w.id, w.at from (
    (select m.id, m.at from memory_windows m where m.person_id = sqlc.narg('person_id')::uuid
        and m.tsv @@ cast(sqlc.arg('query')::text as tsquery) order by m.at desc limit @max_rows)
    union
    (select m.id, m.at from memory_windows m where m.session_id = sqlc.narg('session_id')::uuid
        and m.tsv @@ cast(sqlc.arg('query')::text as tsquery) order by m.at desc limit @max_rows)
    union
    (select m.id, m.at from memory_windows m where m.project_id = sqlc.narg('project_id')::uuid
        and m.tsv @@ cast(sqlc.arg('query')::text as tsquery) order by m.at desc limit @max_rows)
) w order by w.at desc, w.id limit @max_rows;

-- MemoryWindowsBetween returns the windows of a period, newest first.
-- name: MemoryWindowsBetween :many
select w.id from (
    (select m.id, m.at from memory_windows m where m.person_id = sqlc.narg('person_id')::uuid
        and m.at >= @since::timestamptz and m.at < @until::timestamptz order by m.at desc limit @max_rows)
    union
    (select m.id, m.at from memory_windows m where m.session_id = sqlc.narg('session_id')::uuid
        and m.at >= @since::timestamptz and m.at < @until::timestamptz order by m.at desc limit @max_rows)
    union
    (select m.id, m.at from memory_windows m where m.project_id = sqlc.narg('project_id')::uuid
        and m.at >= @since::timestamptz and m.at < @until::timestamptz order by m.at desc limit @max_rows)
) w order by w.at desc, w.id limit @max_rows;

-- MemoryWindowTurns returns the turns of windows that a scope sees, of those who
-- still consent, and of each whether it speaks of one of the topics, or follows
-- what nAIber said of one. A topic of stop words only is looked for as it is written.
-- name: MemoryWindowTurns :many
with topics as materialized (
    select l.topic, plainto_tsquery(cast(sqlc.arg('config')::text as regconfig), l.topic) as query from unnest(@topics::text[]) as l(topic)
), found as materialized (
    select wanted.place, w.id as window_id, t.id, t.person_id, t.session_id, t.project_id, t.call_id, t.conversation, t.seq, t.speaker, t.name,
        t.text, t.at, t.source, t.source_key, t.created_at, t.owner_id
    from unnest(@ids::uuid[]) with ordinality as wanted(id, place)
    join memory_windows w on w.id = wanted.id
    join memory_turns t on t.id = any(w.turn_ids)
    where (t.person_id = sqlc.narg('person_id')::uuid or t.session_id = sqlc.narg('session_id')::uuid
            or t.project_id = sqlc.narg('project_id')::uuid)
        and (t.person_id is null or exists (
            select 1 from consents c where c.person_id = t.person_id and c.scope = 'memory' and c.revoked_at is null))
), told as materialized (
    select t.id from (select distinct f.id, f.text, f.owner_id, f.conversation, f.seq from found f where exists (select 1 from topics)) t
    left join lateral (
        select b.speaker, b.text from memory_turns b
        where b.owner_id = t.owner_id and b.conversation = t.conversation and b.seq < t.seq order by b.seq desc limit 1
    ) b on b.speaker = 'assistant'
    cross join lateral unnest(array[t.text, b.text]) as s(body)
    cross join lateral (select to_tsvector(cast(sqlc.arg('config')::text as regconfig), s.body) as tsv offset 0) v
    where exists (select 1 from topics q
        where case when numnode(q.query) > 0 then v.tsv @@ q.query else position(lower(q.topic) in lower(s.body)) > 0 end)
)
select f.window_id, f.id, f.person_id, f.session_id, f.project_id, f.call_id, f.conversation, f.seq, f.speaker, f.name, f.text,
    f.at, f.source, f.source_key, f.created_at, (f.id in (select id from told))::bool as barred
from found f order by f.place, f.seq;

-- MemoryWindowsAmong returns those of the windows that begin in a period.
-- name: MemoryWindowsAmong :many
select id from memory_windows where id = any(@ids::uuid[]) and at >= @since::timestamptz and at < @until::timestamptz;

-- MemoryTurnsOutdated returns those of the windows' turns all of whose facts have
-- ended, and since when; each with the facts that took the place of these, and of
-- those in turn, as far as there are any, and whether these speak of a topic. A fact has a text only where it still holds
-- and the scope sees the person, or a turn that says it. Each step goes by an
-- index (offset 0): left to itself, PostgreSQL reads all facts of everybody.
-- name: MemoryTurnsOutdated :many
with recursive learned as (
    select u.turn_id, f.person_id, f.closed_by,
        case when f.closed_at is not null then least(f.valid_to, greatest(f.closed_at, c.valid_from)) end as ended
    from (select distinct unnest(w.turn_ids) as turn_id from memory_windows w where w.id = any(@windows::uuid[]) offset 0) u
    cross join lateral (select s.fact_id from memory_fact_sources s where s.turn_id = u.turn_id offset 0) s
    cross join lateral (select o.* from memory_facts o where o.id = s.fact_id offset 0) f
    left join lateral (select o.valid_from from memory_facts o where o.id = f.closed_by offset 0) c on true
), outdated as (
    select l.turn_id, max(l.ended) as since from learned l
    group by l.turn_id having bool_and(coalesce(l.ended <= @at::timestamptz, false))
), later as (
    select o.turn_id, o.since, l.person_id, l.closed_by as fact_id from outdated o join learned l on l.turn_id = o.turn_id
    union
    select a.turn_id, a.since, a.person_id, f.closed_by from later a
    cross join lateral (select o.closed_by from memory_facts o where o.id = a.fact_id and o.closed_by is not null offset 0) f
)
select a.turn_id::uuid as turn_id, a.since::timestamptz as since, coalesce(f.id, '00000000-0000-0000-0000-000000000000')::uuid as fact_id,
    coalesce(case when f.closed_at is null and not f.stale and (f.valid_to is null or f.valid_to > @at::timestamptz)
        and (f.person_id = sqlc.narg('person_id')::uuid or exists (
            select 1 from memory_fact_sources s join memory_turns t on t.id = s.turn_id
            where s.fact_id = f.id and (t.session_id = sqlc.narg('session_id')::uuid or t.project_id = sqlc.narg('project_id')::uuid)))
        then f.text end, '')::text as body,
    array(select s.turn_id from memory_fact_sources s where s.fact_id = f.id)::uuid[] as turns,
    (cardinality(@topics::text[]) > 0 and coalesce(memory_speaks_of(@config::text, f.text, @topics::text[]), false))::bool as barred
from later a
left join lateral (select o.* from memory_facts o where o.id = a.fact_id and o.person_id = a.person_id offset 0) f on true
order by a.turn_id, f.learned_at, f.id;
