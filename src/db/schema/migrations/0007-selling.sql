-- Selling: distributions and their shares, products, invoices with lines and numbers, credit notes, and mails.

-- Distributions ------------------------------------------------------------------------------------------------------
create table distributions (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, name text not null, currency text not null,
  active boolean not null, metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id));
comment on table distributions is 'Plans that share what a product sells for.';
create index distributions_newest on distributions (business_id, livemode, created_at desc, id desc);

create table distribution_shares (
  business_id object_id not null, livemode boolean not null, id object_id not null, distribution_id object_id not null, position integer not null, name text not null,
  percentage_bps integer check (percentage_bps between 1 and 10000), flat bigint check (flat > 0), destination jsonb, removed boolean not null default false,
  settled bigint not null default 0 check (settled >= 0), destination_changed_at timestamptz(3), destination_changed_by jsonb, destination_usable_from timestamptz(3),
  primary key (business_id, livemode, id),
  foreign key (business_id, livemode, distribution_id) references distributions, check ((percentage_bps is null) <> (flat is null)));
comment on table distribution_shares is 'Who gets what of a distribution. What a share has accrued is the balance of its own ledger account.';
comment on column distribution_shares.flat is 'Minor units for each unit sold, in the distribution''s currency';
comment on column distribution_shares.settled is 'What payouts took out and did not bring back, in minor units of the account''s currency';
comment on column distribution_shares.destination_changed_at is 'When its destination was last named, changed or taken away; null: never since this was written down';
comment on column distribution_shares.destination_changed_by is 'Who did: {type, id, hint}; null: nobody, or a command';
comment on column distribution_shares.destination_usable_from is 'From when on it is paid out: as long after the change as beneficiaries cool off';
create index distribution_shares_of on distribution_shares (business_id, livemode, distribution_id, position);

create table distribution_entries (
  business_id object_id not null, livemode boolean not null, payment_id object_id not null, share_id object_id not null, amount bigint not null check (amount >= 0),
  returned bigint not null default 0, borne bigint not null default 0 check (borne >= 0), created_at timestamptz(3) not null,
  primary key (business_id, livemode, payment_id, share_id),
  foreign key (business_id, livemode, share_id) references distribution_shares, check (returned between 0 and amount - borne));
comment on table distribution_entries is 'What each payment brought a share, and what its refunds took back.';
comment on column distribution_entries.returned is 'Taken back from the share by refunds';
comment on column distribution_entries.borne is 'Would have been taken back, but was settled already: the business bears it';
create index distribution_entries_of_share on distribution_entries (business_id, livemode, share_id);

create table distribution_returns (
  business_id object_id not null, livemode boolean not null, refund_id object_id not null, payment_id object_id not null, share_id object_id not null,
  returned bigint not null check (returned >= 0), borne bigint not null check (borne >= 0), undone boolean not null default false, created_at timestamptz(3) not null,
  primary key (business_id, livemode, refund_id, share_id),
  foreign key (business_id, livemode, payment_id, share_id) references distribution_entries);
comment on table distribution_returns is 'What each refund took back from shares; a refund that failed has undone it.';
-- Emptying test data deletes entries and distributions by these. Nobody deletes live rows.
create index distribution_returns_of_test_entry on distribution_returns (business_id, payment_id, share_id) where not livemode;

create table distribution_settlements (
  business_id object_id not null, livemode boolean not null, payout_id object_id not null, share_id object_id not null, amount bigint not null check (amount > 0),
  created_at timestamptz(3) not null, returned bigint not null default 0, primary key (business_id, livemode, payout_id),
  foreign key (business_id, livemode, share_id) references distribution_shares, constraint distribution_settlements_returned check (returned between 0 and amount));
comment on table distribution_settlements is 'Payouts of what shares had accrued; one that comes back brings it back.';
comment on column distribution_settlements.returned is 'What the share has again: all of a payout that failed or was canceled, and what had arrived of one that was returned';
create index distribution_settlements_of_share on distribution_settlements (business_id, livemode, share_id);

-- Products and invoices ----------------------------------------------------------------------------------------------
create table products (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, name text not null,
  amount bigint not null check (amount >= 1), currency text not null, description text, distribution_id object_id, active boolean not null,
  metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  tax_rate_bps integer check (tax_rate_bps between 0 and 10000), tax_inclusive boolean not null default false, primary key (business_id, livemode, id),
  foreign key (business_id, livemode, distribution_id) references distributions);
comment on table products is 'What a business sells. Invoices keep their own copy of name and amount.';
comment on column products.tax_rate_bps is 'In hundredths of a percent; null: no tax is shown, 0: a rate of nothing';
comment on column products.tax_inclusive is 'Whether the price has the tax in it; else it comes on top';
create index products_newest on products (business_id, livemode, created_at desc, id desc);
create index products_of_test_distribution on products (business_id, distribution_id) where not livemode;

create table invoice_numbers (
  business_id object_id not null references businesses, livemode boolean not null, last bigint not null, primary key (business_id, livemode));
comment on table invoice_numbers is 'The last number given. Its row is locked until the invoice that takes a number is committed, so there are no gaps.';

