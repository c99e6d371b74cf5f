-- +goose Up

-- The order in which vectors were written. A number is drawn only by who holds
-- the locks of all shelves that it will stand on, so that within one shelf a
-- higher number was never committed before a lower one.
create sequence memory_vector_revs;

-- A shelf is all vectors of one owner. Its version moves whenever anything on
-- it does, so that a process which keeps a copy can tell by one read whether the
-- copy is still true, and fetch only what is newer. No row: no vectors.
create table memory_vector_shelves (
    kind     text not null constraint memory_vector_shelves_kind_known check (kind in ('person', 'session', 'project')),
    owner    uuid not null,
    version  bigint not null,
    -- The version at which something last left the shelf. A copy older than that
    -- cannot be mended by what is newer, and is read anew.
    cut      bigint not null default 0,
    primary key (kind, owner)
);

-- Unit vectors, one for each window, fact, entity or topic that has one. Those
-- of a person go with the person; sessions and projects are deleted by name.
create table memory_vectors (
    id          uuid primary key,
    person_id   uuid references people on delete cascade,
    session_id  uuid,
    project_id  uuid,
    kind        text not null constraint memory_vectors_kind_present check (kind <> ''),
    -- The embedding model's name and version. Vectors of two models never meet.
    model       text not null constraint memory_vectors_model_present check (model <> ''),
    dims        integer not null constraint memory_vectors_dims_positive check (dims > 0),
    -- dims numbers of 32 bits, little-endian, of length one together.
    vector      bytea not null,
    -- The vector's length before it was brought to one.
    norm        real not null constraint memory_vectors_norm_positive check (norm > 0),
    at          timestamptz not null,
    rev         bigint not null,
    constraint memory_vectors_owned check (num_nonnulls(person_id, session_id, project_id) > 0),
    constraint memory_vectors_whole check (octet_length(vector) = dims * 4)
) with (toast_tuple_target = 8160); -- up to 2,000 numbers stay in the row: reading them apart takes several times as long

-- Random bits do not compress; trying costs time at every write.
alter table memory_vectors alter column vector set storage external;

create index memory_vectors_person_idx on memory_vectors (person_id, rev) where person_id is not null;
create index memory_vectors_session_idx on memory_vectors (session_id, rev) where session_id is not null;
create index memory_vectors_project_idx on memory_vectors (project_id, rev) where project_id is not null;

-- Whoever deletes vectors, in whatever way (a person's row that goes takes them
-- along), moves the shelves that they stood on; an empty shelf goes too, since
-- its owner's id is all that would be left of the owner.
-- +goose StatementBegin
create function memory_vectors_cut() returns trigger language plpgsql as $$
declare
    s record;
begin
    for s in
        select distinct o.kind, o.owner
        from gone g cross join lateral (values ('person', g.person_id), ('session', g.session_id), ('project', g.project_id)) as o (kind, owner)
        where o.owner is not null
        order by o.kind, o.owner
    loop
        insert into memory_vector_shelves as t (kind, owner, version, cut)
        values (s.kind, s.owner, nextval('memory_vector_revs'), currval('memory_vector_revs'))
        on conflict (kind, owner) do update set version = nextval('memory_vector_revs'), cut = currval('memory_vector_revs');
        -- By the order of its index each question is one look, however many rows there are.
        if (case s.kind
            when 'person' then (select v.rev from memory_vectors v where v.person_id = s.owner order by v.rev limit 1)
            when 'session' then (select v.rev from memory_vectors v where v.session_id = s.owner order by v.rev limit 1)
            else (select v.rev from memory_vectors v where v.project_id = s.owner order by v.rev limit 1) end) is null
        then
            delete from memory_vector_shelves t where t.kind = s.kind and t.owner = s.owner;
        end if;
    end loop;
    return null;
end
$$;
-- +goose StatementEnd
create trigger memory_vectors_cut after delete on memory_vectors
    referencing old table as gone for each statement execute function memory_vectors_cut();

-- +goose Down
drop table memory_vectors, memory_vector_shelves;
drop function memory_vectors_cut();
drop sequence memory_vector_revs;
