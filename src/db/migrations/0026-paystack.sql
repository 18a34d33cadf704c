-- What is kept of providers for payouts: recipients they have made, the banks that they pay to, and what they wait for a person with.

create table provider_recipients (
  livemode boolean not null,
  rail text not null,
  digest bytea not null,
  code text not null,
  created_at timestamptz(3) not null,
  primary key (livemode, rail, digest)
);
comment on table provider_recipients is 'Recipients that a provider has made for accounts that were paid to.';
comment on column provider_recipients.digest is 'SHA-256 of bank, account number and name: an account number stands in no more tables than it must';
comment on column provider_recipients.code is 'What the provider calls the recipient';

create table provider_banks (
  livemode boolean not null,
  rail text not null,
  code text not null,
  provider_id bigint not null,
  name text not null,
  slug text not null,
  nip_code text,
  active boolean not null,
  transfers boolean not null,
  seen_at timestamptz(3) not null,
  primary key (livemode, rail, code)
);
comment on table provider_banks is 'The banks that a provider listed when it was asked last.';
comment on column provider_banks.provider_id is 'The provider''s own number of the bank';
comment on column provider_banks.transfers is 'Whether the provider pays to its accounts';

create table provider_blocks (
  livemode boolean not null,
  rail text not null,
  obstacle text not null,
  since timestamptz(3) not null,
  primary key (livemode, rail)
);
comment on table provider_blocks is 'Accounts at providers that pay nothing out until a person has acted there, and `bursar rails unblock` says so.';
