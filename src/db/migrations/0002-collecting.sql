-- Collecting money: customers and their identity documents, virtual accounts, payments and their tries, collections,
-- refunds, and the notices of rails that money has come. Every key starts with (business_id, livemode), as before.

-- Customers ----------------------------------------------------------------------------------------------------------

create table customers (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  reference text,
  name text not null,
  first_name text,
  last_name text,
  email text not null,
  phone text,
  type text not null check (type in ('individual', 'business')),
  kyc_status text not null default 'none' check (kyc_status in ('none', 'verified', 'rejected')),
  address jsonb,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  primary key (business_id, livemode, id)
);
comment on table customers is 'Who pays. A deleted customer reads as not found; the records of its money stay.';
create unique index customers_reference on customers (business_id, livemode, reference) where deleted_at is null;
create index customers_newest on customers (business_id, livemode, created_at desc, id desc) where deleted_at is null;
create index customers_email on customers (business_id, livemode, lower(email)) where deleted_at is null;

create table customer_words (
  business_id object_id not null,
  livemode boolean not null,
  word text collate "C" not null,
  customer_id object_id not null,
  primary key (business_id, livemode, word, customer_id),
  foreign key (business_id, livemode, customer_id) references customers
);
comment on table customer_words is 'The words of names and email addresses, in lower case: a search finds their beginnings by the key''s own index.';
create index customer_words_of on customer_words (business_id, livemode, customer_id);

create table customer_documents (
  business_id object_id not null,
  livemode boolean not null,
  customer_id object_id not null,
  id_type text not null,
  id_number bytea not null,
  masked text not null,
  status text not null check (status in ('verified', 'failed')),
  failure_reason text,
  verified_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, customer_id, id_type),
  foreign key (business_id, livemode, customer_id) references customers
);
comment on table customer_documents is 'Identity documents: one of each type a customer.';
comment on column customer_documents.id_number is 'Sealed with SECRETS_KEY, bound to the customer and the type';
comment on column customer_documents.masked is 'The number with all but its last four characters hidden';

-- Virtual accounts and the notices of rails --------------------------------------------------------------------------

create table virtual_accounts (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  reference text,
  customer_id object_id,
  payment_id object_id,
  currency text not null,
  kind text not null check (kind in ('static', 'dynamic')),
  amount bigint check (amount > 0),
  account_name text not null,
  account_number text not null,
  bank_name text not null,
  bank_code text not null,
  routing_number text,
  status text not null check (status in ('active', 'closed', 'expired')),
  expires_at timestamptz(3),
  rail text not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, reference),
  unique (business_id, livemode, bank_code, account_number),
  check (kind = 'dynamic' or (customer_id is not null and expires_at is null)),
  check (kind = 'static' or (amount is not null and expires_at is not null))
);
comment on table virtual_accounts is 'Bank accounts that money is sent to: a customer''s own, or one for a single amount.';
comment on column virtual_accounts.payment_id is 'The payment whose one-time account it is';
create unique index virtual_accounts_of_payment on virtual_accounts (business_id, livemode, payment_id)
  where payment_id is not null;
create index virtual_accounts_newest on virtual_accounts (business_id, livemode, created_at desc, id desc);
create index virtual_accounts_of_customer
  on virtual_accounts (business_id, livemode, customer_id, created_at desc, id desc) where customer_id is not null;

create table deposit_notices (
  business_id object_id not null,
  livemode boolean not null,
  rail text not null,
  notice text not null,
  transaction_id object_id not null,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, rail, notice)
);
comment on table deposit_notices is 'What rails have told of money that came: a notice that is told again finds its row, and moves nothing.';
comment on column deposit_notices.notice is 'The rail''s own id of the deposit';

alter table transactions add column late boolean not null default false;
comment on column transactions.late is 'The money came after its account was closed or its payment had ended';
create index transactions_of_customer on transactions (business_id, livemode, customer_id, created_at desc, id desc)
  where customer_id is not null;

create index transactions_of_payment on transactions (business_id, livemode, (related->>'payment'))
  where type = 'payment';

-- Payments -----------------------------------------------------------------------------------------------------------

create table pay_links (
  slug text primary key,
  business_id object_id not null references businesses,
  livemode boolean not null,
  kind text not null check (kind in ('payment', 'collection')),
  subject object_id not null
);
comment on table pay_links is 'Hosted pages by their unguessable slugs: the one place where a payer, who has no key, finds a business.';

