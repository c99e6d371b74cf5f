-- +goose Up

-- memory_text_config names the text search configuration that reads what belongs
-- to a person, by the person's language; one that the server does not have becomes
-- 'simple'. What belongs to no person is read as English.
-- +goose StatementBegin
create function memory_text_config(person uuid) returns text
language plpgsql stable parallel safe as $$
declare
    config text;
begin
    if person is null then
        return 'english';
    end if;
    select c.cfgname into config from people p join pg_catalog.pg_ts_config c
        on c.cfgname = case split_part(lower(p.language), '-', 1)
            when 'ar' then 'arabic' when 'ca' then 'catalan' when 'da' then 'danish' when 'de' then 'german'
            when 'el' then 'greek' when 'en' then 'english' when 'es' then 'spanish' when 'eu' then 'basque'
            when 'fi' then 'finnish' when 'fr' then 'french' when 'ga' then 'irish' when 'hi' then 'hindi'
            when 'hu' then 'hungarian' when 'hy' then 'armenian' when 'id' then 'indonesian' when 'it' then 'italian'
            when 'lt' then 'lithuanian' when 'nb' then 'norwegian' when 'ne' then 'nepali' when 'nl' then 'dutch'
            when 'nn' then 'norwegian' when 'no' then 'norwegian' when 'pt' then 'portuguese' when 'ro' then 'romanian'
            when 'ru' then 'russian' when 'sr' then 'serbian' when 'sv' then 'swedish' when 'ta' then 'tamil'
            when 'tr' then 'turkish' when 'yi' then 'yiddish'
        end and pg_catalog.pg_ts_config_is_visible(c.oid)
    where p.id = person;
    return coalesce(config, 'simple');
end
$$;
-- +goose StatementEnd

-- memory_people lists the person of a scope and those whose turns its session or
-- project sees, by one look at an index for each of them.
-- +goose StatementBegin
create function memory_people(person uuid, session uuid, project uuid) returns uuid[]
language plpgsql stable parallel safe as $$
declare
    people uuid[] := array_remove(array[person], null);
    who uuid := '00000000-0000-0000-0000-000000000000';
begin
    while session is not null and who is not null loop
        select t.person_id into who from memory_turns t
        where t.session_id = session and t.person_id > who order by t.person_id limit 1;
        people := people || array_remove(array[who], null);
    end loop;
    who := '00000000-0000-0000-0000-000000000000';
    while project is not null and who is not null loop
        select t.person_id into who from memory_turns t
        where t.project_id = project and t.person_id > who order by t.person_id limit 1;
        people := people || array_remove(array[who], null);
    end loop;
    return people;
end
$$;
-- +goose StatementEnd
create index memory_turns_session_people_idx on memory_turns (session_id, person_id) where session_id is not null and person_id is not null;
create index memory_turns_project_people_idx on memory_turns (project_id, person_id) where project_id is not null and person_id is not null;

-- +goose Down
drop index memory_turns_session_people_idx, memory_turns_project_people_idx;
drop function memory_people(uuid, uuid, uuid), memory_text_config(uuid);
