-- What is kept of payment providers, and the books of the sandbox. A provider knows no businesses: the keys of its tables begin with the mode and the account.

-- Accounts and webhooks ----------------------------------------------------------------------------------------------
-- Records and the ledger keep the name of an account alone, so a name is never given to another provider.
create table rail_accounts (
  livemode boolean not null, name text not null, provider text not null, first_seen_at timestamptz(3) not null, primary key (livemode, name));
comment on table rail_accounts is 'The accounts at providers that servers were ever started with. What records carry as their rail is a name of this table, or of a rail that is built in.';

-- A webhook is kept before it is answered. A job then asks the provider and applies the answer.
create table provider_events (
  livemode boolean not null, rail text not null, key text not null, id object_id not null unique, type text not null, kind text not null, reference text,
  provider_id text, body bytea, received_at timestamptz(3) not null, deliveries integer not null default 1, tries integer not null default 0, business_id object_id,
  subject object_id, outcome text check (outcome in ('applied', 'nothing_to_do', 'unknown_subject', 'quarantined')), ended_at timestamptz(3),
  swept boolean not null default false, primary key (livemode, rail, key),
  check ((outcome is null) = (ended_at is null)));
comment on table provider_events is 'Webhooks of providers. Only what they are about is believed: an amount or a status comes from the provider when it is asked.';
comment on column provider_events.rail is 'The name of the account at the provider';
comment on column provider_events.key is 'What tells two deliveries of one event from two events, by the provider''s reader';
comment on column provider_events.type is 'The provider''s name of the event';
comment on column provider_events.kind is 'What kind of record it is about; other: none of ours';
comment on column provider_events.body is 'As it came, sealed: it may name people. Null once it is applied, which needs no body';
comment on column provider_events.tries is 'How often it was tried to apply, and is tried again';
comment on column provider_events.subject is 'The record that it was about, once that is known';
comment on column provider_events.outcome is 'Null: it is still to be applied';
comment on column provider_events.swept is 'Whether a sweep found it, and no webhook has told of it';
create index provider_events_unapplied on provider_events (livemode, rail, received_at) where outcome is null;
create index provider_events_newest on provider_events (rail, id desc);
create index provider_events_oldest on provider_events (ended_at) where ended_at is not null;

create table provider_references (
  business_id object_id not null, livemode boolean not null, rail text not null, kind text not null, reference text not null, subject object_id not null,
  provider_id text, created_at timestamptz(3) not null, primary key (livemode, rail, kind, reference));
comment on table provider_references is 'Which record a provider''s reference belongs to: a provider knows no businesses. Written before the first byte is sent.';
comment on column provider_references.reference is 'Ours, as it is sent';
comment on column provider_references.provider_id is 'The provider''s own, once it is known';
create unique index provider_references_provider_id on provider_references (livemode, rail, kind, provider_id) where provider_id is not null;

-- Some providers find an order by their own id alone. It is kept from the first answer that has it.
create table provider_orders (
  livemode boolean not null, rail text not null, reference text not null, provider_id text not null, created_at timestamptz(3) not null,
  primary key (livemode, rail, reference));
comment on table provider_orders is 'What providers call the orders that they were sent.';
comment on column provider_orders.reference is 'Ours, as it was sent';
comment on column provider_orders.provider_id is 'The provider''s own';

create table provider_incidents (
  id object_id primary key, livemode boolean not null, rail text not null, kind text not null, subject text not null, business_id object_id, detail jsonb not null,
  times integer not null default 1, opened_at timestamptz(3) not null, seen_at timestamptz(3) not null, closed_at timestamptz(3), closed_by text,
  check ((closed_at is null) = (closed_by is null)));
comment on table provider_incidents is 'What a person must look at, at an account of a provider. Only a person closes it.';
comment on column provider_incidents.subject is 'What it is about: the id of a record or of an event, or something of the provider''s; empty: the account itself';
comment on column provider_incidents.times is 'How often it was found while it was open';
comment on column provider_incidents.seen_at is 'When it was found last';
create unique index provider_incidents_open on provider_incidents (livemode, rail, kind, subject) where closed_at is null;
-- The timeline of a record shows its incidents.
create index provider_incidents_subject on provider_incidents (business_id, livemode, subject) where business_id is not null;

