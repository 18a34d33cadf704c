-- What a business's payouts are refused above: by amount, by count and by day, and by day to one destination, as its business and the operator
-- say. What refuses counts days of UTC, whoever sets it. And how often each rule of limits fired.
alter table payout_limits
  add column refuse_payout bigint check (refuse_payout >= 0),
  add column refuse_day bigint check (refuse_day >= 0),
  add column refuse_count bigint check (refuse_count >= 0),
  add column destination_day bigint check (destination_day >= 0),
  add column destination_count bigint check (destination_count >= 0),
  add column max_count bigint check (max_count >= 0),
  add column max_destination_day bigint check (max_destination_day >= 0),
  add column max_destination_count bigint check (max_destination_count >= 0),
  add column max_day_count bigint not null default 0 check (max_day_count >= 0);
comment on table payout_limits is 'Above what payouts of a wallet wait for a second person, and above what they are refused. Changed with the wallet locked; what holds for all currencies stands in each row.';
comment on column payout_limits.refuse_payout is 'The business has a payout of more refused; null: none for its amount';
comment on column payout_limits.refuse_day is 'The business has a payout refused that would bring a day of UTC above it; null: none';
comment on column payout_limits.refuse_count is 'The business has no more payouts than this made in a day of UTC; null: as many as are asked for';
comment on column payout_limits.destination_day is 'The business has no more than this go to one destination in a day of UTC; null: as much as is asked for';
comment on column payout_limits.destination_count is 'The business has no more payouts than this go to one destination in a day of UTC; null: as many as are asked for';
comment on column payout_limits.max_count is 'The operator lets no more payouts than this out in a day of UTC; null: as many as are asked for';
comment on column payout_limits.max_destination_day is 'The operator lets no more than this out to one destination in a day of UTC; null: as much as is asked for';
comment on column payout_limits.max_destination_count is 'The operator lets no more payouts than this out to one destination in a day of UTC; null: as many as are asked for';
comment on column payout_limits.max_day_starts_at is 'The day of UTC that is counted for what refuses; null: the next payout sums up what its day has had';
comment on column payout_limits.max_day_count is 'How many payouts were made in that day, approved or not, less those that failed or were canceled';

-- The destination as one text, and by that as a number: an account at a bank, or an address on whatever chain.
create function destination_key(destination jsonb) returns bigint language sql immutable parallel safe as $body$
  select hashtextextended(lower(coalesce(destination ->> 'address',
    concat_ws(' ', coalesce(destination ->> 'bank_code', destination ->> 'routing_number'), destination ->> 'account_number'))), 0)
$body$;
comment on function destination_key is 'Names the account or address that a payout goes to: two of different ones are not met';

create table payout_destination_days (
  business_id object_id not null references businesses,
  livemode boolean not null,
  currency text not null,
  destination bigint not null,
  day_starts_at timestamptz(3) not null,
  amount bigint not null check (amount >= 0),
  count bigint not null check (count >= 0),
  primary key (business_id, livemode, currency, destination)
);
comment on table payout_destination_days is 'What one destination was sent from a wallet in the last day of UTC in which it was sent anything. Kept where destinations are limited, and written with the wallet locked; old rows are deleted.';
comment on column payout_destination_days.destination is 'By destination_key';
comment on column payout_destination_days.amount is 'Less what failed or was canceled';
create index payout_destination_days_old on payout_destination_days (day_starts_at);

create table limit_rule_days (
  business_id object_id not null references businesses,
  livemode boolean not null,
  rule text not null,
  day date not null,
  fired bigint not null check (fired > 0),
  last_fired_at timestamptz(3) not null,
  primary key (business_id, livemode, rule, day)
);
comment on table limit_rule_days is 'How often a rule of limits fired in a day of UTC. Old rows are deleted.';
create index limit_rule_days_of_day on limit_rule_days (day);

create or replace function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'timers', 'idempotency_keys', 'requests',
    'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends', 'events',
    'mails', 'team_notices', 'team_notice_times', 'webhook_outages',
    'limit_rule_days', 'payout_destination_days',
    'dispute_movements', 'disputes', 'conversions', 'conversion_quotes',
    'credit_note_parts', 'credit_notes', 'credit_note_numbers', 'invoice_lines', 'invoices', 'invoice_numbers', 'products',
    'distribution_returns', 'distribution_entries', 'distribution_settlements', 'distribution_shares', 'distributions',
    'refunds', 'payment_attempts', 'payment_crypto_quotes', 'payments', 'pay_links', 'collections',
    'chain_deposits', 'crypto_addresses', 'crypto_wallets', 'deposit_notices', 'virtual_accounts',
    'payout_batch_lines', 'payout_batches', 'payout_schedule_runs', 'payout_schedules', 'payouts', 'payout_quotes', 'beneficiaries',
    'provider_customers', 'provider_receipts', 'provider_references',
    'customer_documents', 'customer_words', 'customers', 'transactions', 'posting_sums', 'ledger_postings'
  ]
$body$;
