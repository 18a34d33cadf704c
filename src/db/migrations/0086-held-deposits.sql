-- Deposits that screening holds are booked to pending, and wait for a person of the operator's.
create table held_deposits (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  kind text not null check (kind in ('account', 'wallet', 'payment')),
  subject object_id not null,
  rail text not null,
  token text,
  currency text not null,
  amount bigint not null check (amount > 0),
  worth bigint not null check (worth > 0),
  chain_deposit object_id,
  status text not null check (status in ('held', 'released', 'refused')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  check (token is not null or (kind = 'account' and amount = worth and chain_deposit is null))
);
comment on table held_deposits is 'Deposits that screening holds, or has held: the money is in pending until a person has released it';
comment on column held_deposits.id is 'Of its transaction';
comment on column held_deposits.kind is 'To what it came: a virtual account, a crypto wallet, or the address of a payment';
comment on column held_deposits.amount is 'Cents of the token, or minor units of the currency';
comment on column held_deposits.worth is 'Minor units of the currency, which are in pending';
comment on column held_deposits.status is 'refused: it stays in pending';
create index held_deposits_waiting on held_deposits (business_id, livemode, id) where status <> 'released';

alter table transactions add column review jsonb, add constraint transactions_review check (review is null or status = 'pending');
comment on column transactions.review is 'Why screening holds it, and since when; null: it does not, or not any more';

alter table chain_deposits drop constraint chain_deposits_status_check,
  add constraint chain_deposits_status_check check (status in ('pending', 'held', 'credited', 'dropped'));
alter table screening_reviews drop constraint screening_reviews_kind_check,
  add constraint screening_reviews_kind_check check (kind in ('payout', 'deposit'));
comment on column screening_reviews.subject is 'The payout, or the transaction of the deposit, that waits';

create or replace function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'timers', 'idempotency_keys', 'requests',
    'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends', 'events',
    'mails', 'team_notices', 'team_notice_times', 'webhook_outages',
    'limit_rule_days', 'payout_destination_days', 'screening_reviews', 'held_deposits',
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
