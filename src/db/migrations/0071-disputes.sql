-- Disputes: what payers' banks take back of payments until it is decided, what the provider moved for it, and what of a wallet a person has
-- held or taken for it.

comment on column ledger_accounts.purpose is
  'wallet_available, wallet_pending, fees, share, dust, unclaimed, disputes, rail_clearing, rail_fees, operator_bank, exchange';

create table disputes (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  rail text not null,
  provider_reference text not null,
  payment_id object_id,
  transaction_id object_id not null,
  customer_id object_id,
  amount bigint not null check (amount > 0),
  currency text not null check (currency in ('ngn', 'usd')),
  reason text,
  evidence_due_at timestamptz(3),
  status text not null check (status in ('open', 'won', 'lost')),
  held bigint not null default 0 check (held >= 0),
  taken bigint not null default 0 check (taken >= 0),
  hold_transaction_id object_id,
  closed_at timestamptz(3),
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (livemode, rail, provider_reference),
  check (held + taken <= amount),
  check ((held > 0) = (hold_transaction_id is not null)),
  check ((status = 'open') = (closed_at is null)),
  check (status = 'lost' or taken = 0),
  check (status <> 'won' or held = 0)
);
comment on table disputes is 'What a payer''s bank takes back of a payment until it is decided, one row each.';
comment on column disputes.rail is 'The name of the account at the provider; sandbox: it was simulated';
comment on column disputes.provider_reference is 'The provider''s own id of the dispute';
comment on column disputes.payment_id is 'Null where the money came to a virtual account and is no payment';
comment on column disputes.transaction_id is 'The transaction that booked the money';
comment on column disputes.amount is 'Minor units: what is taken back, which may be less than was paid';
comment on column disputes.reason is 'In the provider''s words';
comment on column disputes.evidence_due_at is 'Until when the provider takes evidence';
comment on column disputes.held is 'Minor units of the wallet that a person holds for it';
comment on column disputes.taken is 'Minor units of the wallet that a person has taken for it';
comment on column disputes.hold_transaction_id is 'The pending transaction of what is held';
create index disputes_newest on disputes (business_id, livemode, created_at desc, id desc);
create index disputes_of_payment on disputes (business_id, livemode, payment_id) where payment_id is not null;
create index disputes_by_time on disputes (id desc);
create index disputes_open on disputes (id desc) where status = 'open';

create table dispute_movements (
  livemode boolean not null,
  rail text not null,
  provider_id text not null,
  business_id object_id not null,
  dispute_id object_id not null,
  currency text not null,
  amount bigint not null check (amount <> 0),
  moved_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (livemode, rail, provider_id),
  foreign key (business_id, livemode, dispute_id) references disputes
);
comment on table dispute_movements is 'What a provider took for a dispute out of what it owes, or gave back, each booked once.';
comment on column dispute_movements.provider_id is 'The provider''s own id of the change of its balance';
comment on column dispute_movements.amount is 'Minor units: below zero, what it took';
create index dispute_movements_of_dispute on dispute_movements (business_id, livemode, dispute_id);

alter table team_notices drop constraint team_notices_kind_check,
  add constraint team_notices_kind_check check (kind in ('payout_failed', 'payout_waiting', 'endpoint_failing', 'incident', 'dispute'));

create or replace function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'timers', 'idempotency_keys', 'requests',
    'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends', 'events',
    'mails', 'team_notices', 'team_notice_times', 'webhook_outages',
    'dispute_movements', 'disputes',
    'credit_note_parts', 'credit_notes', 'credit_note_numbers', 'invoice_lines', 'invoices', 'invoice_numbers', 'products',
    'distribution_returns', 'distribution_entries', 'distribution_settlements', 'distribution_shares', 'distributions',
    'refunds', 'payment_attempts', 'payment_crypto_quotes', 'payments', 'pay_links', 'collections',
    'chain_deposits', 'crypto_addresses', 'crypto_wallets', 'deposit_notices', 'virtual_accounts',
    'payout_batch_lines', 'payout_batches', 'payout_schedule_runs', 'payout_schedules', 'payouts', 'payout_quotes', 'beneficiaries',
    'provider_customers', 'provider_receipts', 'provider_references',
    'customer_documents', 'customer_words', 'customers', 'transactions', 'posting_sums', 'ledger_postings'
  ]
$body$;
