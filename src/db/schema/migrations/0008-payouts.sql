-- Paying out: quotes, payouts, the limits on them, beneficiaries, payout schedules, batches, and screening.

-- Payouts ------------------------------------------------------------------------------------------------------------
create table payout_quotes (
  business_id object_id not null, livemode boolean not null, id object_id not null, amount bigint not null check (amount >= 0), currency text not null,
  method text not null, destination jsonb not null, fee bigint not null, fee_breakdown jsonb not null, rate text not null, destination_amount bigint not null,
  destination_currency text not null, status text not null default 'open' check (status in ('open', 'used', 'expired')), created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null, rate_source text not null default 'table', rate_fetched_at timestamptz(3), rate_valid_until timestamptz(3),
  primary key (business_id, livemode, id));
comment on table payout_quotes is 'Fees and rates that were offered, and until when.';
comment on column payout_quotes.rate_source is 'Where the rate comes from; table: the operator''s; official: a central bank''s';
comment on column payout_quotes.rate_fetched_at is 'When an official rate was fetched';
comment on column payout_quotes.rate_valid_until is 'Until when an official rate was to be used';

-- Each change of a status makes an entry in every index of the table, so searches have none: they read the key, newest first, with the columns that it includes.
-- The ids of payouts carry the millisecond of created_at. `npm run bench:indexes` says what indexes would cost.
create table payouts (
  business_id object_id not null, livemode boolean not null, id object_id not null, reference text collate "C" not null, amount bigint not null check (amount > 0),
  currency text not null, method text not null, destination jsonb not null, quote_id object_id, fee bigint not null check (fee >= 0 and fee < amount),
  fee_breakdown jsonb not null, rate text not null, destination_amount bigint not null check (destination_amount > 0), destination_currency text not null,
  description text, warnings jsonb not null default '[]', rail text not null,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed', 'canceled', 'returned')), failure_reason text, provider_reference text,
  tx_hash text, transaction_id object_id not null, metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  account_key bigint generated always as (hashtextextended(lower(coalesce(destination->>'account_number', destination->>'address')), 0)) stored,
  submissions integer not null default 0, sent_at timestamptz(3), return_transaction_id object_id,
  approval text not null default 'none' check (approval in ('none', 'waiting', 'approved', 'refused')), approval_details jsonb, beneficiary_id object_id, review jsonb,
  waits jsonb, refund_id object_id, customer_id object_id, primary key (business_id, livemode, id) include (amount, account_key),
  unique (business_id, livemode, reference), constraint payouts_returned check ((status = 'returned') = (return_transaction_id is not null)),
  constraint payouts_approval_details check ((approval = 'none') = (approval_details is null)),
  constraint payouts_approval_status check (
    approval in ('none', 'approved') or (approval = 'waiting' and status = 'pending') or (approval = 'refused' and status = 'canceled')),
  constraint payouts_review check (review is null or status = 'pending'));
comment on table payouts is 'Money on its way out of a wallet.';
comment on column payouts.amount is 'What leaves the wallet; the fee comes out of it';
comment on column payouts.account_key is 'A hash of the account number or the address: two of different ones are not met';
comment on column payouts.submissions is 'How many times it was submitted. A rail that was asked to recall one submission never pays under it.';
comment on column payouts.sent_at is 'When it was last sent to its rail, in the time of the rail. It may be on its way for a while';
comment on column payouts.return_transaction_id is 'The transaction by which the money came back that had arrived';
comment on column payouts.approval_details is 'Why it needs a second person, who made it, until when, and who has decided';
comment on column payouts.beneficiary_id is 'The beneficiary that it was made for; its destination is a copy';
comment on column payouts.review is 'Why screening holds it, and since when; null: it does not, or not any more';
comment on column payouts.refund_id is 'The refund that it is; null: it is none';
comment on column payouts.customer_id is 'The customer of the refund that it is; null: it is none, or of nobody';
create index payouts_newest_alike on payouts (business_id, livemode, hashtext(currency || '/' || method || '/' || status), id desc);
create index payouts_approvals on payouts (business_id, livemode, approval, id desc) where approval <> 'none';
create index payouts_of_beneficiary on payouts (business_id, livemode, beneficiary_id, id desc) where beneficiary_id is not null;
-- What payouts in flight will take of an exchange position.
create index payouts_exchanging on payouts (livemode, destination_currency) include (destination_amount)
  where destination_currency <> currency and status in ('pending', 'processing');
