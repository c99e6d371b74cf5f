-- +goose Up

-- The catalogue of the appliance helper: which parts a model has. Numbers are found by
-- their keys, which are letters and digits alone, upper case; in collation C a prefix
-- is a range. No extension is needed: trigrams are rows.
create table catalogue_models (
    model_key   text collate "C" primary key constraint catalogue_models_key_plain check (model_key ~ '^[A-Z0-9]+$'),
    model       text not null
);

-- The trigrams of the models' keys, for a number that was misheard.
create table catalogue_grams (
    gram        text collate "C" not null,
    model_key   text collate "C" not null references catalogue_models on delete cascade,
    primary key (gram, model_key)
);

-- +goose StatementBegin
create function catalogue_text(texts text[]) returns text
language sql immutable as $$ select array_to_string(texts, E'\n') $$;
-- +goose StatementEnd

-- catalogue_host is the host of a link, in lower case.
-- +goose StatementBegin
create function catalogue_host(link text) returns text
language sql immutable as $$ select substring(lower(link) from '^https?://([a-z0-9.-]+)') $$;
-- +goose StatementEnd

create table catalogue_parts (
    model_key   text collate "C" not null references catalogue_models on delete cascade,
    number_key  text collate "C" not null constraint catalogue_parts_key_plain check (number_key ~ '^[A-Z0-9]+$'),
    number      text not null,
    name        text not null,
    price_cents bigint not null constraint catalogue_parts_price_positive check (price_cents >= 0),
    description text not null,
    image_url   text not null,
    video_url   text not null,
    symptoms    text[] not null,
    steps       text[] not null,
    words       tsvector not null generated always as (setweight(to_tsvector('english', name), 'A')
        || setweight(to_tsvector('english', catalogue_text(symptoms)), 'B') || setweight(to_tsvector('english', description), 'C')) stored,
    primary key (model_key, number_key)
);
create index catalogue_parts_number_idx on catalogue_parts (number_key, model_key);
create index catalogue_parts_number_end_idx on catalogue_parts (reverse(number_key));
create index catalogue_parts_words_idx on catalogue_parts using gin (words);
create index catalogue_parts_image_host_idx on catalogue_parts (catalogue_host(image_url)) where image_url <> '';
create index catalogue_parts_video_host_idx on catalogue_parts (catalogue_host(video_url)) where video_url <> '';

create view catalogue as
    select p.model_key, p.number_key, m.model, p.number, p.name, p.price_cents, p.description, p.image_url, p.video_url, p.symptoms, p.steps
    from catalogue_parts p join catalogue_models m using (model_key);

-- +goose Down
drop view catalogue;
drop table catalogue_parts;
drop function catalogue_host(text);
drop function catalogue_text(text[]);
drop table catalogue_grams;
drop table catalogue_models;
