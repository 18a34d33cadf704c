-- The foundation: businesses and their keys, the ledger, wallets, transactions, payouts, events, webhooks, timers.
-- Every key of a business's data starts with (business_id, livemode): tenants and modes cannot meet in a statement that
-- names them, and the tables can be sharded by business.

create domain object_id as text collate "C";
comment on domain object_id is '24 lower-case hex digits, time-ordered';

-- Businesses ---------------------------------------------------------------------------------------------------------

create table businesses (
  id object_id primary key,
  name text not null,
  created_at timestamptz(3) not null
);
comment on table businesses is 'The merchants of this server. A business has test data and live data, which never mix.';

create table api_keys (
  business_id object_id not null references businesses,
  id object_id not null,
  livemode boolean not null,
  key_hash bytea not null unique,
  hint text not null,
  name text not null,
  allow_ips text[] not null default '{}',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  primary key (business_id, id)
);
comment on table api_keys is 'Bearer keys. The key itself is shown once and never stored.';
comment on column api_keys.key_hash is 'SHA-256 of the whole key; a key carries 190 random bits';
comment on column api_keys.hint is 'How a person recognises the key: its prefix and last four characters';
comment on column api_keys.allow_ips is 'Addresses and CIDRs it may be used from; empty: from anywhere';
comment on column api_keys.expires_at is 'End of the overlap after a roll';

create table test_clocks (
  business_id object_id primary key references businesses,
  offset_ms bigint not null check (offset_ms >= 0),
  moving_until timestamptz(3)
);
comment on table test_clocks is 'How far a business has moved its test mode ahead of the machine''s clock. No row: not at all.';
comment on column test_clocks.moving_until is 'While a move fires what it made due, the timer loop leaves the rest to it; in machine time';

-- Ledger -------------------------------------------------------------------------------------------------------------

create table ledger_accounts (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id bigint generated always as identity,
  purpose text not null,
  currency text not null,
  subject text not null default '',
  balance bigint not null default 0,
  overdraft boolean not null,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, purpose, currency, subject),
  constraint ledger_accounts_no_overdraft check (overdraft or balance >= 0)
);
comment on table ledger_accounts is 'Accounts of the double-entry ledger; balances are changed in the statement that adds the postings.';
comment on column ledger_accounts.purpose is 'wallet_available, wallet_pending, fees, rail_clearing, exchange';
comment on column ledger_accounts.subject is 'Tells accounts of one purpose apart, such as the rail of a clearing account';
comment on column ledger_accounts.balance is 'Minor units: credits minus debits';
comment on column ledger_accounts.overdraft is 'Whether it may go below zero: clearing and exchange accounts may, wallets and fees may not';

create table ledger_postings (
  business_id object_id not null,
  livemode boolean not null,
  id bigint generated always as identity,
  debit_account bigint not null,
  credit_account bigint not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  kind text not null,
  subject object_id not null,
  transaction_id object_id not null,
  posted_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  foreign key (business_id, livemode, debit_account) references ledger_accounts,
  foreign key (business_id, livemode, credit_account) references ledger_accounts,
  check (debit_account <> credit_account)
);
comment on table ledger_postings is 'Append-only. One debit account, one credit account, one amount: balanced by construction.';
comment on column ledger_postings.kind is 'Why money moved: simulated_fund, payout_hold, payout_release, payout_sent, payout_fee, payout_exchange';
comment on column ledger_postings.subject is 'The record that moved it, such as the payout';
create index ledger_postings_by_subject on ledger_postings (business_id, livemode, subject);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger ledger_postings_append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_change();

create function refuse_account_change() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' or (old.business_id, old.livemode, old.id, old.purpose, old.currency, old.subject, old.overdraft)
     is distinct from (new.business_id, new.livemode, new.id, new.purpose, new.currency, new.subject, new.overdraft) then
    raise exception 'ledger_accounts can only change their balance' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger ledger_accounts_only_balance before update or delete on ledger_accounts
  for each row execute function refuse_account_change();
create trigger ledger_accounts_no_truncate before truncate on ledger_accounts
  for each statement execute function refuse_account_change();

-- Wallets and transactions -------------------------------------------------------------------------------------------

create table wallets (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  currency text not null,
  available_account bigint not null,
  pending_account bigint not null,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, currency),
  foreign key (business_id, livemode, available_account) references ledger_accounts,
  foreign key (business_id, livemode, pending_account) references ledger_accounts
);
comment on table wallets is 'What a business holds in one currency. The amounts are the balances of its two ledger accounts.';

create table transactions (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  type text not null,
  method text not null,
  direction text not null check (direction in ('credit', 'debit')),
  status text not null check (status in ('pending', 'completed', 'failed', 'reversed')),
  currency text not null,
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0 and fee <= amount),
  balance_after bigint not null,
  reference text,
  customer_id object_id,
  source jsonb,
  related jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id)
);
comment on table transactions is 'What a merchant sees of money in and out of a wallet.';
comment on column transactions.balance_after is 'What the wallet had available right after this transaction''s own movement';
create index transactions_newest on transactions (business_id, livemode, created_at desc, id desc);