create index payouts_by_change on payouts using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
select count_list('payouts', '{currency,method,status}');

-- Limits -------------------------------------------------------------------------------------------------------------
-- The limits of the business and those of the operator are one row, which a payout reads once.
create table payout_limits (
  business_id object_id not null references businesses, livemode boolean not null, currency text not null, above_payout bigint check (above_payout >= 0),
  above_day bigint check (above_day >= 0), approval_ms bigint not null check (approval_ms > 0), day_starts_at timestamptz(3), day_ends_at timestamptz(3),
  day_amount bigint not null default 0 check (day_amount >= 0), created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  payouts_by_key text not null default 'any' check (payouts_by_key in ('any', 'beneficiaries')),
  cooling_off_ms bigint not null default 86400000 check (cooling_off_ms >= 0), max_payout bigint check (max_payout >= 0), max_day bigint check (max_day >= 0),
  max_day_starts_at timestamptz(3), max_day_amount bigint not null default 0 check (max_day_amount >= 0), refuse_payout bigint check (refuse_payout >= 0),
  refuse_day bigint check (refuse_day >= 0), refuse_count bigint check (refuse_count >= 0), destination_day bigint check (destination_day >= 0),
  destination_count bigint check (destination_count >= 0), max_count bigint check (max_count >= 0), max_destination_day bigint check (max_destination_day >= 0),
  max_destination_count bigint check (max_destination_count >= 0), max_day_count bigint not null default 0 check (max_day_count >= 0),
  primary key (business_id, livemode, currency),
  check ((day_starts_at is null) = (day_ends_at is null) and day_starts_at < day_ends_at), check (above_day is null or day_ends_at is not null));
comment on table payout_limits is 'Above what payouts of a wallet wait for a second person, and above what they are refused. Changed with the wallet locked; what holds for all currencies stands in each row.';
comment on column payout_limits.above_payout is 'A payout of more waits; null: none does for its amount';
comment on column payout_limits.above_day is 'A payout waits that would bring what a day sends without approval above it; null: none does';
comment on column payout_limits.approval_ms is 'How long a payout waits before it is given back';
comment on column payout_limits.day_starts_at is 'The day that is counted: of the business''s time zone as it was when the day began';
comment on column payout_limits.day_amount is 'What was paid out in that day without approval, less what failed or was canceled';
comment on column payout_limits.payouts_by_key is 'Whom keys pay: anybody, or beneficiaries alone';
comment on column payout_limits.cooling_off_ms is 'How long after it was made, or its destination was changed, a beneficiary cannot be paid';
comment on column payout_limits.max_payout is 'The operator refuses a payout of more; null: none for its amount';
comment on column payout_limits.max_day is 'The operator refuses a payout that would bring a day of UTC above it; null: none';
comment on column payout_limits.max_day_starts_at is 'The day of UTC that is counted for what refuses; null: the next payout sums up what its day has had';
comment on column payout_limits.max_day_amount is 'What was paid out in that day, approved or not, less what failed or was canceled';
comment on column payout_limits.refuse_payout is 'The business has a payout of more refused; null: none for its amount';
comment on column payout_limits.refuse_day is 'The business has a payout refused that would bring a day of UTC above it; null: none';
comment on column payout_limits.refuse_count is 'The business has no more payouts than this made in a day of UTC; null: as many as are asked for';
comment on column payout_limits.destination_day is 'The business has no more than this go to one destination in a day of UTC; null: as much as is asked for';
comment on column payout_limits.destination_count is 'The business has no more payouts than this go to one destination in a day of UTC; null: as many as are asked for';
comment on column payout_limits.max_count is 'The operator lets no more payouts than this out in a day of UTC; null: as many as are asked for';
comment on column payout_limits.max_destination_day is 'The operator lets no more than this out to one destination in a day of UTC; null: as much as is asked for';
comment on column payout_limits.max_destination_count is 'The operator lets no more payouts than this out to one destination in a day of UTC; null: as many as are asked for';
comment on column payout_limits.max_day_count is 'How many payouts were made in that day, approved or not, less those that failed or were canceled';

-- The destination as one text, and by that as a number: an account at a bank, or an address on whatever chain.
create function destination_key(destination jsonb) returns bigint language sql immutable parallel safe as $body$
  select hashtextextended(lower(coalesce(destination ->> 'address',
    concat_ws(' ', coalesce(destination ->> 'bank_code', destination ->> 'routing_number'), destination ->> 'account_number'))), 0)
