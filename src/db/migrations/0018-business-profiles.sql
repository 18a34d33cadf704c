-- What payers, customers and reports know a business by. Each mode has its own, as of everything: what is tried out with a test key shows on no
-- live page.

create table business_profiles (
  business_id object_id not null references businesses,
  livemode boolean not null,
  name text not null,
  locale text not null default 'en',
  time_zone text not null default 'UTC',
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode)
);
comment on table business_profiles is 'What payers, customers and reports know a business by, in each mode.';
comment on column business_profiles.locale is 'BCP 47: how amounts and times are written for people';
comment on column business_profiles.time_zone is 'IANA: where days and months of lists, exports and statements begin';

insert into business_profiles (business_id, livemode, name, created_at, updated_at)
select id, livemode, name, created_at, created_at from businesses cross join (values (false), (true)) modes (livemode);

comment on column businesses.name is 'What the operator calls it';
