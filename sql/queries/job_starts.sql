-- name: JobStartsSince :many
select at from job_starts where queue = @queue and at > @since order by at;

-- name: JobStartInsert :exec
insert into job_starts (queue, at) values (@queue, @at);

-- name: JobStartsPrune :exec
delete from job_starts where queue = @queue and at <= @before;

-- JobTurnTake takes a queue's turn, unless another holds it.
-- name: JobTurnTake :execrows
insert into job_turns (queue, holder, until) values (@queue, @holder, now() + interval '20 seconds')
on conflict (queue) do update set holder = excluded.holder, until = excluded.until where job_turns.until < now();

-- name: JobTurnRenew :exec
update job_turns set until = now() + interval '20 seconds' where holder = @holder;

-- name: JobTurnEnd :exec
delete from job_turns where holder = @holder;
