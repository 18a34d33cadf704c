-- What events say of a customer as a person is sealed under a key of the customer's own, since events never change: without the key nobody reads
-- it again. Customers from before are given theirs by the servers; what older events say of them stays as it is until they are erased.
create table customer_keys (
  business_id object_id not null references businesses,
  livemode boolean not null,
  customer_id object_id not null,
  key bytea,
  late boolean not null,
  created_at timestamptz(3) not null,
  destroyed_at timestamptz(3),
  rewritten_at timestamptz(3),
  at_work xid8,
  primary key (business_id, livemode, customer_id),
  check ((key is null) = (destroyed_at is not null))
);
comment on table customer_keys is 'A key for each customer, under which copies of its personal data are sealed in rows that never change. It outlasts the customer: destroyed, it says that nothing may be sealed any more.';
comment on column customer_keys.key is 'Sealed with SECRETS_KEY, bound to the customer; null: destroyed';
comment on column customer_keys.late is 'Made after the customer: events from before have its data in plain text';
comment on column customer_keys.rewritten_at is 'When events that have its data in plain text were last looked for, after it was destroyed';
comment on column customer_keys.at_work is 'The transaction that rewrites events: what is append-only looks for it';
create index customer_keys_destroyed on customer_keys (destroyed_at) where destroyed_at is not null;

-- No row is written again: those that are there have the first default, and new ones the second.
alter table customers add column has_key boolean not null default false;
alter table customers alter column has_key set default true;
comment on column customers.has_key is 'False of one from before there were keys, until a server makes it one';
create index customers_without_key on customers (business_id, livemode, id) where not has_key;

alter table events add column customer_id object_id, add column sealed bytea;
comment on column events.customer_id is 'Whom the payload says something personal of; null: nobody, or it is from before';
comment on column events.sealed is 'What it says, by its place in the payload, sealed under the customer''s key; the body has stand-ins';
create index events_of_customer on events (business_id, livemode, customer_id, id) where customer_id is not null;

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
    'customer_documents', 'customer_words', 'customer_keys', 'customers', 'transactions', 'posting_sums', 'ledger_postings'
  ]
$body$;