create table invoices (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, number bigint, customer_id object_id not null,
  currency text not null, total bigint not null check (total > 0), exchange_rate text, collect_currency text, collect_amount bigint check (collect_amount > 0),
  due_date timestamptz(3), memo text, status text not null check (status in ('draft', 'open', 'paid', 'void')), bill_to jsonb, slug text, payment_id object_id,
  reminders jsonb not null default '{}', sent_at timestamptz(3), finalized_at timestamptz(3), paid_at timestamptz(3), voided_at timestamptz(3),
  metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null, seller jsonb, due_day date,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, number), foreign key (business_id, livemode, customer_id) references customers, check ((status = 'draft') = (number is null)));
comment on table invoices is 'Requests for payment, with lines.';
comment on column invoices.exchange_rate is 'Units of the collected currency for one of the invoice''s, fixed when it was finalized; a decimal';
comment on column invoices.bill_to is 'The customer as it was when the invoice was finalized';
comment on column invoices.slug is 'Of its page';
comment on column invoices.seller is 'Who the business was when the invoice was finalized: name, address, tax_id, registration_number; null of a draft';
comment on column invoices.due_day is 'The day on which it is due, as it was given, or that of due_date in the time zone of the business; it stays when the zone is changed';
create index invoices_newest on invoices (business_id, livemode, created_at desc, id desc);
create index invoices_of_customer on invoices (business_id, livemode, customer_id, created_at desc, id desc);
create index invoices_newest_alike on invoices (business_id, livemode, hashtext(currency || '/' || status), created_at desc, id desc);
create index invoices_by_total on invoices (business_id, livemode, total, created_at desc, id desc);
create index invoices_by_change on invoices using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
select count_list('invoices', '{currency,status}');

create table invoice_lines (
  business_id object_id not null, livemode boolean not null, invoice_id object_id not null, position integer not null, product_id object_id not null,
  distribution_id object_id, name text not null, amount bigint not null check (amount >= 1), quantity bigint not null check (quantity >= 1), total bigint not null,
  tax_rate_bps integer check (tax_rate_bps between 0 and 10000), tax_inclusive boolean not null default false, tax bigint not null default 0,
  primary key (business_id, livemode, invoice_id, position),
  foreign key (business_id, livemode, invoice_id) references invoices on delete cascade, check (total = amount * quantity), check (tax between 0 and total),
  check (tax_rate_bps is not null or tax = 0));
comment on table invoice_lines is 'What an invoice asks money for: copies of products as they were.';
comment on column invoice_lines.tax is 'Part of total where tax_inclusive, else on top of it. Rounded once a rate, and shared among its lines';

-- Credit notes -------------------------------------------------------------------------------------------------------
create table credit_note_numbers (
  business_id object_id not null references businesses, livemode boolean not null, last bigint not null, primary key (business_id, livemode));
comment on table credit_note_numbers is 'The last number given. Its row is locked until the credit note that takes a number is committed, so there are no gaps.';

create table credit_notes (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, number bigint not null, invoice_id object_id not null,
  refund_id object_id not null, currency text not null, amount bigint not null check (amount > 0), status text not null check (status in ('issued', 'void')),
  seller jsonb not null, metadata jsonb not null default '{}', voided_at timestamptz(3), created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, number), unique (business_id, livemode, refund_id), foreign key (business_id, livemode, invoice_id) references invoices,
  foreign key (business_id, livemode, refund_id) references refunds, check ((status = 'void') = (voided_at is not null)));
comment on table credit_notes is 'What of a paid invoice was given back by a refund, in the invoice''s currency. Void where the refund came back.';
comment on column credit_notes.seller is 'Who the business was when it was issued: name, address, tax_id, registration_number';
create index credit_notes_newest on credit_notes (business_id, livemode, created_at desc, id desc);
create index credit_notes_of_invoice on credit_notes (business_id, livemode, invoice_id, created_at desc, id desc);

create table credit_note_parts (
  business_id object_id not null, livemode boolean not null, credit_note_id object_id not null, position integer not null, tax_rate_bps integer,
  net bigint not null check (net >= 0), tax bigint not null check (tax >= 0), primary key (business_id, livemode, credit_note_id, position),
  foreign key (business_id, livemode, credit_note_id) references credit_notes);
comment on table credit_note_parts is 'A credit note by the rates of its invoice; without a rate: what was sold without tax.';

-- Mails --------------------------------------------------------------------------------------------------------------
create table mails (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, invoice_id object_id, recipient text not null,
  subject text not null, body text not null, status text not null check (status in ('captured', 'queued', 'sent', 'dropped', 'failed')),
  created_at timestamptz(3) not null, sent_at timestamptz(3), reminder_day integer, about text, language text check (language ~ '^[a-z]{2,3}$'),
  primary key (business_id, livemode, id));
comment on table mails is 'Mail to customers: sent by SMTP, or captured for a look in test mode.';
comment on column mails.status is 'dropped: its invoice was paid or voided before it was sent; failed: the SMTP server refused it for good';
comment on column mails.reminder_day is 'how many days after the due date it reminds, below zero before; null: no reminder';
comment on column mails.about is 'What it tells of, such as ''payment.completed 6925…'': mailed once to a recipient; null: as often as asked';
comment on column mails.language is 'In which it is written; null: English';
create index mails_newest on mails (created_at desc, id desc);
create unique index mails_reminder_once on mails (business_id, livemode, invoice_id, reminder_day) where reminder_day is not null;
create unique index mails_once on mails (business_id, livemode, about, recipient) where about is not null;
create index mails_to on mails (business_id, livemode, lower(recipient));
-- Retention finds mails by age.
create index mails_old on mails (created_at) where body <> '';
