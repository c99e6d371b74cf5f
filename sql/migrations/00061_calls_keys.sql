-- +goose Up

-- What may be set and cleared in a call is no key of it: an update of a column with a whole
-- unique index locks the row against those who tell its timeline (their foreign key), and who
-- ends a call then waits for them while they wait for it.
drop index calls_sid_key;
drop index calls_idempotency_key;
drop index calls_stream_token_key;
create unique index calls_sid_key on calls (call_sid) where call_sid is not null;
create unique index calls_idempotency_key on calls (idempotency_key) where idempotency_key is not null;
create unique index calls_stream_token_key on calls (stream_token_hash) where stream_token_hash is not null;

-- +goose Down
drop index calls_sid_key;
drop index calls_idempotency_key;
drop index calls_stream_token_key;
create unique index calls_sid_key on calls (call_sid);
create unique index calls_idempotency_key on calls (idempotency_key);
create unique index calls_stream_token_key on calls (stream_token_hash);
