-- name: ContactInsert :exec
insert into contacts (id, person_id, name, relation, phone, email, priority, notes, webhook, channels, hours_from, hours_to, language, must_not_be_told)
values (@id, @person_id, @name, @relation, @phone, @email, @priority, @notes, @webhook, @channels, @hours_from, @hours_to, @language, @must_not_be_told);

-- name: ContactsOf :many
select * from contacts where person_id = @person_id order by priority, id;

-- name: ContactsDelete :exec
delete from contacts where person_id = @person_id;
