-- +goose Up

-- Whose database this is: a sandbox would put made-up elders among real ones, and
-- production would phone made-up ones.
create table deployment (
    one     boolean primary key default true constraint deployment_one check (one),
    kind    text not null constraint deployment_kind_known check (kind in ('production', 'sandbox')),
    since   timestamptz not null default now()
);

-- +goose Down
drop table deployment;
