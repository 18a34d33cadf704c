-- Conversions between a business's own wallets, by quotes that hold a rate; and how far the operator lets the exchange position of a currency go.

create table conversion_quotes (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  amount bigint not null check (amount > 0),
  currency text not null check (currency in ('ngn', 'usd')),
  fee bigint not null check (fee >= 0 and fee < amount),
  fee_breakdown jsonb not null,
  rate text not null,
  rate_source text not null,
  destination_amount bigint not null check (destination_amount > 0),
  destination_currency text not null check (destination_currency in ('ngn', 'usd') and destination_currency <> currency),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (business_id, livemode, id)
);
comment on table conversion_quotes is 'What conversions would cost and give, and until when.';
comment on column conversion_quotes.amount is 'Minor units: what leaves the wallet, fee included';
comment on column conversion_quotes.rate is 'Units of the destination currency for one unit of currency; a decimal';
comment on column conversion_quotes.rate_source is 'Where the rate comes from; table: the operator''s';

create table conversions (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  quote_id object_id not null,
  reference text,
  amount bigint not null check (amount > 0),
  currency text not null check (currency in ('ngn', 'usd')),
  fee bigint not null check (fee >= 0 and fee < amount),
  fee_breakdown jsonb not null,
  rate text not null,
  rate_source text not null,
  destination_amount bigint not null check (destination_amount > 0),
  destination_currency text not null check (destination_currency in ('ngn', 'usd') and destination_currency <> currency),
  transaction_id object_id not null,
  destination_transaction_id object_id not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, quote_id),
  unique (business_id, livemode, reference)
);
comment on table conversions is 'Money that went from one wallet of a business into the other: a quote makes one at most.';
comment on column conversions.transaction_id is 'The debit of the one wallet';
comment on column conversions.destination_transaction_id is 'The credit of the other';
create index conversions_newest on conversions (business_id, livemode, created_at desc, id desc);

create table exchange_limits (
  livemode boolean not null,
  currency text not null check (currency in ('ngn', 'usd')),
  max_short bigint not null check (max_short >= 0),
  updated_at timestamptz(3) not null,
  primary key (livemode, currency)
);
comment on table exchange_limits is 'How much of a currency conversions may leave the installation short of, in all. Locked by each conversion into it; none: as much as is asked for.';
comment on column exchange_limits.max_short is 'Minor units';

-- Not of balances: an index that names them would be written with every posting.
create index ledger_accounts_exchange on ledger_accounts (livemode, currency) where purpose = 'exchange';

create or replace function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'timers', 'idempotency_keys', 'requests',
    'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends', 'events',
    'mails', 'team_notices', 'team_notice_times', 'webhook_outages',
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