create table provider_blocks (
  livemode boolean not null, rail text not null, obstacle text not null, since timestamptz(3) not null, primary key (livemode, rail));
comment on table provider_blocks is 'Accounts at providers that pay nothing out until a person has acted there, and `bursar rails unblock` says so.';

-- Known to providers -------------------------------------------------------------------------------------------------
create table provider_banks (
  livemode boolean not null, rail text not null, code text not null, provider_id bigint not null, name text not null, slug text not null, nip_code text,
  active boolean not null, transfers boolean not null, seen_at timestamptz(3) not null, primary key (livemode, rail, code));
comment on table provider_banks is 'The banks that a provider listed when it was asked last.';
comment on column provider_banks.provider_id is 'The provider''s own number of the bank';
comment on column provider_banks.transfers is 'Whether the provider pays to its accounts';

create table provider_recipients (
  livemode boolean not null, rail text not null, digest bytea not null, code text not null, created_at timestamptz(3) not null, primary key (livemode, rail, digest));
comment on table provider_recipients is 'Recipients that a provider has made for accounts that were paid to.';
comment on column provider_recipients.digest is 'SHA-256 of bank, account number and name: an account number stands in no more tables than it must';
comment on column provider_recipients.code is 'What the provider calls the recipient';

create table provider_customers (
  business_id object_id not null, livemode boolean not null, rail text not null, customer_id object_id not null, code text not null, provider_id text not null,
  email text not null, identified boolean not null default false, created_at timestamptz(3) not null, primary key (business_id, livemode, rail, customer_id));
comment on table provider_customers is 'Customers as a provider knows them: made once for each of ours, so that two of ours never share an account there.';
comment on column provider_customers.code is 'What the provider calls the customer';
comment on column provider_customers.provider_id is 'The provider''s number of it';
comment on column provider_customers.email is 'The address that the provider was given: one of its own where businesses share the account there';
comment on column provider_customers.identified is 'Whether the provider has verified who it is';
create index provider_customers_code on provider_customers (livemode, rail, code);

create table provider_sweeps (
  livemode boolean not null, rail text not null, until timestamptz(3) not null, primary key (livemode, rail));
comment on table provider_sweeps is 'Until when a provider was asked for what it may not have notified of.';

-- Reconciliation -----------------------------------------------------------------------------------------------------
create table provider_receipts (
  business_id object_id not null references businesses, livemode boolean not null, rail text not null,
  kind text not null check (kind in ('charge', 'deposit', 'payout', 'payout_return', 'refund', 'refund_return')), provider_id text not null,
  subject object_id not null, transaction_id object_id not null, currency text not null, amount bigint not null check (amount >= 0), fee bigint,
  available_at timestamptz(3), settled_at timestamptz(3), settlement text, created_at timestamptz(3) not null, primary key (livemode, rail, kind, provider_id));
comment on table provider_receipts is 'One row for each movement at a provider that is booked here: none is booked twice, whoever notices it first.';
comment on column provider_receipts.rail is 'The name of the account at the provider';
comment on column provider_receipts.provider_id is 'The provider''s own id of the movement';
comment on column provider_receipts.subject is 'The record that it is of, such as the payout';
comment on column provider_receipts.amount is 'What moved, in minor units; 0 where nothing stayed moved but the fee';
comment on column provider_receipts.fee is 'What the provider keeps for it; below zero: what it gives back; null: it has not said yet';
comment on column provider_receipts.available_at is 'From when on it can be paid out';
comment on column provider_receipts.settled_at is 'When the provider settled it';
comment on column provider_receipts.settlement is 'The provider''s id of the settlement that it is part of';
create unique index provider_receipts_money_in on provider_receipts (livemode, rail, provider_id) where kind in ('charge', 'deposit');
create index provider_receipts_by_transaction on provider_receipts (business_id, livemode, transaction_id);
create index provider_receipts_by_time on provider_receipts (livemode, rail, created_at);

