-- +goose Up

-- What a model said in a turn and was not spoken, a line each: the kind, and the sentence.
alter table turns add column withheld text not null default '';

-- +goose Down
alter table turns drop column withheld;
