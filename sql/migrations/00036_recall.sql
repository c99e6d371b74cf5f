-- +goose Up

-- memory_text_config names the text search configuration that reads what belongs
-- to a person, by the person's language; one that the server does not have becomes
-- 'simple'. What belongs to no person is read as English.
-- +goose StatementBegin
create function memory_text_config(person uuid) returns text
language plpgsql stable parallel safe as $$
declare
    configs constant jsonb := '{"ar":"arabic","ca":"catalan","da":"danish","de":"german","el":"greek","en":"english","es":"spanish",
        "eu":"basque","fi":"finnish","fr":"french","ga":"irish","hi":"hindi","hu":"hungarian","hy":"armenian","id":"indonesian",
        "it":"italian","lt":"lithuanian","nb":"norwegian","ne":"nepali","nl":"dutch","nn":"norwegian","no":"norwegian",
        "pt":"portuguese","ro":"romanian","ru":"russian","sr":"serbian","sv":"swedish","ta":"tamil","tr":"turkish","yi":"yiddish"}';
    config text;
begin
    if person is null then
        return 'english';
    end if;
    select c.cfgname into config from people p join pg_catalog.pg_ts_config c
        on c.cfgname = configs ->> split_part(lower(p.language), '-', 1) and pg_catalog.pg_ts_config_is_visible(c.oid)
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
