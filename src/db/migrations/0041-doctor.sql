-- What `bursar doctor` looks back at: which backups were made and tried, and whether a provider's webhooks arrive.

create table backups (
  data_of timestamptz(3) primary key,
  dir text not null,
  bytes bigint not null,
  made_at timestamptz(3) not null,
  tried_at timestamptz(3),
  clean boolean
);
comment on table backups is 'One row per `bursar backup` of the embedded database: of the installation, and of no business.';
comment on column backups.data_of is 'All that was committed before this is in it; its manifest has the same, which tells it from others';
comment on column backups.dir is 'Where it was written to';
comment on column backups.tried_at is 'When `bursar restore --drill` last restored it';
comment on column backups.clean is 'Whether its books were clean then; null until it is tried';

-- A constant default: no row is written.
alter table provider_events add column swept boolean not null default false;
comment on column provider_events.swept is 'Whether a sweep found it, and no webhook has told of it';
