-- Prices by plan: which holds for which business from when on. All of it is append-only, and nothing is ever made to hold in the past, so what a
-- price was at a time stays what it was.

create table price_plans (
  id object_id primary key,
  name text not null unique,
  created_at timestamptz(3) not null
);
comment on table price_plans is 'Prices by name. A business without a plan has those of the installation: PRICING_FILE, or the built-in ones.';

create table price_versions (
  number bigint generated always as identity primary key,
  plan_id object_id not null references price_plans,
  holds_from timestamptz(3) not null,
  prices jsonb not null,
  made_by text,
  created_at timestamptz(3) not null,
  check (holds_from >= created_at)
);
comment on table price_versions is 'The whole table of prices of a plan, from a date on. Of two with the same date, the one that was made last holds.';
comment on column price_versions.made_by is 'How to recognise the operator''s key or the person; null: a command';
create index price_versions_of_plan on price_versions (plan_id, holds_from desc, number desc);

create table price_assignments (
  business_id object_id not null references businesses,
  number bigint generated always as identity,
  plan_id object_id references price_plans,
  holds_from timestamptz(3) not null,
  made_by text,
  created_at timestamptz(3) not null,
  primary key (business_id, number),
  unique (number),
  check (holds_from >= created_at)
);
comment on table price_assignments is 'Which plan a business has, from a date on. Of two with the same date, the one that was made last holds.';
comment on column price_assignments.plan_id is 'Null: the prices of the installation';

create trigger price_plans_kept before update or delete or truncate on price_plans
  for each statement execute function refuse_change();
create trigger price_versions_kept before update or delete or truncate on price_versions
  for each statement execute function refuse_change();
create trigger price_assignments_kept before update or delete or truncate on price_assignments
  for each statement execute function refuse_change();