-- Payouts ------------------------------------------------------------------------------------------------------------

create table payout_quotes (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  amount bigint not null check (amount >= 0),
  currency text not null,
  method text not null,
  destination jsonb not null,
  fee bigint not null,
  fee_breakdown jsonb not null,
  rate text not null,
  destination_amount bigint not null,
  destination_currency text not null,
  status text not null default 'open' check (status in ('open', 'expired')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  primary key (business_id, livemode, id)
);
comment on table payout_quotes is 'Fees and rates that were offered, and until when.';

create table payouts (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  reference text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  method text not null,
  destination jsonb not null,
  quote_id object_id,
  fee bigint not null check (fee >= 0 and fee < amount),
  fee_breakdown jsonb not null,
  rate text not null,
  destination_amount bigint not null check (destination_amount > 0),
  destination_currency text not null,
  description text,
  warnings jsonb not null default '[]',
  rail text not null,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed', 'canceled')),
  failure_reason text,
  provider_reference text,
  tx_hash text,
  transaction_id object_id not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, reference)
);
comment on table payouts is 'Money on its way out of a wallet.';
comment on column payouts.amount is 'What leaves the wallet; the fee comes out of it';
create index payouts_newest on payouts (business_id, livemode, created_at desc, id desc);

create table sandbox_orders (
  business_id object_id not null,
  id object_id not null,
  outcome text not null,
  taken boolean not null,
  settles_at timestamptz(3),
  primary key (business_id, id)
);
comment on table sandbox_orders is 'The books of the sandbox rail: what it was asked to pay, as a bank of its own would keep them.';
comment on column sandbox_orders.taken is 'False: the order was lost on its way, and the rail knows nothing of it';
comment on column sandbox_orders.settles_at is 'When the outcome shows, in the business''s test time; null: when it is simulated';

-- Events and webhooks ------------------------------------------------------------------------------------------------

create table events (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  type text not null,
  body text not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, id)
);
comment on table events is 'What happened, written in the transaction in which it happened.';
comment on column events.body is 'The exact text that webhooks send and sign';
create index events_newest on events (business_id, livemode, created_at desc, id desc);
create index events_newest_of_type on events (business_id, livemode, type, created_at desc, id desc);
create trigger events_unchanged before update on events for each statement execute function refuse_change();

create table webhooks (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  url text not null,
  description text,
  events text[] not null,
  metadata_filter jsonb not null default '{}',
  active boolean not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (business_id, livemode, id)
);
comment on table webhooks is 'Where a business wants its events sent. Secrets are sealed with SECRETS_KEY.';

create table webhook_deliveries (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  event_id object_id not null,
  webhook_id object_id not null,
  type text not null,
  url text not null,
  status text not null check (status in ('pending', 'succeeded', 'failed')),
  tries integer not null default 0,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, event_id, webhook_id)
);
create index webhook_deliveries_newest_of_webhook
  on webhook_deliveries (business_id, livemode, webhook_id, created_at desc, id desc);
comment on table webhook_deliveries is 'One row per event and endpoint: where the delivery stands.';
comment on column webhook_deliveries.tries is 'Tries since the event or its last resend; the retry waits are counted by it';
create index webhook_deliveries_newest on webhook_deliveries (business_id, livemode, created_at desc, id desc);

create table webhook_attempts (
  business_id object_id not null,
  livemode boolean not null,
  delivery_id object_id not null,
  number integer not null,
  at timestamptz(3) not null,
  response_status integer,
  response_body text,
  duration_ms integer not null,
  error text,
  primary key (business_id, livemode, delivery_id, number)
);
comment on table webhook_attempts is 'Every try of a delivery, with what came back.';

-- Time and repetition ------------------------------------------------------------------------------------------------

create table timers (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  due_at timestamptz(3),
  task text not null,
  subject object_id not null,
  payload jsonb not null,
  queue text,
  primary key (business_id, livemode, id)
);
comment on table timers is 'Everything that is to be done, at once or later. A row is deleted in the statement that queues its job.';
comment on column timers.due_at is 'Null: as soon as it is committed. Else in the time of the business and mode: a test clock that moves makes it due';
comment on column timers.queue is 'Jobs of one queue run one by one';
create index timers_immediate on timers (id) where due_at is null;
create index timers_due on timers (due_at) where due_at is not null;
create index timers_of_business on timers (business_id, livemode, due_at) where due_at is not null;

create table idempotency_keys (
  business_id object_id not null,
  livemode boolean not null,
  key text not null,
  request_hash bytea not null,
  status integer,
  body bytea,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, key)
);
comment on table idempotency_keys is 'Answers given to requests that carried an Idempotency-Key, kept for 24 hours.';
comment on column idempotency_keys.body is 'The answer, sealed with SECRETS_KEY: it may hold a secret that is shown once';
create index idempotency_keys_oldest on idempotency_keys (created_at);
