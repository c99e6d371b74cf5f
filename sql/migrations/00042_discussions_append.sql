-- +goose Up

-- discussions_append adds events to several discussions, to each behind the last one
-- that its caller knows, and returns the ordinals, from 1, of the discussions to which
-- others had not added first. Events name theirs by its ordinal. An empty status, and
-- fewer rounds, change nothing. updated_at, which has an index, is a sign of life: it is
-- not written with each event, so that most updates touch no index. All is announced in
-- one notification.
-- +goose StatementBegin
create function discussions_append(ids uuid[], knowns bigint[], statuses text[], rounds_of int[],
    owners int[], seqs bigint[], ats timestamptz[], kinds text[], datas text[]) returns setof int
language plpgsql as $$
declare
    moved int[] := '{}';
begin
    -- One by one: whatever the tables hold, each is found by its key.
    for n in 1 .. cardinality(ids) loop
        update discussions set last_seq = knowns[n] + cardinality(array_positions(owners, n)), status = coalesce(nullif(statuses[n], ''), status), rounds = greatest(rounds, rounds_of[n]),
            updated_at = case when statuses[n] = '' and updated_at > now() - interval '5 seconds' then updated_at else now() end
        where discussion_id = ids[n] and last_seq = knowns[n];
        if found then
            moved := moved || n;
        end if;
    end loop;
    insert into discussion_events (discussion_id, seq, at, kind, data)
    select ids[e.n], e.seq, e.at, e.kind, e.data::json
    from unnest(owners, seqs, ats, kinds, datas) as e (n, seq, at, kind, data)
    where e.n = any (moved);
    perform pg_notify('discussion_events', string_agg(ids[e.n]::text || ' ' || e.seq, ','))
    from (select n, max(seq) as seq from unnest(owners, seqs) as o (n, seq) group by n) e
    where e.n = any (moved) having count(*) > 0;
    return query select unnest(moved);
end
$$;
-- +goose StatementEnd

drop function discussion_append(uuid, bigint, timestamptz, text[], text[], text, int);

-- +goose Down
drop function discussions_append(uuid[], bigint[], text[], int[], int[], bigint[], timestamptz[], text[], text[]);
-- discussion_append adds events behind the last one that its caller knows, and reports
-- false where others were first. An empty status, and fewer rounds, change nothing.
-- +goose StatementBegin
create function discussion_append(id uuid, known bigint, happened timestamptz, kinds text[], datas text[], new_status text, new_rounds int) returns boolean
language plpgsql as $$
begin
    update discussions set last_seq = known + cardinality(kinds), status = coalesce(nullif(new_status, ''), status),
        rounds = greatest(rounds, new_rounds), updated_at = now()
    where discussion_id = id and last_seq = known;
    if not found then
        return false;
    end if;
    insert into discussion_events (discussion_id, seq, at, kind, data)
    select id, known + n, happened, kind, data::json from unnest(kinds, datas) with ordinality as e (kind, data, n);
    perform pg_notify('discussion_events', id::text || ' ' || known + cardinality(kinds));
    return true;
end
$$;
-- +goose StatementEnd
