-- Lists are searched by what is in them: amounts, email addresses, and the beginnings of references. Each index has the newest first for one
-- value, so that a search reads a bounded number of rows. No trigram index: names have their words (customer_words).

-- In the order of bytes an index finds beginnings too, whatever the locale of the database; its unique index is made anew.
alter table payouts alter column reference type text collate "C";
alter table payments alter column reference type text collate "C";
alter table refunds alter column reference type text collate "C";
alter table customers alter column reference type text collate "C";

-- Each change of a payout's status makes a new entry in each of its indexes, so it has none for searches: its key, read newest first, holds
-- what the newest are looked through for. `npm run bench:indexes` says what that costs, and what indexes would.
alter table payouts add column account_key bigint
  generated always as (hashtextextended(lower(coalesce(destination->>'account_number', destination->>'address')), 0)) stored;
comment on column payouts.account_key is 'A hash of the account number or the address: two of different ones are not met';
alter table payouts drop constraint payouts_pkey,
  add constraint payouts_pkey primary key (business_id, livemode, id) include (amount, account_key);

create index payments_by_amount on payments (business_id, livemode, amount, created_at desc, id desc);
create index payments_by_email on payments (business_id, livemode, lower(email), created_at desc, id desc)
  where email is not null;

-- Who is paid back, as the payment has it, so that refunds are found without a look at their payments.
alter table refunds add column customer_id object_id;
alter table refunds add column email text;
comment on column refunds.customer_id is 'Of the payment, when the refund was made';
comment on column refunds.email is 'Of the payment, when the refund was made';
update refunds r set customer_id = p.customer_id, email = p.email from payments p
 where p.business_id = r.business_id and p.livemode = r.livemode and p.id = r.payment_id;
create index refunds_by_amount on refunds (business_id, livemode, amount, created_at desc, id desc);
create index refunds_by_email on refunds (business_id, livemode, lower(email), created_at desc, id desc)
  where email is not null;
create index refunds_of_customer on refunds (business_id, livemode, customer_id, created_at desc, id desc)
  where customer_id is not null;

create index invoices_by_total on invoices (business_id, livemode, total, created_at desc, id desc);

-- Of deleted ones too: the records of their money stay, and are looked for.
drop index customers_email;
create index customers_email on customers (business_id, livemode, lower(email), created_at desc, id desc);
create index customers_phone on customers (business_id, livemode, phone, created_at desc, id desc)
  where deleted_at is null and phone is not null;
