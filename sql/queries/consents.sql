-- name: ConsentInsert :one
insert into consents (id, person_id, scope, given_by, how) values (@id, @person_id, @scope, @given_by, @how)
returning *;

-- name: ConsentsOf :many
select * from consents where person_id = @person_id order by given_at, id;

-- name: ConsentScopes :many
select s.scope::text from scopes_of(@person_id::uuid) as s (scope);

-- ConsentRevoke ends every standing consent of one scope.
-- name: ConsentRevoke :execrows
update consents set revoked_at = now(), revoked_by = @revoked_by::text, revoked_how = @revoked_how::text
where person_id = @person_id and scope = @scope and revoked_at is null;

-- KeptOf counts what is kept of what a person said.
-- name: KeptOf :one
select
    (select count(*) from utterances u join calls c on c.id = u.call_id where c.person_id = @person_id::uuid)::int as lines,
    (select count(*) from memory_turns where person_id = @person_id::uuid)::int as turns,
    (select count(*) from memory_facts where person_id = @person_id::uuid)::int as facts,
    (select count(*) from memory_promises where person_id = @person_id::uuid)::int as promises,
    ((select count(*) from memory_summaries where person_id = @person_id::uuid)
        + (select count(*) from summaries where person_id = @person_id::uuid))::int as summaries;

-- ConsentRestore gives anew a consent that was taken back at the moment of an
-- opt-out, and by nothing else.
-- name: ConsentRestore :execrows
insert into consents (id, person_id, scope, given_by, how)
select @id, @person_id, 'calls', @given_by, @how
where exists (select from consents c where c.person_id = @person_id and c.scope = 'calls' and c.revoked_at = @revoked_at::timestamptz)
  and not exists (select from consents c where c.person_id = @person_id and c.scope = 'calls' and c.revoked_at is null);
