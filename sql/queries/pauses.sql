-- name: PauseInsert :one
insert into pauses (id, person_id, starts_at, ends_at, reason, created_by)
values (@id, @person_id, @starts_at, @ends_at, @reason, @created_by)
returning *;

-- name: PausesOf :many
select * from pauses where person_id = @person_id and lifted_at is null and (ends_at is null or ends_at > now()) order by starts_at;

-- PauseAt is the pause that holds at a moment, the longest first.
-- name: PauseAt :one
select * from pauses
where person_id = @person_id and lifted_at is null and starts_at <= @at and (ends_at is null or ends_at > @at)
order by ends_at desc nulls first
limit 1;

-- name: PauseLift :execrows
update pauses set lifted_at = now() where id = @id and person_id = @person_id and lifted_at is null;

-- PausesEver are all of a person, over or lifted, too.
-- name: PausesEver :many
select * from pauses where person_id = @person_id order by id;

-- PauseRestore keeps a pause as it was elsewhere. One that is there stays as it is.
-- name: PauseRestore :exec
insert into pauses (id, person_id, starts_at, ends_at, reason, created_by, lifted_at)
values (@id, @person_id, @starts_at, @ends_at, @reason, @created_by, @lifted_at)
on conflict do nothing;
