-- name: AuditInsert :exec
insert into audit (actor, action, person_id, subject, data) values (@actor, @action, @person_id, @subject, @data);

-- name: AuditOf :many
select * from audit where person_id = @person_id::uuid order by id desc limit @max_rows;
