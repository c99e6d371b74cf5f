-- name: PersonInsert :one
insert into people (name, preferred_name, phone, second_phone, timezone, language, address, email, birth_date, notes, conditions, medications, quiet_start, quiet_end, facility, region, id)
values (@name, @preferred_name, @phone, @second_phone, @timezone, @language, @address, @email, @birth_date, @notes, @conditions, @medications, @quiet_start, @quiet_end, @facility, @region, @id)
returning *;

-- name: PersonUpdate :one
update people
set name = @name, preferred_name = @preferred_name, phone = @phone, second_phone = @second_phone, timezone = @timezone, language = @language,
    address = @address, email = @email, birth_date = @birth_date, notes = @notes, conditions = @conditions, medications = @medications,
    quiet_start = @quiet_start, quiet_end = @quiet_end, facility = @facility, region = @region, updated_at = now()
where id = @id
returning *;

-- PersonNote adds a line to a person's notes, as far as they have room for it.
-- name: PersonNote :execrows
update people set notes = concat_ws(E'\n', nullif(notes, ''), @note::text), updated_at = now()
where id = @id and char_length(notes) + char_length(@note::text) < @room::int;

-- name: PersonUpdatedAt :one
select updated_at from people where id = @id;

-- PersonOptOut keeps the first moment of an opt-out that stands. The moment is the
-- transaction's, as is that of the consent which it takes back.
-- name: PersonOptOut :execrows
update people
set opted_out_at = coalesce(opted_out_at, now()),
    opted_out_how = case when opted_out_at is null then @how else opted_out_how end, updated_at = now()
where id = @id;

-- name: PersonOptIn :execrows
update people set opted_out_at = null, opted_out_how = '', updated_at = now() where id = @id;

-- PersonSecondPhoneRestore keeps a number as it was elsewhere. One that is there stays as it is.
-- name: PersonSecondPhoneRestore :exec
update people set second_phone = @second_phone, updated_at = now() where id = @id and second_phone = '';

-- name: PersonGet :one
select * from people where id = @id;

-- PersonLock holds the person's row until the transaction ends, so that two
-- dials for one person are decided one after the other.
-- name: PersonLock :one
select * from people where id = @id for update;

-- name: PersonDelete :execrows
delete from people where id = @id;

-- name: PeopleByPhone :many
select * from people where phone = @phone or second_phone = nullif(@phone, '') order by id;

-- name: PeopleList :many
select * from people where id > coalesce(sqlc.narg('after')::uuid, '00000000-0000-0000-0000-000000000000') order by id limit @max_rows;

-- PeopleByName matches the whole name or the preferred name first, then a part of either.
-- name: PeopleByName :many
select * from people
where lower(name) like '%' || lower(@part::text) || '%' or lower(preferred_name) like '%' || lower(@part::text) || '%'
order by (lower(name) = lower(@part::text) or lower(preferred_name) = lower(@part::text)) desc, id
limit 20;
