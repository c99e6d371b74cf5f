-- +goose Up

-- What somebody wrote is kept also where they left before a word of the reply
-- was sent to them.
alter table chat_episodes
    drop constraint chat_episodes_response_present,
    add constraint chat_episodes_response_present check (response <> '' or finish = 'interrupted');

-- +goose Down
alter table chat_episodes
    drop constraint chat_episodes_response_present,
    add constraint chat_episodes_response_present check (response <> '') not valid;
