-- name: ContactInsert :exec
insert into contacts (id, person_id, name, relation, phone, email, priority, notes)
values (@id, @person_id, @name, @relation, @phone, @email, @priority, @notes);

-- name: ContactsOf :many
select * from contacts where person_id = @person_id order by priority, id;

-- name: ContactsDelete :exec
delete from contacts where person_id = @person_id;
