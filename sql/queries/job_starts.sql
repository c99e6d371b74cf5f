-- name: JobStartsSince :many
select at from job_starts where queue = @queue and at > @since order by at;

-- name: JobStartInsert :exec
insert into job_starts (queue, at) values (@queue, @at);

-- name: JobStartsPrune :exec
delete from job_starts where queue = @queue and at <= @before;

-- JobLock takes the queue's lock for this session, or says at once that another has it.
-- name: JobLock :one
select pg_try_advisory_lock(hashtextextended('naiber job ' || @queue::text, 0))::boolean;

-- name: JobUnlock :exec
select pg_advisory_unlock(hashtextextended('naiber job ' || @queue::text, 0));
