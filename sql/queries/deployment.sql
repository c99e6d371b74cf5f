-- name: DeploymentMark :exec
insert into deployment (kind) values (@kind) on conflict (one) do nothing;

-- name: DeploymentKind :one
select kind from deployment;
