-- +goose Up

-- Whether a person lives in a care home: a room where others may be heard.
alter table people add column facility boolean not null default false;
-- The state or province where a person lives, as "CA"; empty: not known. With the country of
-- their telephone it decides which law holds.
alter table people add column region text not null default ''
    constraint people_region_form check (region ~ '^([A-Z0-9]{1,3})?$');

alter table consents drop constraint consents_scope_known,
    add constraint consents_scope_known check (scope in ('calls', 'recording', 'memory', 'cognitive', 'transcript', 'room'));

-- What a person allows now. In a care home nobody is recorded unless that is allowed for the
-- room as well.
-- +goose StatementBegin
create function scopes_of(whose uuid) returns setof text language sql stable
begin atomic
    select distinct c.scope from consents c
    where c.person_id = whose and c.revoked_at is null
        and (c.scope <> 'recording'
            or not exists (select from people p where p.id = whose and p.facility)
            or exists (select from consents r where r.person_id = whose and r.scope = 'room' and r.revoked_at is null));
end;
-- +goose StatementEnd

-- Whether what a person says may be kept word for word, recorded or written down.
-- +goose StatementBegin
create function keeps_words(whose uuid) returns boolean language sql stable
begin atomic
    select exists (select from scopes_of(whose) as s (scope) where s.scope in ('recording', 'transcript'));
end;
-- +goose StatementEnd

-- +goose Down
drop function keeps_words(uuid);
drop function scopes_of(uuid);
delete from consents where scope in ('transcript', 'room');
alter table consents drop constraint consents_scope_known,
    add constraint consents_scope_known check (scope in ('calls', 'recording', 'memory', 'cognitive'));
alter table people drop column region;
alter table people drop column facility;
