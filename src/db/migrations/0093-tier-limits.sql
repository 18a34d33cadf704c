-- What customers may send without anybody looking, by how well it is known who they are.
create table tier_limits (
  tier integer not null check (tier between 0 and 2),
  currency text not null,
  max_deposit bigint check (max_deposit >= 0),
  max_daily bigint check (max_daily >= 0),
  max_daily_count bigint check (max_daily_count >= 0),
  primary key (tier, currency)
);
comment on table tier_limits is 'Of the whole installation: deposits of a customer that go above wait for a person of the operator''s. Null: there is none';
comment on column tier_limits.tier is '0: nothing is verified; 1: an identity number is; 2: a paper is too';

create table customer_days (
  business_id object_id not null references businesses,
  livemode boolean not null,
  customer_id object_id not null,
  currency text not null,
  day date not null,
  amount bigint not null,
  count bigint not null,
  primary key (business_id, livemode, customer_id, currency, day)
);
comment on table customer_days is 'What a customer has sent in a day of UTC, counted where it is limited. Old rows are deleted.';
create index customer_days_old on customer_days (day);

alter table screening_reviews drop constraint screening_reviews_reason_check,
  add constraint screening_reviews_reason_check check (reason in ('sanctions_list', 'block_list', 'customer_limit'));

create or replace function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'timers', 'idempotency_keys', 'requests',
    'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends', 'events',
    'mails', 'team_notices', 'team_notice_times', 'webhook_outages',
    'limit_rule_days', 'payout_destination_days', 'screening_reviews', 'held_deposits', 'customer_days',
    'dispute_movements', 'disputes', 'conversions', 'conversion_quotes',
    'credit_note_parts', 'credit_notes', 'credit_note_numbers', 'invoice_lines', 'invoices', 'invoice_numbers', 'products',
    'distribution_returns', 'distribution_entries', 'distribution_settlements', 'distribution_shares', 'distributions',
    'refunds', 'payment_attempts', 'payment_crypto_quotes', 'payments', 'pay_links', 'collections',
    'chain_deposits', 'crypto_addresses', 'crypto_wallets', 'deposit_notices', 'virtual_accounts',
    'payout_batch_lines', 'payout_batches', 'payout_schedule_runs', 'payout_schedules', 'payouts', 'payout_quotes', 'beneficiaries',
    'provider_customers', 'provider_receipts', 'provider_references',
    'customer_documents', 'customer_words', 'customer_keys', 'customers', 'transactions', 'posting_sums', 'ledger_postings'
  ]
$body$;
