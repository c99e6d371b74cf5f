-- name: ScheduleInsert :one
insert into schedules (id, person_id, call_type, rrule, window_from, window_to, jitter_minutes, essential, grace_minutes, starts_on, ends_on, note, paused, created_by, since)
values (@id, @person_id, @call_type, @rrule, @window_from, @window_to, @jitter_minutes, @essential, @grace_minutes, @starts_on, @ends_on, @note, @paused, @created_by, @since)
returning *;

-- name: ScheduleGet :one
select * from schedules where id = @id and removed_at is null;

-- name: ScheduleLock :one
select * from schedules where id = @id and removed_at is null for no key update;

-- name: ScheduleUpdate :one
update schedules
set call_type = @call_type, rrule = @rrule, window_from = @window_from, window_to = @window_to, jitter_minutes = @jitter_minutes,
    essential = @essential, grace_minutes = @grace_minutes, starts_on = @starts_on, ends_on = @ends_on, note = @note, paused = @paused,
    since = @since, updated_at = clock_timestamp()
where id = @id
returning *;

-- name: ScheduleRemove :execrows
update schedules set removed_at = @at::timestamptz, note = '', updated_at = now() where id = @id and removed_at is null;

-- SchedulesList lists schedules after an id, of a person where there is one.
-- name: SchedulesList :many
select * from schedules
where removed_at is null and (sqlc.narg('person_id')::uuid is null or person_id = sqlc.narg('person_id'))
  and id > coalesce(sqlc.narg('after')::uuid, '00000000-0000-0000-0000-000000000000')
order by id
limit @max_rows;

-- SchedulePerson reads and keeps whose schedule it is until the transaction ends: a
-- person who is being deleted is waited for here, before anything else is held.
-- name: SchedulePerson :one
select p.* from people p join schedules s on s.person_id = p.id where s.id = @id and s.removed_at is null for key share of p;

-- SchedulesToPlan lists schedules after an id that are not planned up to a day, or were
-- planned before they or their person were changed. A change is seen after its transaction has
-- ended, which may be a while after its moment.
-- name: SchedulesToPlan :many
select s.id from schedules s join people p on p.id = s.person_id
where s.removed_at is null and s.id > coalesce(sqlc.narg('after')::uuid, '00000000-0000-0000-0000-000000000000') and (s.planned_to is null or s.planned_to < @planned_to or s.planned_at <= greatest(s.updated_at, p.updated_at) + interval '1 minute')
order by s.id
limit @max_rows;

-- name: SchedulePlanned :exec
update schedules set planned_to = case when planned_to > @planned_to then planned_to else @planned_to end, planned_at = clock_timestamp() where id = @id;

-- OccurrencePlan plans a day. What is still to come and was not tried is planned again, but not for a
-- time that is over.
-- name: OccurrencePlan :execrows
insert into occurrences (id, schedule_id, person_id, call_type, essential, local_date, window_start, due, window_end, deadline, next_at, status, why, settled_at)
values (@id, @schedule_id, @person_id, @call_type, @essential, @local_date, @window_start, @due, @window_end, @deadline, @due, @status, @why, @settled_at)
on conflict (schedule_id, local_date) do update
set call_type = excluded.call_type, essential = excluded.essential, window_start = excluded.window_start, due = excluded.due,
    window_end = excluded.window_end, deadline = excluded.deadline, next_at = excluded.next_at, status = excluded.status, why = excluded.why,
    settled_at = excluded.settled_at
where occurrences.attempts = 0 and occurrences.status in ('due', 'skipped') and occurrences.due > @now::timestamptz and excluded.deadline > @now::timestamptz;

-- OccurrencesUnplan deletes what is still to come and was not tried, but for some days.
-- name: OccurrencesUnplan :exec
delete from occurrences
where schedule_id = @schedule_id and attempts = 0 and status in ('due', 'skipped') and due > @now::timestamptz
  and not (to_char(local_date, 'YYYY-MM-DD') = any(@days::text[]));

-- OccurrencesStop skips what is due of a schedule and is not being tried.
-- name: OccurrencesStop :exec
update occurrences set status = 'skipped', why = @why, settled_at = @now::timestamptz where schedule_id = @schedule_id and status = 'due';

-- DispatchLock makes one process at a time decide whom to call; false: another one does.
-- name: DispatchLock :one
select pg_try_advisory_xact_lock(hashtext('naiber.dispatch'))::boolean as mine;

-- DispatchLoad says how many calls are being made, of how many the carrier was not asked yet, and when the last one began.
-- name: DispatchLoad :one
select (select count(*) from occurrences where status = 'calling')::integer as calling,
    (select count(*) from occurrences o join occurrence_attempts a on a.occurrence_id = o.id and a.n = o.attempts where o.status = 'calling' and a.asked_at is null and a.started_at > @recent::timestamptz)::integer as unasked,
    coalesce((select max(started_at) from occurrence_attempts), 'epoch')::timestamptz as last_start;