create table payments (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  reference text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  customer_id object_id,
  email text,
  description text,
  methods text[] not null,
  redirect_url text,
  cancel_url text,
  expires_at timestamptz(3) not null,
  fee_bearer text not null check (fee_bearer in ('business', 'customer')),
  on_mismatch text not null check (on_mismatch in ('accept', 'reverse')),
  slug text not null,
  status text not null check (status in ('pending', 'completed', 'failed', 'expired', 'canceled')),
  method text,
  amount_received bigint not null default 0,
  amount_counted bigint not null default 0,
  variance text check (variance in ('exact', 'underpaid', 'overpaid', 'late')),
  transaction_id object_id,
  fee bigint not null default 0,
  amount_refunded bigint not null default 0,
  amount_refunding bigint not null default 0,
  attempts integer not null default 0,
  failure_reason text,
  paid_at timestamptz(3),
  collection_id object_id,
  invoice_id object_id,
  begun boolean not null default false,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, reference),
  check (amount_counted between 0 and amount_received),
  check (amount_refunded >= 0 and amount_refunding >= 0 and amount_refunded + amount_refunding <= amount_received)
);
comment on table payments is 'One-time checkouts.';
comment on column payments.amount_received is 'Everything that came for it, also what was sent back';
comment on column payments.amount_counted is 'The part of it that counts toward the price: what a mismatch sends back does not';
comment on column payments.amount_refunding is 'What refunds in progress hold';
comment on column payments.begun is 'Whether the payer has begun to pay by any method: a collection keeps a place for it until it ends';
create index payments_newest on payments (business_id, livemode, created_at desc, id desc);
create index payments_of_customer on payments (business_id, livemode, customer_id, created_at desc, id desc)
  where customer_id is not null;
create index payments_of_collection on payments (business_id, livemode, collection_id, created_at desc, id desc)
  where collection_id is not null;

create table payment_attempts (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  payment_id object_id not null,
  status text not null check (status in ('processing', 'challenge', 'succeeded', 'failed')),
  rail text not null,
  amount bigint not null check (amount > 0),
  brand text not null,
  last4 text not null,
  failure_reason text,
  provider_reference text,
  transaction_id object_id,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  foreign key (business_id, livemode, payment_id) references payments
);
comment on table payment_attempts is 'Tries to pay by card. The card''s number, expiry and code are never stored.';
comment on column payment_attempts.id is 'Made with the form: the same form sent twice is one try';
create unique index payment_attempts_one_open on payment_attempts (business_id, livemode, payment_id)
  where status in ('processing', 'challenge');
create index payment_attempts_of_payment on payment_attempts (business_id, livemode, payment_id, created_at desc, id desc);

create table payment_crypto_quotes (
  business_id object_id not null,
  livemode boolean not null,
  payment_id object_id not null,
  currency text not null,
  network text not null,
  address text not null,
  amount bigint not null check (amount > 0),
  due bigint not null check (due > 0),
  rate text not null,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, payment_id, currency),
  foreign key (business_id, livemode, payment_id) references payments
);
comment on table payment_crypto_quotes is 'What a payment costs in a token, at a rate that holds for half an hour from created_at.';
comment on column payment_crypto_quotes.amount is 'Cents of the token';
comment on column payment_crypto_quotes.due is 'What that amount is worth in the payment''s currency';
comment on column payment_crypto_quotes.rate is 'Units of the payment''s currency for one token; a decimal';

-- Collections --------------------------------------------------------------------------------------------------------

create table collections (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  slug text not null,
  name text not null,
  description text,
  currency text not null,
  amount bigint check (amount > 0),
  min_amount bigint check (min_amount > 0),
  max_amount bigint check (max_amount > 0),
  active boolean not null,
  redirect_url text,
  max_payments bigint check (max_payments > 0),
  payments_count bigint not null default 0,
  places_held bigint not null default 0,
  amount_collected bigint not null default 0,
  canceled_at timestamptz(3),
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  constraint collections_places check (places_held >= 0),
  check (min_amount is null or max_amount is null or min_amount <= max_amount)
);
comment on table collections is 'Reusable checkout links.';
comment on column collections.places_held is 'Payments that have begun to pay and have not ended: they count against max_payments';
create index collections_newest on collections (business_id, livemode, created_at desc, id desc);

-- Refunds ------------------------------------------------------------------------------------------------------------

create table refunds (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  payment_id object_id not null,
  reference text,
  amount bigint not null check (amount > 0),
  currency text not null,
  reason text,
  method text not null,
  destination jsonb not null,
  rate text not null,
  destination_amount bigint not null check (destination_amount > 0),
  destination_currency text not null,
  automatic boolean not null,
  way text not null,
  rail text not null,
  status text not null check (status in ('initiated', 'completed', 'failed')),
  failure_reason text,
  provider_reference text,
  tx_hash text,
  transaction_id object_id not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, reference),
  foreign key (business_id, livemode, payment_id) references payments
);
comment on table refunds is 'Money on its way back to a payer.';
comment on column refunds.way is 'Whose money goes back: the card, account or address it came from, as one text';
comment on column refunds.automatic is 'Made by a payment that reverses mismatches, not asked for';
create unique index refunds_one_in_progress on refunds (business_id, livemode, payment_id)
  where status = 'initiated' and not automatic;
create index refunds_newest on refunds (business_id, livemode, created_at desc, id desc);
create index refunds_of_payment on refunds (business_id, livemode, payment_id, created_at desc, id desc);

create table sandbox_charges (
  business_id object_id not null,
  id object_id not null,
  outcome text not null,
  state text not null check (state in ('challenge', 'charged')),
  settles_at timestamptz(3) not null,
  refund_outcome text not null,
  primary key (business_id, id)
);
comment on table sandbox_charges is 'The books of the sandbox''s card scheme: what it was asked to charge.';
