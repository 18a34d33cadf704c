-- Selling: products, distributions and their shares, invoices with their lines and numbers, and mail on its way out. Every key
-- starts with (business_id, livemode), as before.

-- Distributions ------------------------------------------------------------------------------------------------------

create table distributions (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  name text not null,
  currency text not null,
  active boolean not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id)
);
comment on table distributions is 'Plans that share what a product sells for.';
create index distributions_newest on distributions (business_id, livemode, created_at desc, id desc);

create table distribution_shares (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  distribution_id object_id not null,
  position integer not null,
  name text not null,
  percentage_bps integer check (percentage_bps between 1 and 10000),
  flat bigint check (flat > 0),
  destination jsonb,
  removed boolean not null default false,
  settled bigint not null default 0 check (settled >= 0),
  primary key (business_id, livemode, id),
  foreign key (business_id, livemode, distribution_id) references distributions,
  check ((percentage_bps is null) <> (flat is null))
);
comment on table distribution_shares is 'Who gets what of a distribution. What a share has accrued is the balance of its own ledger account.';
comment on column distribution_shares.flat is 'Minor units for each unit sold, in the distribution''s currency';
comment on column distribution_shares.settled is 'What payouts took out and did not bring back, in minor units of the account''s currency';
create index distribution_shares_of on distribution_shares (business_id, livemode, distribution_id, position);

create table distribution_entries (
  business_id object_id not null,
  livemode boolean not null,
  payment_id object_id not null,
  share_id object_id not null,
  amount bigint not null check (amount >= 0),
  returned bigint not null default 0,
  borne bigint not null default 0 check (borne >= 0),
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, payment_id, share_id),
  foreign key (business_id, livemode, share_id) references distribution_shares,
  check (returned between 0 and amount - borne)
);
comment on table distribution_entries is 'What each payment brought a share, and what its refunds took back.';
comment on column distribution_entries.returned is 'Taken back from the share by refunds';
comment on column distribution_entries.borne is 'Would have been taken back, but was settled already: the business bears it';
create index distribution_entries_of_share on distribution_entries (business_id, livemode, share_id);

create table distribution_returns (
  business_id object_id not null,
  livemode boolean not null,
  refund_id object_id not null,
  payment_id object_id not null,
  share_id object_id not null,
  returned bigint not null check (returned >= 0),
  borne bigint not null check (borne >= 0),
  undone boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, refund_id, share_id),
  foreign key (business_id, livemode, payment_id, share_id) references distribution_entries
);
comment on table distribution_returns is 'What each refund took back from shares; a refund that failed has undone it.';

create table distribution_settlements (
  business_id object_id not null,
  livemode boolean not null,
  payout_id object_id not null,
  share_id object_id not null,
  amount bigint not null check (amount > 0),
  failed boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, payout_id),
  foreign key (business_id, livemode, share_id) references distribution_shares
);
comment on table distribution_settlements is 'Payouts of what shares had accrued; a failed one has brought it back.';
create index distribution_settlements_of_share on distribution_settlements (business_id, livemode, share_id);

-- Products -----------------------------------------------------------------------------------------------------------

create table products (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  name text not null,
  amount bigint not null check (amount >= 1),
  currency text not null,
  description text,
  distribution_id object_id,
  active boolean not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  foreign key (business_id, livemode, distribution_id) references distributions
);
comment on table products is 'What a business sells. Invoices keep their own copy of name and amount.';
create index products_newest on products (business_id, livemode, created_at desc, id desc);

-- Invoices -----------------------------------------------------------------------------------------------------------

create table invoice_numbers (
  business_id object_id not null references businesses,
  livemode boolean not null,
  last bigint not null,
  primary key (business_id, livemode)
);
comment on table invoice_numbers is 'The last number given. Its row is locked until the invoice that takes a number is committed, so there are no gaps.';

create table invoices (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  number bigint,
  customer_id object_id not null,
  currency text not null,
  total bigint not null check (total > 0),
  exchange_rate text,
  collect_currency text,
  collect_amount bigint check (collect_amount > 0),
  due_date timestamptz(3),
  memo text,
  status text not null check (status in ('draft', 'open', 'paid', 'void')),
  bill_to jsonb,
  slug text,
  payment_id object_id,
  reminders jsonb not null default '{}',
  sent_at timestamptz(3),
  finalized_at timestamptz(3),
  paid_at timestamptz(3),
  voided_at timestamptz(3),
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, number),
  foreign key (business_id, livemode, customer_id) references customers,
  check ((status = 'draft') = (number is null))
);
comment on table invoices is 'Requests for payment, with lines.';
comment on column invoices.exchange_rate is 'Units of the collected currency for one of the invoice''s, fixed when it was finalized; a decimal';
comment on column invoices.bill_to is 'The customer as it was when the invoice was finalized';
comment on column invoices.slug is 'Of its page';
create index invoices_newest on invoices (business_id, livemode, created_at desc, id desc);
create index invoices_of_customer on invoices (business_id, livemode, customer_id, created_at desc, id desc);

create table invoice_lines (
  business_id object_id not null,
  livemode boolean not null,
  invoice_id object_id not null,
  position integer not null,
  product_id object_id not null,
  distribution_id object_id,
  name text not null,
  amount bigint not null check (amount >= 1),
  quantity bigint not null check (quantity >= 1),
  total bigint not null,
  primary key (business_id, livemode, invoice_id, position),
  foreign key (business_id, livemode, invoice_id) references invoices on delete cascade,
  check (total = amount * quantity)
);
comment on table invoice_lines is 'What an invoice asks money for: copies of products as they were.';

-- Mail ---------------------------------------------------------------------------------------------------------------

create table mails (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  invoice_id object_id not null,
  recipient text not null,
  subject text not null,
  body text not null,
  status text not null check (status in ('captured', 'queued', 'sent', 'dropped', 'failed')),
  created_at timestamptz(3) not null,
  sent_at timestamptz(3),
  primary key (business_id, livemode, id)
);
comment on table mails is 'Mail to customers: sent by SMTP, or captured for a look in test mode.';
comment on column mails.status is 'dropped: its invoice was paid or voided before it was sent; failed: the SMTP server refused it for good';
create index mails_newest on mails (created_at desc, id desc);
