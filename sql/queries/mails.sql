-- MailInsert keeps a mail, or nothing where there is one of its key.
-- name: MailInsert :execrows
insert into mails (mail_id, key, person_id, recipient, subject, html, body, created_at, attempts, sent_at, error)
values (@mail_id, @key, @person_id, @recipient, @subject, @html, @body, @created_at, @attempts, @sent_at, @error)
on conflict do nothing;

-- MailAttempt counts a try of a mail that was not sent.
-- name: MailAttempt :one
update mails set attempts = attempts + 1, attempted_at = now(), error = '' where mail_id = @mail_id and sent_at is null returning *;

-- name: MailSent :exec
update mails set sent_at = now() where mail_id = @mail_id and sent_at is null;

-- name: MailFailed :exec
update mails set error = @error where mail_id = @mail_id and sent_at is null;

-- name: MailByID :one
select * from mails where mail_id = @mail_id;

-- name: MailsPage :many
select * from mails
where sqlc.narg(before_at)::timestamptz is null or (created_at, mail_id) < (sqlc.narg(before_at)::timestamptz, sqlc.narg(before_id)::uuid)
order by created_at desc, mail_id desc limit @max_rows;

-- name: MailsOf :many
select * from mails where person_id = @person_id order by created_at, mail_id;
