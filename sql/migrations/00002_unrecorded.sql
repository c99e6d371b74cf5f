-- +goose Up

-- True once a call has ended without consent to recording: what was said in it
-- is not kept word for word, and what is written late leaves the words out.
alter table calls add column unrecorded boolean not null default false;

-- +goose Down
alter table calls drop column unrecorded;