$body$;
comment on function destination_key is 'Names the account or address that a payout goes to: two of different ones are not met';

create table payout_destination_days (
  business_id object_id not null references businesses, livemode boolean not null, currency text not null, destination bigint not null,
  day_starts_at timestamptz(3) not null, amount bigint not null check (amount >= 0), count bigint not null check (count >= 0),
  primary key (business_id, livemode, currency, destination));
comment on table payout_destination_days is 'What one destination was sent from a wallet in the last day of UTC in which it was sent anything. Kept where destinations are limited, and written with the wallet locked; old rows are deleted.';
comment on column payout_destination_days.destination is 'By destination_key';
comment on column payout_destination_days.amount is 'Less what failed or was canceled';
create index payout_destination_days_old on payout_destination_days (day_starts_at);

create table limit_rule_days (
  business_id object_id not null references businesses, livemode boolean not null, rule text not null, day date not null, fired bigint not null check (fired > 0),
  last_fired_at timestamptz(3) not null, primary key (business_id, livemode, rule, day));
comment on table limit_rule_days is 'How often a rule of limits fired in a day of UTC. Old rows are deleted.';
create index limit_rule_days_of_day on limit_rule_days (day);

-- Beneficiaries, schedules and batches -------------------------------------------------------------------------------
create table beneficiaries (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, label text not null,
  method text not null check (method in ('crypto', 'bank_transfer')), destination jsonb not null, destination_key text not null, revision integer not null default 1,
  warnings jsonb not null default '[]', own boolean not null, usable_from timestamptz(3) not null, confirmed_at timestamptz(3), confirmed_by object_id,
  metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null, deleted_at timestamptz(3),
  primary key (business_id, livemode, id),
  check ((confirmed_at is null) = (confirmed_by is null)), check (own or confirmed_at is null));
comment on table beneficiaries is 'Where a business pays to, saved. Changed with its wallets locked, as payouts read them.';
comment on column beneficiaries.destination_key is 'The account or the address alone, in one spelling: what a payout that names no beneficiary is compared by';
comment on column beneficiaries.revision is 'Which destination it is: one more with each change of it';
comment on column beneficiaries.usable_from is 'Until then it cools off: no payout may name it';
comment on column beneficiaries.confirmed_at is 'When a person has said, with a second factor, that the account is the business''s own';
create index beneficiaries_newest on beneficiaries (business_id, livemode, created_at desc, id desc) where deleted_at is null;
create index beneficiaries_of_destination on beneficiaries (business_id, livemode, destination_key) where deleted_at is null;

