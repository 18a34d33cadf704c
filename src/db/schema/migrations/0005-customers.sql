-- Customers, their identity documents, their keys, and what they may send.

create table customers (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, reference text collate "C", name text not null,
  first_name text, last_name text, email text not null, phone text, type text not null check (type in ('individual', 'business')),
  kyc_status text not null default 'none' check (kyc_status in ('none', 'verified', 'rejected')), address jsonb, metadata jsonb not null default '{}',
  created_at timestamptz(3) not null, updated_at timestamptz(3) not null, deleted_at timestamptz(3), erased_at timestamptz(3), primary key (business_id, livemode, id));
comment on table customers is 'Who pays. A deleted customer reads as not found; the records of its money stay.';
comment on column customers.erased_at is 'When what is personal was emptied, here and wherever it was copied; the row stays, for the records of its money';
create unique index customers_reference on customers (business_id, livemode, reference) where deleted_at is null;
create index customers_newest on customers (business_id, livemode, created_at desc, id desc) where deleted_at is null;
-- With deleted customers: the records of their money stay, and are searched.
create index customers_email on customers (business_id, livemode, lower(email), created_at desc, id desc);
create index customers_phone on customers (business_id, livemode, phone, created_at desc, id desc) where deleted_at is null and phone is not null;
create index customers_erased on customers (business_id, livemode, id) where erased_at is not null;
-- Retention finds personal data by age.
create index customers_deleted on customers (deleted_at) where deleted_at is not null and erased_at is null;
select count_list('customers', '{}', 'deleted_at is null');

create table customer_words (
  business_id object_id not null, livemode boolean not null, word text collate "C" not null, customer_id object_id not null,
  primary key (business_id, livemode, word, customer_id),
  foreign key (business_id, livemode, customer_id) references customers);
comment on table customer_words is 'The words of names and email addresses, in lower case: a search finds their beginnings by the key''s own index.';
create index customer_words_of on customer_words (business_id, livemode, customer_id);

-- Events never change, so what they say of a customer as a person is encrypted under a key of that customer. Without the key nobody can read it again.
create table customer_keys (
  business_id object_id not null references businesses, livemode boolean not null, customer_id object_id not null, key bytea, created_at timestamptz(3) not null,
  destroyed_at timestamptz(3), rewritten_at timestamptz(3), at_work xid8, payments text[] not null default '{}', primary key (business_id, livemode, customer_id),
  check ((key is null) = (destroyed_at is not null)));
comment on table customer_keys is 'A key for each customer, under which copies of its personal data are sealed in rows that never change. It outlasts the customer: destroyed, it says that nothing may be sealed any more.';
comment on column customer_keys.key is 'Sealed with SECRETS_KEY, bound to the customer; null: destroyed';
comment on column customer_keys.rewritten_at is 'When events in plain text were last searched for its data, after it was destroyed';
comment on column customer_keys.at_work is 'The transaction that rewrites events: what is append-only looks for it';
comment on column customer_keys.payments is 'Payments of nobody whose payer gave an e-mail address of the customer: events about them are rewritten too';
create index customer_keys_destroyed on customer_keys (destroyed_at) where destroyed_at is not null;
create index customer_keys_at_work on customer_keys (at_work) where at_work is not null;

create table customer_documents (
  business_id object_id not null, livemode boolean not null, customer_id object_id not null, id_type text not null, id_number bytea not null, masked text not null,
  status text not null check (status in ('pending', 'verified', 'failed')), failure_reason text, verified_at timestamptz(3), created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null, rail text, bank_account bytea, sent_at timestamptz(3), accepted_at timestamptz(3), review_id object_id, review_reason text,
  review_since timestamptz(3), reviewed_at timestamptz(3), reviewed_by text, review_note text, primary key (business_id, livemode, customer_id, id_type),
  foreign key (business_id, livemode, customer_id) references customers, constraint customer_documents_account check (bank_account is null or status = 'pending'),
  constraint customer_documents_pending check (status <> 'pending' or rail is not null or review_id is not null),
  constraint customer_documents_review check (
    (review_id is null) = (review_since is null) and (review_id is null) = (review_reason is null) and (review_id is null or rail is null)),
  constraint customer_documents_reviewed check (
    (reviewed_at is null) = (reviewed_by is null) and (review_note is null or reviewed_at is not null)
    and (review_id is null or (status = 'pending') = (reviewed_at is null))));
comment on table customer_documents is 'Identity documents: one of each type a customer.';
comment on column customer_documents.id_number is 'Sealed with SECRETS_KEY, bound to the customer and the type';
comment on column customer_documents.masked is 'The number with all but its last four characters hidden';
comment on column customer_documents.rail is 'Who verifies it; null: the sandbox did, at once, or a person does';
comment on column customer_documents.bank_account is 'Sealed as the number is: the account that a rail holds the number against. Null once it is answered';
comment on column customer_documents.sent_at is 'When it was last sent to its rail, in the time of the rail; null: it is still to be sent';
comment on column customer_documents.accepted_at is 'When the rail said that it looks into it';
comment on column customer_documents.review_id is 'Under which a person reviews it, another each time that it is given; null: nobody has to';
comment on column customer_documents.review_reason is 'Why a person does';
comment on column customer_documents.review_since is 'Since when it waits for one';
comment on column customer_documents.reviewed_by is 'Who decided: the id of a person, how to recognise a key of the operator, or the name that a command was given';
comment on column customer_documents.review_note is 'What that person wrote, for those who look after the installation alone';
create index customer_documents_pending on customer_documents (business_id, livemode, customer_id) where status = 'pending';
create unique index customer_documents_reviews on customer_documents (review_id) where review_id is not null;
create index customer_documents_waiting on customer_documents (review_id) where status = 'pending' and review_id is not null;

create table tier_limits (
  tier integer not null check (tier between 0 and 2), currency text not null, max_deposit bigint check (max_deposit >= 0), max_daily bigint check (max_daily >= 0),
  max_daily_count bigint check (max_daily_count >= 0), primary key (tier, currency));
comment on table tier_limits is 'Of the whole installation: deposits of a customer that go above wait for a person of the operator''s. Null: there is none';
comment on column tier_limits.tier is '0: nothing is verified; 1: an identity number is; 2: a paper is too';

create table customer_days (
  business_id object_id not null references businesses, livemode boolean not null, customer_id object_id not null, currency text not null, day date not null,
  amount bigint not null, count bigint not null, primary key (business_id, livemode, customer_id, currency, day));
comment on table customer_days is 'What a customer has sent in a day of UTC, counted where it is limited. Old rows are deleted.';
create index customer_days_old on customer_days (day);
