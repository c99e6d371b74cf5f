-- +goose Up

-- memory_text_config as it was, looking for one name instead of working it out for
-- every configuration there is.
-- +goose StatementBegin
create or replace function memory_text_config(person uuid) returns text
language plpgsql stable parallel safe as $$
declare
    wanted text;
    config text;
begin
    if person is null then
        return 'english';
    end if;
    select case split_part(lower(p.language), '-', 1)
            when 'ar' then 'arabic' when 'ca' then 'catalan' when 'da' then 'danish' when 'de' then 'german'
            when 'el' then 'greek' when 'en' then 'english' when 'es' then 'spanish' when 'eu' then 'basque'
            when 'fi' then 'finnish' when 'fr' then 'french' when 'ga' then 'irish' when 'hi' then 'hindi'
            when 'hu' then 'hungarian' when 'hy' then 'armenian' when 'id' then 'indonesian' when 'it' then 'italian'
            when 'lt' then 'lithuanian' when 'nb' then 'norwegian' when 'ne' then 'nepali' when 'nl' then 'dutch'
            when 'nn' then 'norwegian' when 'no' then 'norwegian' when 'pt' then 'portuguese' when 'ro' then 'romanian'
            when 'ru' then 'russian' when 'sr' then 'serbian' when 'sv' then 'swedish' when 'ta' then 'tamil'
            when 'tr' then 'turkish' when 'yi' then 'yiddish'
        end into wanted from people p where p.id = person;
    select c.cfgname into config from pg_catalog.pg_ts_config c
    where c.cfgname = wanted and pg_catalog.pg_ts_config_is_visible(c.oid);
    return coalesce(config, 'simple');
end
$$;
-- +goose StatementEnd

-- A window ends with the turn that it has the id of, instead of beginning with it,
-- and has none from before an hour in which nothing was said. All are written again,
-- as package memory/keep writes them; their vectors are queued.
insert into memory_windows (id, person_id, session_id, project_id, conversation, turn_ids, text, extra, config, tsv, at)
with zones as materialized (
    select name from pg_timezone_names
), places as (
    select t.*, lag(t.at) over (partition by t.owner_id, t.conversation, t.person_id, t.session_id, t.project_id order by t.seq) as before from memory_turns t
), stretches as (
    select p.*, count(*) filter (where abs(extract(epoch from p.at - p.before)) >= 3600)
        over (partition by p.owner_id, p.conversation, p.person_id, p.session_id, p.project_id order by p.seq) as stretch from places p
), windows as (
    select s.id, s.person_id, s.session_id, s.project_id, s.conversation, array_agg(s.id) over w as turn_ids, first_value(s.at) over w as at,
        string_agg(E'\n' || case when s.name <> '' then s.name when s.speaker = 'assistant' then 'nAIber' else 'The person' end
            || ': ' || s.text, '') over w as body
    from stretches s
    window w as (partition by s.owner_id, s.conversation, s.person_id, s.session_id, s.project_id, s.stretch
        order by s.seq rows between 2 preceding and current row)
)
select w.id, w.person_id, w.session_id, w.project_id, w.conversation, w.turn_ids, d.text, e.extra, c.config,
    to_tsvector(c.config::regconfig, d.text || E'\n' || e.extra), w.at
from windows w
left join lateral (
    select coalesce((select z.name from zones z where z.name = p.timezone), 'UTC') as zone from people p where p.id = w.person_id
) p on true
cross join lateral (select to_char(w.at at time zone coalesce(p.zone, 'UTC'), 'FMDay, FMDD FMMonth YYYY') || w.body as text) d
cross join lateral (select memory_text_config(w.person_id) as config offset 0) c
cross join lateral (
    select coalesce(string_agg(f.text, E'\n' order by f.place, f.learned_at, f.id), '') as extra
    from (
        select distinct on (f.text) f.text, array_position(w.turn_ids, s.turn_id) as place, f.learned_at, f.id
        from memory_fact_sources s join memory_facts f on f.id = s.fact_id where s.turn_id = any(w.turn_ids)
        order by f.text, array_position(w.turn_ids, s.turn_id), f.learned_at, f.id
    ) f
) e
on conflict (id) do update set turn_ids = excluded.turn_ids, text = excluded.text, extra = excluded.extra,
    config = excluded.config, tsv = excluded.tsv, at = excluded.at;

-- +goose Down
-- The windows stay as they are: every turn is in some, and those that change are
-- cut as the version that is then there cuts them.
select 1;