create table provider_settlements (
  livemode boolean not null, rail text not null, kind text not null check (kind in ('settlement', 'top_up')), provider_id text not null, id object_id not null unique,
  currency text not null, amount bigint not null check (amount > 0), settled_at timestamptz(3) not null, created_at timestamptz(3) not null,
  primary key (livemode, rail, kind, provider_id));
comment on table provider_settlements is 'What a provider paid out to the operator''s bank, and what the operator put in there: booked once each.';
comment on column provider_settlements.amount is 'What came to the bank, or left it, in minor units';

create table provider_reconciliations (
  livemode boolean not null, rail text not null, id object_id not null, currency text not null, from_at timestamptz(3) not null, to_at timestamptz(3) not null,
  owed bigint, booked bigint not null, findings integer not null, ended_at timestamptz(3) not null, primary key (livemode, rail, id));
comment on table provider_reconciliations is 'When the books were held against a provider, and what came of it.';
comment on column provider_reconciliations.owed is 'What the provider said that it owes, in minor units; null where it did not say';
comment on column provider_reconciliations.booked is 'What the books said that it owes: its clearing accounts of all businesses together';

-- The operator sends these payments back: they are in the books of the operator, and of no merchant.
create table provider_returns (
  business_id object_id not null references businesses check (business_id = '000000000000000000000001'), livemode boolean not null, id object_id not null,
  charge_id object_id not null, rail text not null, payment text not null, payment_reference text, amount bigint not null check (amount > 0), fee bigint,
  currency text not null, requested_by text not null, status text not null check (status in ('initiated', 'completed', 'failed')), failure_reason text,
  provider_reference text, sent_at timestamptz(3), submissions integer not null default 1, created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id));
comment on table provider_returns is 'Payments at a provider that no record here claims, and that a person has had sent back to whoever paid.';
comment on column provider_returns.charge_id is 'The first return of the payment: what the payment is booked as';
comment on column provider_returns.rail is 'The name of the account at the provider';
comment on column provider_returns.payment is 'The provider''s own id of the payment';
comment on column provider_returns.fee is 'What the provider kept of the payment, in minor units; it is not given back';
comment on column provider_returns.requested_by is 'The person that had it sent back';
comment on column provider_returns.provider_reference is 'The provider''s own id of the refund, once it is known';
comment on column provider_returns.sent_at is 'When it was sent to the provider last';
create unique index provider_returns_once on provider_returns (business_id, livemode, rail, payment) where status <> 'failed';

create table operator_alerts (
  condition text primary key, sentence text not null, since timestamptz(3) not null, tries integer not null default 0, try_at timestamptz(3), told_at timestamptz(3));
comment on table operator_alerts is 'What the operator is told of, once each until it is over; a row of what is over is deleted.';
comment on column operator_alerts.condition is 'What tells two of them apart, such as an account and what is low there';
comment on column operator_alerts.try_at is 'When it is tried to tell it; null once it is told, or nobody is to be told';

-- Sandbox ------------------------------------------------------------------------------------------------------------
create table sandbox_orders (
  business_id object_id not null, id object_id not null, outcome text not null, taken boolean not null, settles_at timestamptz(3), returned text,
  primary key (business_id, id));
comment on table sandbox_orders is 'The books of the sandbox rail: what it was asked to pay, as a bank of its own would keep them.';
comment on column sandbox_orders.taken is 'False: the order was lost on its way, and the rail knows nothing of it';
comment on column sandbox_orders.settles_at is 'When the outcome shows, in the business''s test time; null: when it is simulated';
comment on column sandbox_orders.returned is 'Why a completed order came back; null: it did not';

create table sandbox_charges (
  business_id object_id not null, id object_id not null, outcome text not null, state text not null check (state in ('challenge', 'charged')),
  settles_at timestamptz(3) not null, refund_outcome text not null, primary key (business_id, id));
comment on table sandbox_charges is 'The books of the sandbox''s card scheme: what it was asked to charge.';
