-- Taxes on what is sold by invoice, copied into its lines with the product's price; and credit notes, which say what of an invoice was given back.

alter table products
  add column tax_rate_bps integer check (tax_rate_bps between 0 and 10000),
  add column tax_inclusive boolean not null default false;
comment on column products.tax_rate_bps is 'In hundredths of a percent; null: no tax is shown, 0: a rate of nothing';
comment on column products.tax_inclusive is 'Whether the price has the tax in it; else it comes on top';

alter table invoice_lines
  add column tax_rate_bps integer check (tax_rate_bps between 0 and 10000),
  add column tax_inclusive boolean not null default false,
  add column tax bigint not null default 0 check (tax between 0 and total),
  add check (tax_rate_bps is not null or tax = 0);
comment on column invoice_lines.tax is 'Part of total where tax_inclusive, else on top of it. Rounded once a rate, and shared among its lines';

create table credit_note_numbers (
  business_id object_id not null references businesses,
  livemode boolean not null,
  last bigint not null,
  primary key (business_id, livemode)
);
comment on table credit_note_numbers is 'The last number given. Its row is locked until the credit note that takes a number is committed, so there are no gaps.';

create table credit_notes (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  number bigint not null,
  invoice_id object_id not null,
  refund_id object_id not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  status text not null check (status in ('issued', 'void')),
  seller jsonb not null,
  metadata jsonb not null default '{}',
  voided_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, number),
  unique (business_id, livemode, refund_id),
  foreign key (business_id, livemode, invoice_id) references invoices,
  foreign key (business_id, livemode, refund_id) references refunds,
  check ((status = 'void') = (voided_at is not null))
);
comment on table credit_notes is 'What of a paid invoice was given back by a refund, in the invoice''s currency. Void where the refund came back.';
comment on column credit_notes.seller is 'Who the business was when it was issued: name, address, tax_id, registration_number';
create index credit_notes_newest on credit_notes (business_id, livemode, created_at desc, id desc);
create index credit_notes_of_invoice on credit_notes (business_id, livemode, invoice_id, created_at desc, id desc);

create table credit_note_parts (
  business_id object_id not null,
  livemode boolean not null,
  credit_note_id object_id not null,
  position integer not null,
  tax_rate_bps integer,
  net bigint not null check (net >= 0),
  tax bigint not null check (tax >= 0),
  primary key (business_id, livemode, credit_note_id, position),
  foreign key (business_id, livemode, credit_note_id) references credit_notes
);
comment on table credit_note_parts is 'A credit note by the rates of its invoice; without a rate: what was sold without tax.';