-- OccurrenceNext is the one to be tried next: essential ones first, and nobody who is on
-- the telephone with us.
-- name: OccurrenceNext :one
select sqlc.embed(o), (s.paused or s.removed_at is not null)::boolean as stopped
from occurrences o join schedules s on s.id = o.schedule_id
where o.status = 'due' and o.next_at <= @now::timestamptz and o.deadline >= @now
  and not exists (select from calls c where coalesce(c.person_id, c.believed_id) = o.person_id and c.ended_at is null)
order by o.essential desc, o.next_at, o.id
limit 1
for update of o skip locked;

-- OccurrenceMade is a call of the person's, whoever placed it, by which an occurrence has been made.
-- name: OccurrenceMade :one
select id from calls
where person_id = @person_id::uuid and call_type = @call_type and outcome = 'reached' and ended_cause = any(@causes::text[]) and created_at >= @since::timestamptz
order by id
limit 1;

-- name: OccurrenceBegin :exec
update occurrences set status = 'calling', why = '', attempts = @n where id = @id;

-- name: AttemptInsert :exec
insert into occurrence_attempts (occurrence_id, n, call_id, started_at, ended_at, result)
values (@occurrence_id, @n, @call_id, @started_at, @ended_at, @result);

-- name: AttemptDelete :exec
delete from occurrence_attempts where occurrence_id = @occurrence_id and n = @n;

-- AttemptAsked records that the carrier was asked, and the call that is on record.
-- name: AttemptAsked :exec
update occurrence_attempts
set asked_at = @asked_at::timestamptz, carrier_failed = @carrier_failed::boolean, call_id = coalesce(call_id, (select c.id from calls c where c.id = @call_id::uuid))
where occurrence_id = @occurrence_id and n = @n;

-- name: AttemptEnd :exec
update occurrence_attempts set call_id = @call_id, ended_at = @ended_at, result = @result where occurrence_id = @occurrence_id and n = @n;

-- name: AttemptsOf :many
select * from occurrence_attempts where occurrence_id = @occurrence_id order by n;

-- OccurrenceTried is the occurrence of which a try is under way.
-- name: OccurrenceTried :one
select * from occurrences where id = @id and status = 'calling' and attempts = @n for update;

-- OccurrenceOfCall is the occurrence that a call is the present try of.
-- name: OccurrenceOfCall :one
select o.* from occurrences o
where o.status = 'calling' and exists (
    select from calls c where c.id = @call_id and c.person_id = o.person_id and c.idempotency_key = 'occurrence:' || o.id || ':' || o.attempts)
for update of o;

-- name: OccurrenceSettle :exec
update occurrences set status = @status, why = @why, next_at = @next_at, attempts = @attempts, settled_at = @settled_at where id = @id;

-- OccurrencesExpired are those whose time is over, with what kept them from being called, but for those
-- whose person has such a call just now: its end tells.
-- name: OccurrencesExpired :many
select sqlc.embed(o), (s.paused or s.removed_at is not null)::boolean as stopped, (p.opted_out_at is not null)::boolean as opted_out,
    exists (select from consents k where k.person_id = o.person_id and k.scope = 'calls' and k.revoked_at is null)::boolean as consented,
    exists (select from pauses u where u.person_id = o.person_id and u.lifted_at is null and u.starts_at <= o.due and (u.ends_at is null or u.ends_at > o.due))::boolean as paused
from occurrences o join schedules s on s.id = o.schedule_id join people p on p.id = o.person_id
where o.status = 'due' and o.deadline < @now::timestamptz
  and not exists (select from calls c where c.person_id = o.person_id and c.call_type = o.call_type and c.ended_at is null)
order by o.deadline, o.id
limit @max_rows
for update of o skip locked;

-- OccurrencesStuck are those of which a try began long ago, with its call as far as there is one.
-- name: OccurrencesStuck :many
select o.id, o.attempts, c.id as call_id, (c.ended_at is not null)::boolean as ended
from occurrences o
    join occurrence_attempts a on a.occurrence_id = o.id and a.n = o.attempts
    left join calls c on c.idempotency_key = 'occurrence:' || o.id || ':' || o.attempts
where o.status = 'calling' and a.started_at < @before::timestamptz and (c.id is null or c.ended_at is not null)
order by a.started_at
limit @max_rows;

-- OccurrencesUntold are essential ones that were missed and of which no human has been told yet.
-- name: OccurrencesUntold :many
select sqlc.embed(o), (select a.call_id from occurrence_attempts a where a.occurrence_id = o.id and a.call_id is not null order by a.n desc limit 1)::uuid as last_call
from occurrences o
where o.status = 'missed' and o.essential
order by o.deadline, o.id
limit @max_rows;

-- name: OccurrenceEscalated :exec
update occurrences set status = 'escalated' where id = @id and status = 'missed';

-- CarrierRun is how often the carrier has failed since it last did not.
-- name: CarrierRun :one
select count(*)::integer as failures, count(distinct o.person_id)::integer as people,
    coalesce(min(a.asked_at), 'epoch')::timestamptz as first_at, coalesce(max(a.asked_at), 'epoch')::timestamptz as last_at
