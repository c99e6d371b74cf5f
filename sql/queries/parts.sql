-- name: CatalogueModel :one
select model from catalogue_models where model_key = @model_key;

-- name: CataloguePart :one
select * from catalogue where model_key = @model_key and number_key = @number_key;

-- name: CatalogueParts :many
select * from catalogue where number_key = @number_key order by model_key limit @max_rows;

-- CataloguePartsOf returns some of a model's parts.
-- name: CataloguePartsOf :many
select * from catalogue where model_key = @model_key and number_key = any(@number_keys::text[]);

-- name: CatalogueSymptomsOf :many
select number_key, symptoms from catalogue_parts where model_key = @model_key and cardinality(symptoms) > 0 order by number_key;

-- name: CatalogueNumbersOf :many
select number_key, number from catalogue_parts where model_key = @model_key;

-- CatalogueNumbersSome returns the numbers of so many rows of any model.
-- name: CatalogueNumbersSome :many
select number_key, number from catalogue_parts limit @max_rows;

-- CatalogueModelsNear returns models that have one of the keys, go on after what was
-- said, or share the most trigrams. Of each trigram some models are looked at: one that
-- most models have says little.
-- name: CatalogueModelsNear :many
select model_key, model from catalogue_models where model_key = any(@keys::text[])
union
(select model_key, model from catalogue_models where model_key >= @said::text and model_key < @said::text || '~' order by model_key limit 20)
union
select m.model_key, m.model from catalogue_models m where m.model_key in (
    select s.model_key from (select unnest(@grams::text[]) as gram) u
    cross join lateral (select g.model_key from catalogue_grams g where g.gram = u.gram order by g.model_key limit 300) s
    group by s.model_key order by count(*) desc, s.model_key limit 50);

-- CatalogueNumbersNear returns the numbers of parts that have one of the keys, or go on
-- before or after what was said.
-- name: CatalogueNumbersNear :many
select number_key, number from (select unnest(@keys::text[]) as key) k
cross join lateral (select p.number_key, p.number from catalogue_parts p where p.number_key = k.key limit 1) one
union
(select number_key, number from catalogue_parts where number_key >= @said::text and number_key < @said::text || '~' order by number_key limit 20)
union
(select number_key, number from catalogue_parts where reverse(number_key) collate "C" >= reverse(@said::text) and reverse(number_key) collate "C" < reverse(@said::text) || '~'
    order by reverse(number_key) collate "C" limit 20);

-- name: CatalogueHost :one
select (exists (select from catalogue_parts where image_url <> '' and catalogue_host(image_url) = @host::text)
    or exists (select from catalogue_parts where video_url <> '' and catalogue_host(video_url) = @host::text))::bool;

-- CatalogueSearch returns the parts that have all the words, or any of them, best first.
-- name: CatalogueSearch :many
with q as (select case when @any_word::bool then replace(plainto_tsquery('english', @words::text)::text, ' & ', ' | ')::tsquery
    else plainto_tsquery('english', @words::text) end as query)
select c.* from q, catalogue_parts p join catalogue c using (model_key, number_key)
where p.words @@ q.query and (@model_key::text = '' or p.model_key = @model_key)
order by ts_rank(p.words, q.query) desc, c.number_key, c.model_key limit @max_rows;

-- name: CatalogueModelsAfter :many
select model_key, model from catalogue_models where model_key > @after order by model_key limit @max_rows;

-- name: CataloguePartsAfter :many
select * from catalogue where model_key = @model_key and number_key > @after order by number_key limit @max_rows;

-- name: CatalogueEmpty :one
select not exists (select from catalogue_models);
