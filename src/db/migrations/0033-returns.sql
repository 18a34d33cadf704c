-- Payments at a provider that nobody claims, on their way back to whoever paid them: in the operator's books, and no merchant's.

comment on column ledger_accounts.purpose is
  'wallet_available, wallet_pending, fees, share, dust, unclaimed, rail_clearing, rail_fees, operator_bank, exchange';

create table provider_returns (
  business_id object_id not null references businesses check (business_id = '000000000000000000000001'),
  livemode boolean not null,
  id object_id not null,
  charge_id object_id not null,
  rail text not null,
  payment text not null,
  payment_reference text,
  amount bigint not null check (amount > 0),
  fee bigint,
  currency text not null,
  requested_by text not null,
  status text not null check (status in ('initiated', 'completed', 'failed')),
  failure_reason text,
  provider_reference text,
  sent_at timestamptz(3),
  submissions integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id)
);
comment on table provider_returns is 'Payments at a provider that no record here claims, and that a person has had sent back to whoever paid.';
comment on column provider_returns.charge_id is 'The first return of the payment: what the payment is booked as';
comment on column provider_returns.rail is 'The name of the account at the provider';
comment on column provider_returns.payment is 'The provider''s own id of the payment';
comment on column provider_returns.fee is 'What the provider kept of the payment, in minor units; it is not given back';
comment on column provider_returns.requested_by is 'The person that had it sent back';
comment on column provider_returns.provider_reference is 'The provider''s own id of the refund, once it is known';
comment on column provider_returns.sent_at is 'When it was sent to the provider last';
create unique index provider_returns_once on provider_returns (business_id, livemode, rail, payment) where status <> 'failed';