from occurrence_attempts a join occurrences o on o.id = a.occurrence_id
where a.carrier_failed and a.asked_at > coalesce((select max(b.asked_at) from occurrence_attempts b where not b.carrier_failed), 'epoch');

-- OccurrenceGet is one with its calls.
-- name: OccurrenceGet :one
select * from occurrences where id = @id;

-- OccurrencesList lists occurrences by when they are due.
-- name: OccurrencesList :many
select sqlc.embed(o), (select coalesce(array_agg(a.call_id order by a.n) filter (where a.call_id is not null), '{}') from occurrence_attempts a where a.occurrence_id = o.id)::uuid[] as call_ids
from occurrences o
where (sqlc.narg('person_id')::uuid is null or o.person_id = sqlc.narg('person_id'))
  and (sqlc.narg('status')::text is null or o.status = sqlc.narg('status'))
  and (sqlc.narg('from')::timestamptz is null or o.due >= sqlc.narg('from'))
  and (sqlc.narg('to')::timestamptz is null or o.due < sqlc.narg('to'))
  and (sqlc.narg('after_at')::timestamptz is null or (o.due, o.id) > (sqlc.narg('after_at')::timestamptz, sqlc.narg('after_id')::uuid))
order by o.due, o.id
limit @max_rows;

-- OccurrencesPrune deletes what was settled before a time.
-- name: OccurrencesPrune :execrows
delete from occurrences where settled_at < @before::timestamptz and not (status = 'missed' and essential);

-- ScheduleNotesForget takes the words from notes of schedules, where there are topics from those that speak of one.
-- name: ScheduleNotesForget :execrows
update schedules set note = ''
where person_id = @person_id and note <> '' and updated_at >= @since::timestamptz and updated_at < @until::timestamptz
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, note, @topics::text[]));

-- SchedulesOf are all of a person, those that were removed, too.
-- name: SchedulesOf :many
select * from schedules where person_id = @person_id order by id;

-- name: OccurrencesOf :many
select * from occurrences where person_id = @person_id order by schedule_id, local_date;

-- name: AttemptsOfPerson :many
select a.* from occurrence_attempts a join occurrences o on o.id = a.occurrence_id where o.person_id = @person_id order by a.occurrence_id, a.n;

-- ScheduleRestore keeps a schedule as it was elsewhere. One that is there stays as it is.
-- name: ScheduleRestore :execrows
insert into schedules (id, person_id, call_type, rrule, window_from, window_to, jitter_minutes, essential, grace_minutes, starts_on, ends_on, note, paused, created_by, since, removed_at, created_at, updated_at)
values (@id, @person_id, @call_type, @rrule, @window_from, @window_to, @jitter_minutes, @essential, @grace_minutes, @starts_on, @ends_on, @note, @paused, @created_by, @since, @removed_at, @created_at, @updated_at)
on conflict do nothing;

-- name: OccurrenceRestore :execrows
insert into occurrences (id, schedule_id, person_id, call_type, essential, local_date, window_start, due, window_end, deadline, next_at, status, why, attempts, settled_at)
values (@id, @schedule_id, @person_id, @call_type, @essential, @local_date, @window_start, @due, @window_end, @deadline, @due, @status, @why, @attempts, @settled_at)
on conflict do nothing;

-- AttemptRestore keeps a try as it was elsewhere, with its call where that is here, and the person's.
-- name: AttemptRestore :exec
insert into occurrence_attempts (occurrence_id, n, call_id, started_at, ended_at, result)
values (@occurrence_id, @n, (select c.id from calls c where c.id = sqlc.narg('call_id')::uuid and c.person_id = @person_id), @started_at, @ended_at, @result);

-- SchedulesLock are all of a person's schedules, which nobody else changes until the transaction ends.
-- name: SchedulesLock :many
select * from schedules where person_id = @person_id and removed_at is null order by id for no key update;

-- ScheduleChangeInsert records a change; none where the turn has made one. What somebody said who
-- may not be recorded is not kept.
-- name: ScheduleChangeInsert :execrows
insert into schedule_changes (id, person_id, call_id, turn, said, confirmed, before, after, pause_from, pause_to, created_at)
values (@id, @person_id, @call_id, @turn,
    case when keeps_words(@person_id) then @said::text else '' end,
    @confirmed, @before, @after, @pause_from, @pause_to, @created_at)
on conflict do nothing;

-- name: ScheduleChangeOfTurn :one
select * from schedule_changes where call_id = @call_id and turn = @turn;

-- ScheduleChanges lists a person's changes, the latest first, before one where there is an id.
-- name: ScheduleChanges :many
select * from schedule_changes
where person_id = @person_id and (sqlc.narg('before_id')::uuid is null or id < sqlc.narg('before_id'))
order by id desc
limit @max_rows;

-- ScheduleChangeWordsForget takes a person's words out of their changes, where there are topics from those that speak of one.
-- name: ScheduleChangeWordsForget :execrows
update schedule_changes set said = ''
where person_id = @person_id and said <> '' and created_at >= @since::timestamptz and created_at < @until::timestamptz
    and (cardinality(@topics::text[]) = 0 or memory_speaks_of(@config, said, @topics::text[]));
