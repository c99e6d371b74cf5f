-- +goose Up

-- memory_bury notes what is deleted of a person's memory, so that a file from
-- before does not bring it back. Tombstones are of everything that has an id, and
-- not of turns alone. A person who is deleted leaves none.
-- +goose StatementBegin
create function memory_bury() returns trigger
language plpgsql as $$
begin
    insert into memory_tombstones (turn_id, person_id)
    select g.id, p.id from gone g join people p on p.id = g.person_id on conflict do nothing;
    return null;
end
$$;
-- +goose StatementEnd
create trigger memory_turns_bury after delete on memory_turns referencing old table as gone for each statement execute function memory_bury();
create trigger memory_facts_bury after delete on memory_facts referencing old table as gone for each statement execute function memory_bury();
create trigger memory_entities_bury after delete on memory_entities referencing old table as gone for each statement execute function memory_bury();
create trigger memory_promises_bury after delete on memory_promises referencing old table as gone for each statement execute function memory_bury();
create trigger memory_summaries_bury after delete on memory_summaries referencing old table as gone for each statement execute function memory_bury();
create trigger summaries_bury after delete on summaries referencing old table as gone for each statement execute function memory_bury();

-- A relation is of the person whose entities it joins. One that goes with an
-- entity needs no tombstone: it cannot be without the entity.
-- +goose StatementBegin
create function memory_bury_relations() returns trigger
language plpgsql as $$
begin
    insert into memory_tombstones (turn_id, person_id)
    select g.id, e.person_id from gone g join memory_entities e on e.id = g.from_id on conflict do nothing;
    return null;
end
$$;
-- +goose StatementEnd
create trigger memory_relations_bury after delete on memory_relations referencing old table as gone for each statement execute function memory_bury_relations();

-- +goose Down
drop trigger memory_relations_bury on memory_relations;
drop trigger summaries_bury on summaries;
drop trigger memory_summaries_bury on memory_summaries;
drop trigger memory_promises_bury on memory_promises;
drop trigger memory_entities_bury on memory_entities;
drop trigger memory_facts_bury on memory_facts;
drop trigger memory_turns_bury on memory_turns;
drop function memory_bury_relations(), memory_bury();
