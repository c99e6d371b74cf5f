-- VectorsMovedDelete deletes those of the given vectors that stand under another
-- owner than the given one, so that the shelves they leave hear of it.
-- name: VectorsMovedDelete :exec
delete from memory_vectors v
using (select unnest(@ids::uuid[]) as id, unnest(@people::uuid[]) as person, unnest(@sessions::uuid[]) as session,
    unnest(@projects::uuid[]) as project) n
where v.id = n.id
    and (v.person_id is distinct from n.person
        or v.session_id is distinct from n.session
        or v.project_id is distinct from n.project);

-- VectorShelvesLock makes the shelves that are missing and holds all of them
-- until the transaction ends. The order keeps two writers from waiting for each
-- other.
-- name: VectorShelvesLock :exec
insert into memory_vector_shelves as t (kind, owner, version)
select n.kind, n.owner, 0 from (select unnest(@kinds::text[]) as kind, unnest(@owners::uuid[]) as owner) n order by n.kind, n.owner
on conflict (kind, owner) do update set version = t.version;

-- name: VectorRevNext :one
select nextval('memory_vector_revs')::bigint as rev;

-- VectorShelvesStamp moves shelves to a version. For a new one that is its cut
-- as well: an earlier shelf of that owner may have come and gone, and copies of
-- it must not be mended.
-- name: VectorShelvesStamp :exec
update memory_vector_shelves t set version = @rev::bigint, cut = case when t.version = 0 then @rev::bigint else t.cut end
from (select unnest(@kinds::text[]) as kind, unnest(@owners::uuid[]) as owner) n where t.kind = n.kind and t.owner = n.owner;

-- VectorsUpsert writes vectors; the same id again replaces what it held. A row
-- that another writer put under another owner meanwhile is left, and not counted.
-- name: VectorsUpsert :execrows
insert into memory_vectors as v (id, person_id, session_id, project_id, kind, model, dims, vector, norm, at, rev)
select n.id, n.person, n.session,
    n.project, n.kind, n.model, octet_length(n.vector) / 4, n.vector, n.norm, n.at, @rev::bigint
from (select unnest(@ids::uuid[]) as id, unnest(@people::uuid[]) as person, unnest(@sessions::uuid[]) as session,
    unnest(@projects::uuid[]) as project, unnest(@kinds::text[]) as kind, unnest(@models::text[]) as model,
    unnest(@vectors::bytea[]) as vector, unnest(@norms::real[]) as norm, unnest(@ats::timestamptz[]) as at) n
order by n.id
on conflict (id) do update set kind = excluded.kind, model = excluded.model, dims = excluded.dims, vector = excluded.vector,
    norm = excluded.norm, at = excluded.at, rev = excluded.rev
where v.person_id is not distinct from excluded.person_id and v.session_id is not distinct from excluded.session_id
    and v.project_id is not distinct from excluded.project_id;

-- name: VectorShelvesOf :many
select * from memory_vector_shelves
where (kind = 'person' and owner = sqlc.narg('person')::uuid) or (kind = 'session' and owner = sqlc.narg('session')::uuid)
    or (kind = 'project' and owner = sqlc.narg('project')::uuid);

-- name: VectorsDelete :execrows
delete from memory_vectors where id = any(@ids::uuid[]);

-- name: VectorsOfDelete :execrows
delete from memory_vectors
where person_id = sqlc.narg('person')::uuid or session_id = sqlc.narg('session')::uuid or project_id = sqlc.narg('project')::uuid;

-- VectorsCount counts an owner's vectors, those of one model or, with the empty one, all.
-- name: VectorsCount :one
select count(*) from memory_vectors
where (person_id = sqlc.narg('person')::uuid or session_id = sqlc.narg('session')::uuid or project_id = sqlc.narg('project')::uuid)
    and (@model::text = '' or model = @model::text);

-- name: VectorIDs :many
select id from memory_vectors
where person_id = sqlc.narg('person')::uuid or session_id = sqlc.narg('session')::uuid or project_id = sqlc.narg('project')::uuid
order by id;
