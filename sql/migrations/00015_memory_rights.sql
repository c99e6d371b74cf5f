-- +goose Up

-- Turns that were forgotten: whoever learns from a call or a chat that still
-- knows them does not bring them back. Only ids: nothing of what was said.
create table memory_tombstones (
    turn_id     uuid primary key,
    person_id   uuid references people on delete cascade,
    at          timestamptz not null default now()
);
create index memory_tombstones_person_idx on memory_tombstones (person_id) where person_id is not null;

-- People of whom something was forgotten and whose vectors are still to be
-- compared with what there is. The person may be gone already, so it is no key.
create table memory_erasures (
    person_id   uuid primary key,
    asked_at    timestamptz not null default now(),
    tries       integer not null default 0
);

-- memory_speaks_of reports whether a text has all the words of one of the
-- topics, however they are inflected. A topic of stop words only is looked for
-- as it is written.
-- +goose StatementBegin
create function memory_speaks_of(config text, body text, topics text[]) returns boolean
language sql stable parallel safe as $$
    select exists (
        select 1 from (select t.topic, plainto_tsquery(config::regconfig, t.topic) as query from unnest(topics) as t(topic)) l
        where case when numnode(l.query) > 0 then l.query @@ to_tsvector(config::regconfig, body)
            else position(lower(l.topic) in lower(body)) > 0 end)
$$;
-- +goose StatementEnd

-- memory_lost reports whether a text has a word that it can only have from what
-- is to be forgotten: one that stands there, and not in what is left.
-- +goose StatementBegin
create function memory_lost(config text, body text, gone text, remains text) returns boolean
language sql stable parallel safe as $$
    select exists (
        select 1 from unnest(tsvector_to_array(to_tsvector(config::regconfig, body))) as w(word)
        where w.word = any(tsvector_to_array(to_tsvector(config::regconfig, gone)))
            and not w.word = any(tsvector_to_array(to_tsvector(config::regconfig, remains))))
$$;
-- +goose StatementEnd

-- memory_plain is a text as it is compared with another telling of the same
-- words: lower case, no punctuation, a space on both ends.
-- +goose StatementBegin
create function memory_plain(body text) returns text
language sql immutable parallel safe as $$
    select ' ' || btrim(regexp_replace(lower(body), '[^[:alnum:]]+', ' ', 'g')) || ' '
$$;
-- +goose StatementEnd

-- +goose Down
drop function memory_plain(text), memory_lost(text, text, text, text), memory_speaks_of(text, text, text[]);
drop table memory_erasures, memory_tombstones;
