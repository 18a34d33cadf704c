-- Bank accounts that a provider opens later, or not at all; whom providers know of our customers; until when they were asked for what
-- nobody notified of.

create table provider_customers (
  business_id object_id not null,
  livemode boolean not null,
  rail text not null,
  customer_id object_id not null,
  code text not null,
  provider_id text not null,
  email text not null,
  identified boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, rail, customer_id)
);
comment on table provider_customers is 'Customers as a provider knows them: made once for each of ours, so that two of ours never share an account there.';
comment on column provider_customers.code is 'What the provider calls the customer';
comment on column provider_customers.provider_id is 'The provider''s number of it';
comment on column provider_customers.email is 'The address that the provider was given: one of its own where businesses share the account there';
comment on column provider_customers.identified is 'Whether the provider has verified who it is';
create index provider_customers_code on provider_customers (livemode, rail, code);

create table provider_sweeps (
  livemode boolean not null,
  rail text not null,
  until timestamptz(3) not null,
  primary key (livemode, rail)
);
comment on table provider_sweeps is 'Until when a provider was asked for what it may not have notified of.';

alter table virtual_accounts
  alter column account_number drop not null,
  alter column bank_name drop not null,
  alter column bank_code drop not null,
  add column provider_reference text,
  add column failure_reason text,
  add column sent_back_at timestamptz(3),
  drop constraint virtual_accounts_status_check,
  add constraint virtual_accounts_status_check check (status in ('pending', 'active', 'failed', 'closed', 'expired')),
  add constraint virtual_accounts_open_check check (
    status in ('pending', 'failed', 'closed', 'expired')
    or (account_number is not null and bank_name is not null and bank_code is not null)),
  add constraint virtual_accounts_failure_check check ((status = 'failed') = (failure_reason is not null)),
  drop constraint virtual_accounts_business_id_livemode_bank_code_account_num_key;
comment on column virtual_accounts.account_number is 'Null until its rail has opened it';
comment on column virtual_accounts.provider_reference is 'What its provider calls it';
comment on column virtual_accounts.sent_back_at is 'When its provider sent a transfer of a wrong amount back itself';

-- Providers give the number of a one-time account out again once its time is over.
create unique index virtual_accounts_number on virtual_accounts (business_id, livemode, bank_code, account_number)
  where kind = 'static' or rail = 'sandbox';
-- By this a deposit finds whose it is.
create unique index virtual_accounts_rail_number on virtual_accounts (livemode, rail, account_number)
  where kind = 'static' and rail <> 'sandbox';
-- A provider gives a customer one account.
create unique index virtual_accounts_one_pending on virtual_accounts (business_id, livemode, rail, customer_id)
  where kind = 'static' and status = 'pending';

-- What a provider opened for a payment may end before the payment does: then it gets another.
drop index virtual_accounts_of_payment;
create unique index virtual_accounts_of_payment on virtual_accounts (business_id, livemode, payment_id)
  where payment_id is not null and status in ('pending', 'active');
create index virtual_accounts_of_payment_all on virtual_accounts (business_id, livemode, payment_id, created_at desc, id desc)
  where payment_id is not null;

alter table payments add column mismatch_by text check (mismatch_by in ('rail'));
comment on column payments.mismatch_by is 'rail: the provider of its one-time account sends transfers of wrong amounts back itself, whatever on_mismatch says';
