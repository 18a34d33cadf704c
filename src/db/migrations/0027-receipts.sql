-- The operator's books: each movement that a provider made, what it keeps as fees, and what it settles. What belongs to no merchant stands
-- in a reserved business.

insert into businesses (id, name, created_at) values ('000000000000000000000001', 'The operator', '2000-01-01 00:00:00+00');
alter table api_keys add constraint api_keys_of_merchants check (business_id <> '000000000000000000000001');
alter table wallets add constraint wallets_of_merchants check (business_id <> '000000000000000000000001');
alter table test_clocks add constraint test_clocks_of_merchants check (business_id <> '000000000000000000000001');
comment on table businesses is 'Merchants; and 000000000000000000000001, the operator, whose books hold what belongs to none. No key is ever made for it.';

comment on column ledger_accounts.purpose is
  'wallet_available, wallet_pending, fees, share, dust, rail_clearing, rail_fees, operator_bank, exchange';
comment on column ledger_accounts.subject is 'Tells accounts of one purpose apart, such as the account at a provider of a clearing account';

create table provider_receipts (
  business_id object_id not null references businesses,
  livemode boolean not null,
  rail text not null,
  kind text not null check (kind in ('charge', 'deposit', 'payout', 'payout_return', 'refund', 'refund_return')),
  provider_id text not null,
  subject object_id not null,
  transaction_id object_id not null,
  currency text not null,
  amount bigint not null check (amount >= 0),
  fee bigint,
  available_at timestamptz(3),
  settled_at timestamptz(3),
  settlement text,
  created_at timestamptz(3) not null,
  primary key (livemode, rail, kind, provider_id)
);
comment on table provider_receipts is 'One row for each movement at a provider that is booked here: none is booked twice, whoever notices it first.';
comment on column provider_receipts.rail is 'The name of the account at the provider';
comment on column provider_receipts.provider_id is 'The provider''s own id of the movement';
comment on column provider_receipts.subject is 'The record that it is of, such as the payout';
comment on column provider_receipts.amount is 'What moved, in minor units; 0 where nothing stayed moved but the fee';
comment on column provider_receipts.fee is 'What the provider keeps for it; below zero: what it gives back; null: it has not said yet';
comment on column provider_receipts.available_at is 'From when on it can be paid out';
comment on column provider_receipts.settled_at is 'When the provider settled it';
comment on column provider_receipts.settlement is 'The provider''s id of the settlement that it is part of';
create unique index provider_receipts_money_in on provider_receipts (livemode, rail, provider_id)
  where kind in ('charge', 'deposit');
create index provider_receipts_by_transaction on provider_receipts (business_id, livemode, transaction_id);
create index provider_receipts_by_time on provider_receipts (livemode, rail, created_at);

create table provider_settlements (
  livemode boolean not null,
  rail text not null,
  kind text not null check (kind in ('settlement', 'top_up')),
  provider_id text not null,
  id object_id not null unique,
  currency text not null,
  amount bigint not null check (amount > 0),
  settled_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  primary key (livemode, rail, kind, provider_id)
);
comment on table provider_settlements is 'What a provider paid out to the operator''s bank, and what the operator put in there: booked once each.';
comment on column provider_settlements.amount is 'What came to the bank, or left it, in minor units';

create table provider_reconciliations (
  livemode boolean not null,
  rail text not null,
  id object_id not null,
  currency text not null,
  from_at timestamptz(3) not null,
  to_at timestamptz(3) not null,
  owed bigint,
  booked bigint not null,
  findings integer not null,
  ended_at timestamptz(3) not null,
  primary key (livemode, rail, id)
);
comment on table provider_reconciliations is 'When the books were held against a provider, and what came of it.';
comment on column provider_reconciliations.owed is 'What the provider said that it owes, in minor units; null where it did not say';
comment on column provider_reconciliations.booked is 'What the books said that it owes: its clearing accounts of all businesses together';

create table operator_alerts (
  condition text primary key,
  sentence text not null,
  since timestamptz(3) not null,
  tries integer not null default 0,
  try_at timestamptz(3),
  told_at timestamptz(3)
);
comment on table operator_alerts is 'What the operator is told of, once each until it is over; a row of what is over is deleted.';
comment on column operator_alerts.condition is 'What tells two of them apart, such as an account and what is low there';
comment on column operator_alerts.try_at is 'When it is tried to tell it; null once it is told, or nobody is to be told';