create table payout_schedules (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, currency text not null check (currency in ('ngn', 'usd')),
  beneficiary_id object_id not null, beneficiary_revision integer not null, interval text not null check (interval in ('daily', 'weekly', 'monthly')),
  weekday text check (weekday in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday')), day integer check (day between 1 and 31),
  time text not null check (time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'), keep bigint not null check (keep >= 0), minimum bigint not null check (minimum >= 1),
  maximum bigint check (maximum >= minimum), description text, status text not null check (status in ('active', 'paused')), paused_because text,
  made_by jsonb not null, next_run_at timestamptz(3), next_run_day text check (next_run_day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'),
  last_paid_day text check (last_paid_day ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'), metadata jsonb not null default '{}', created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null, deleted_at timestamptz(3), primary key (business_id, livemode, id),
  check ((interval = 'weekly') = (weekday is not null)), check ((interval = 'monthly') = (day is not null)),
  check ((status = 'active' and deleted_at is null) = (next_run_at is not null)), check ((next_run_at is null) = (next_run_day is null)),
  check (next_run_day > last_paid_day), check (paused_because is null or status = 'paused'));
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
  business_id object_id not null, livemode boolean not null, id object_id not null, schedule_id object_id not null, due_at timestamptz(3) not null,
  amount bigint check (amount > 0), payout_id object_id, reference text, code text, message text, created_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  foreign key (business_id, livemode, schedule_id) references payout_schedules,
  check ((payout_id is null) = (amount is null) and (payout_id is null) = (reference is null)),
  check ((payout_id is null) = (code is not null) and (code is null) = (message is null)));
comment on table payout_schedule_runs is 'What each run of a standing payout came to: a payout, or why there is none';
create unique index payout_schedule_runs_due on payout_schedule_runs (business_id, livemode, schedule_id, due_at);
create index payout_schedule_runs_newest on payout_schedule_runs (business_id, livemode, schedule_id, created_at desc, id desc);

create table payout_batches (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, reference text not null, description text,
  currency text not null, status text not null check (status in ('draft', 'running', 'completed', 'canceled')), line_count integer not null check (line_count > 0),
  amount bigint not null, fee bigint not null, bad integer not null, created integer not null default 0, refused integer not null default 0,
  canceled integer not null default 0, actor jsonb, metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  ended_at timestamptz(3), primary key (business_id, livemode, id),
  unique (business_id, livemode, reference), check (bad + created + refused + canceled <= line_count), check ((ended_at is null) = (status in ('draft', 'running'))));
comment on table payout_batches is 'Lists of payouts that are made together. Locked by whoever makes a chunk of them.';
comment on column payout_batches.amount is 'The sum of the lines that can be paid, as they were checked';
comment on column payout_batches.actor is 'Who has confirmed it, and so makes its payouts';
create index payout_batches_newest on payout_batches (business_id, livemode, created_at desc, id desc);

create table payout_batch_lines (
  business_id object_id not null, livemode boolean not null, batch_id object_id not null, line integer not null, reference text, amount bigint, input jsonb not null,
  status text not null check (status in ('waiting', 'bad', 'created', 'refused', 'canceled')), field text, code text, message text, payout_id object_id,
  primary key (business_id, livemode, batch_id, line),
  foreign key (business_id, livemode, batch_id) references payout_batches, check ((status = 'created') = (payout_id is not null)),
  check ((status in ('bad', 'refused')) = (code is not null)));
comment on table payout_batch_lines is 'The lines of batches: each is made a payout once, in the transaction that says so here.';
create index payout_batch_lines_by_status on payout_batch_lines (business_id, livemode, batch_id, status, line);

-- Screening ----------------------------------------------------------------------------------------------------------
create table screening_entries (
  id object_id primary key, kind text not null check (kind in ('block', 'allow')), key text not null, value text not null, list text, note text, made_by text not null,
  created_at timestamptz(3) not null,
  constraint screening_entries_list check ((kind = 'allow') = (list is not null)));
comment on table screening_entries is 'The operator''s own lists, for the whole installation: what nothing is paid to unseen, and what is let through though another list has it';
comment on column screening_entries.key is 'What is looked for: address, account or name, and its value in one form';
comment on column screening_entries.value is 'The value as it was given';
comment on column screening_entries.list is 'Of what is allowed: the list whose hits are let through';
comment on column screening_entries.made_by is 'Who did: how to recognise a key of the operator, the id of a person, or the name that a command was given';
create unique index screening_entries_once on screening_entries (key, kind, coalesce(list, ''));

create table screening_reviews (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null,
  kind text not null check (kind in ('payout', 'deposit', 'refund')), subject object_id not null,
  reason text not null check (reason in ('sanctions_list', 'block_list', 'customer_limit')), hits jsonb not null,
  status text not null default 'waiting' check (status in ('waiting', 'released', 'refused', 'ended')), created_at timestamptz(3) not null, decided_at timestamptz(3),
  decided_by text, note text, primary key (business_id, livemode, id),
  constraint screening_reviews_decided check (
    (status = 'waiting') = (decided_at is null) and (status in ('released', 'refused')) = (decided_by is not null)
    and (note is null or decided_by is not null)));
comment on table screening_reviews is 'What screening found, and what became of it';
comment on column screening_reviews.subject is 'The payout, the refund, or the transaction of the deposit, that waits';
comment on column screening_reviews.hits is 'What was found: on which list, by what, and why it is there';
comment on column screening_reviews.status is 'ended: its business canceled it, or it was found to be paid, before anybody decided';
comment on column screening_reviews.decided_by is 'Who decided: the id of a person, how to recognise a key of the operator, or the name that a command was given';
comment on column screening_reviews.note is 'What that person wrote, for those who look after the installation alone';
create unique index screening_reviews_by_id on screening_reviews (id);
create index screening_reviews_waiting on screening_reviews (livemode, id) where status = 'waiting';
create index screening_reviews_ended on screening_reviews (decided_at desc) where status <> 'waiting';
create index screening_reviews_of_subject on screening_reviews (business_id, livemode, subject, status);
create unique index screening_reviews_once on screening_reviews (business_id, livemode, subject) where status = 'waiting';
