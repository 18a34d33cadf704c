-- Whom a business pays, saved; and whether its keys pay others.

create table beneficiaries (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  label text not null,
  method text not null check (method in ('crypto', 'bank_transfer')),
  destination jsonb not null,
  destination_key text not null,
  revision integer not null default 1,
  warnings jsonb not null default '[]',
  own boolean not null,
  usable_from timestamptz(3) not null,
  confirmed_at timestamptz(3),
  confirmed_by object_id,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (business_id, livemode, id),
  check ((confirmed_at is null) = (confirmed_by is null)),
  check (own or confirmed_at is null)
);
comment on table beneficiaries is 'Where a business pays to, saved. Changed with its wallets locked, as payouts read them.';
comment on column beneficiaries.destination_key is 'The account or the address alone, in one spelling: what a payout that names no beneficiary is compared by';
comment on column beneficiaries.revision is 'Which destination it is: one more with each change of it';
comment on column beneficiaries.usable_from is 'Until then it cools off: no payout may name it';
comment on column beneficiaries.confirmed_at is 'When a person has said, with a second factor, that the account is the business''s own';
create index beneficiaries_newest on beneficiaries (business_id, livemode, created_at desc, id desc) where deleted_at is null;
create index beneficiaries_of_destination on beneficiaries (business_id, livemode, destination_key) where deleted_at is null;

alter table payouts add column beneficiary_id object_id;
comment on column payouts.beneficiary_id is 'The beneficiary that it was made for; its destination is a copy';
create index payouts_of_beneficiary on payouts (business_id, livemode, beneficiary_id, id desc) where beneficiary_id is not null;

alter table payout_limits
  add column payouts_by_key text not null default 'any' check (payouts_by_key in ('any', 'beneficiaries')),
  add column cooling_off_ms bigint not null default 86400000 check (cooling_off_ms >= 0);
comment on column payout_limits.payouts_by_key is 'Whom keys pay: anybody, or beneficiaries alone';
comment on column payout_limits.cooling_off_ms is 'How long after it was made, or its destination was changed, a beneficiary cannot be paid';
