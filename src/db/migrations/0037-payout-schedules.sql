-- Standing payouts: what of a wallet goes to an account of the business's own, and when.

create table payout_schedules (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  currency text not null check (currency in ('ngn', 'usd')),
  beneficiary_id object_id not null,
  beneficiary_revision integer not null,
  interval text not null check (interval in ('daily', 'weekly', 'monthly')),
  weekday text check (weekday in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')),
  day integer check (day between 1 and 31),
  time text not null check (time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  keep bigint not null check (keep >= 0),
  minimum bigint not null check (minimum >= 1),
  maximum bigint check (maximum >= minimum),
  description text,
  status text not null check (status in ('active', 'paused')),
  paused_because text,
  made_by jsonb not null,
  next_run_at timestamptz(3),
  next_run_day text check (next_run_day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  last_paid_day text check (last_paid_day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (business_id, livemode, id),
  check ((interval = 'weekly') = (weekday is not null)),
  check ((interval = 'monthly') = (day is not null)),
  check ((status = 'active' and deleted_at is null) = (next_run_at is not null)),
  check ((next_run_at is null) = (next_run_day is null)),
  check (next_run_day > last_paid_day),
  check (paused_because is null or status = 'paused')
);
comment on table payout_schedules is 'Standing payouts to an account of the business''s own. A row that is active has a timer of its next run.';
comment on column payout_schedules.beneficiary_revision is 'The destination that was meant: it pays no other until somebody resumes it';
comment on column payout_schedules.day is 'Of the month; the last where the month has fewer';
comment on column payout_schedules.time is 'On the clocks of the business''s time zone';
comment on column payout_schedules.keep is 'What stays in the wallet';
comment on column payout_schedules.minimum is 'A run that would pay less pays nothing';
comment on column payout_schedules.paused_because is 'Why the server has paused it; null where somebody has';
comment on column payout_schedules.made_by is 'Who made it and who has changed it since: none of them approves what it pays';
comment on column payout_schedules.next_run_day is 'The day of the business''s time zone that the next run is of, as it was when the run was set: what it pays is named by it';
comment on column payout_schedules.last_paid_day is 'The last day of which it has paid: it pays once a day at most';
create index payout_schedules_newest on payout_schedules (business_id, livemode, created_at desc, id desc) where deleted_at is null;

create table payout_schedule_runs (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  schedule_id object_id not null,
  due_at timestamptz(3) not null,
  amount bigint check (amount > 0),
  payout_id object_id,
  reference text,
  code text,
  message text,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  foreign key (business_id, livemode, schedule_id) references payout_schedules,
  check ((payout_id is null) = (amount is null) and (payout_id is null) = (reference is null)),
  check ((payout_id is null) = (code is not null) and (code is null) = (message is null))
);
comment on table payout_schedule_runs is 'What each run of a standing payout came to: a payout, or why there is none';
create unique index payout_schedule_runs_due on payout_schedule_runs (business_id, livemode, schedule_id, due_at);
create index payout_schedule_runs_newest on payout_schedule_runs (business_id, livemode, schedule_id, created_at desc, id desc);
