-- name: PinSet :exec
insert into person_pins (person_id, salt, hash) values (@person_id, @salt, @hash)
on conflict (person_id) do update set salt = excluded.salt, hash = excluded.hash, wrong = 0, locked_until = null, set_at = now();

-- name: PinDelete :execrows
delete from person_pins where person_id = @person_id;

-- PinLock reads a person's PIN and keeps other tries waiting.
-- name: PinLock :one
select * from person_pins where person_id = @person_id for update;

-- PinUsable reports whether a person has a PIN that may be tried.
-- name: PinUsable :one
select exists (select from person_pins where person_id = @person_id and (locked_until is null or locked_until <= @now::timestamptz));

-- PinTried keeps how many tries in a row were wrong.
-- name: PinTried :exec
update person_pins set wrong = @wrong, locked_until = @locked_until where person_id = @person_id;
