-- Wallets, the transactions that merchants see, and exchange between currencies.

-- Wallets and transactions -------------------------------------------------------------------------------------------
create table wallets (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, currency text not null, available_account bigint not null,
  pending_account bigint not null, created_at timestamptz(3) not null, primary key (business_id, livemode, id),
  unique (business_id, livemode, currency), foreign key (business_id, livemode, available_account) references ledger_accounts,
  foreign key (business_id, livemode, pending_account) references ledger_accounts, constraint wallets_of_merchants check (business_id <> '000000000000000000000001'));
comment on table wallets is 'What a business holds in one currency. The amounts are the balances of its two ledger accounts.';

create table transactions (
  business_id object_id not null, livemode boolean not null, id object_id not null, type text not null, method text not null,
  direction text not null check (direction in ('credit', 'debit')), status text not null check (status in ('pending', 'completed', 'failed', 'reversed')),
  currency text not null, amount bigint not null check (amount > 0), fee bigint not null check (fee >= 0 and fee <= amount), balance_after bigint not null,
  reference text, customer_id object_id, source jsonb, related jsonb not null default '{}', metadata jsonb not null default '{}', created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null, late boolean not null default false, review jsonb, primary key (business_id, livemode, id),
  constraint transactions_review check (review is null or status = 'pending'));
comment on table transactions is 'What a merchant sees of money in and out of a wallet.';
comment on column transactions.balance_after is 'What the wallet had available right after this transaction''s own movement';
comment on column transactions.updated_at is 'When it was changed last; of one that is completed: when it was completed, as statements count it';
comment on column transactions.late is 'The money came after its account was closed or its payment had ended';
comment on column transactions.review is 'Why screening holds it, and since when; null: it does not, or not any more';
create index transactions_newest on transactions (business_id, livemode, created_at desc, id desc);
create index transactions_of_customer on transactions (business_id, livemode, customer_id, created_at desc, id desc) where customer_id is not null;
create index transactions_of_payment on transactions (business_id, livemode, (related->>'payment')) where type = 'payment';
-- The newest rows of each combination of filters: a list of rare rows is merged from these. Long texts would double the entries, so the values are one hash.
create index transactions_newest_alike on transactions (business_id, livemode,
  hashtext(currency || '/' || direction || '/' || method || '/' || status || '/' || type), created_at desc, id desc);
create index transactions_of_account on transactions (business_id, livemode, (coalesce(related->>'virtual_account', related->>'crypto_wallet')), id) where type = 'deposit';
-- Retention finds the payers of payments without a customer by age.
create index transactions_with_payer on transactions (created_at) where type = 'payment' and customer_id is null and source is not null and status <> 'pending';
-- `bursar ledger verify` reads the rows that changed since the ledger was closed. Rows change for the last time nearly in the order of their times, so that a summary
-- of each range of pages is enough.
create index transactions_by_change on transactions using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
-- By the time of completion, which is the last change of a transaction.
create index transactions_completed on transactions (business_id, livemode, updated_at desc, id desc) where status = 'completed';
-- Statements leave out what screening holds.
create index transactions_in_review on transactions (business_id, livemode, currency) where review is not null;
select count_list('transactions', '{currency,direction,method,status,type}');

-- A day begins by the time zone of the business. Every zone is off UTC by whole quarters of an hour, so the sums are kept by quarter.
create table transaction_sums (
  business_id object_id not null, livemode boolean not null, quarter timestamptz(0) not null, currency text not null, direction text not null, amount bigint not null,
  primary key (business_id, livemode, quarter, currency, direction));
comment on table transaction_sums is 'What completed transactions brought to wallets and took from them, as far as list_changes was folded into it.';
comment on column transaction_sums.quarter is 'The quarter of an hour in which the transactions were created';
comment on column transaction_sums.amount is 'What came after its fee, or what went with its fee; minor units';

-- As count_list makes it, with amounts.
create or replace function count_transactions() returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (business_id, livemode, list, day, quarter, facets, change, amount)
    select business_id, livemode, 'transactions', day_of(created_at), quarter_of(created_at),
           jsonb_build_object('currency', currency, 'direction', direction, 'method', method, 'status', status, 'type', type),
           count(*), sum(case direction when 'credit' then amount - fee else amount end)
      from added
     group by business_id, livemode, day_of(created_at), quarter_of(created_at), currency, direction, method, status, type;
  elsif tg_op = 'DELETE' then
    insert into list_changes (business_id, livemode, list, day, quarter, facets, change, amount)
    select business_id, livemode, 'transactions', day_of(created_at), quarter_of(created_at),
           jsonb_build_object('currency', currency, 'direction', direction, 'method', method, 'status', status, 'type', type),
           -count(*), -sum(case direction when 'credit' then amount - fee else amount end)
      from removed
     group by business_id, livemode, day_of(created_at), quarter_of(created_at), currency, direction, method, status, type;
  else
    insert into list_changes (business_id, livemode, list, day, quarter, facets, change, amount)
    select business_id, livemode, 'transactions', day_of(created_at), quarter_of(created_at),
           jsonb_build_object('currency', currency, 'direction', direction, 'method', method, 'status', status, 'type', type),
           sum(change), sum(change * (case direction when 'credit' then amount - fee else amount end))
      from (select *, 1 as change from added union all select *, -1 from removed) changed
     group by business_id, livemode, day_of(created_at), quarter_of(created_at), currency, direction, method, status, type
    having sum(change) <> 0 or sum(change * (case direction when 'credit' then amount - fee else amount end)) <> 0;
  end if;
  return null;
end $body$;

-- Exchange -----------------------------------------------------------------------------------------------------------
-- Fetched for the pairs that the table of the operator marks as official.
create table exchange_rates (
  id object_id primary key, pair text not null check (pair in ('usd_ngn')), rate text not null check (rate ~ '^[0-9]{1,9}(\.[0-9]{1,12})?$'),
  published_on date not null, first_fetched_at timestamptz(3) not null, fetched_at timestamptz(3) not null,
  status text not null check (status in ('good', 'suspect', 'refused')), decided_by text,
  unique (pair, published_on, rate), check (status <> 'refused' or decided_by is not null));
comment on table exchange_rates is 'Official rates as they were fetched: each once, with when it was fetched last.';
comment on column exchange_rates.rate is 'What one unit of the first currency is in the second, as its source wrote it';
comment on column exchange_rates.published_on is 'The day that its source says it is of';
comment on column exchange_rates.status is 'suspect: it has moved further than a rate may without a person; it is used once a person accepts it';
comment on column exchange_rates.decided_by is 'Who has accepted or refused it';

create table exchange_limits (
  livemode boolean not null, currency text not null check (currency in ('ngn', 'usd', 'usdc', 'usdt')), max_short bigint not null check (max_short >= 0),
  updated_at timestamptz(3) not null, primary key (livemode, currency));
comment on table exchange_limits is 'How much of a currency exchanges may leave the installation short of, in all. Locked by each conversion and each payout into it; none: as much as is asked for.';
comment on column exchange_limits.max_short is 'Minor units';

create table conversion_quotes (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, amount bigint not null check (amount > 0),
  currency text not null check (currency in ('ngn', 'usd')), fee bigint not null check (fee >= 0 and fee < amount), fee_breakdown jsonb not null, rate text not null,
  rate_source text not null, destination_amount bigint not null check (destination_amount > 0),
  destination_currency text not null check (destination_currency in ('ngn', 'usd') and destination_currency <> currency), created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null, rate_fetched_at timestamptz(3), rate_valid_until timestamptz(3), primary key (business_id, livemode, id));
comment on table conversion_quotes is 'What conversions would cost and give, and until when.';
comment on column conversion_quotes.amount is 'Minor units: what leaves the wallet, fee included';
comment on column conversion_quotes.rate is 'Units of the destination currency for one unit of currency; a decimal';
comment on column conversion_quotes.rate_source is 'Where the rate comes from; table: the operator''s; official: a central bank''s';
comment on column conversion_quotes.rate_fetched_at is 'When an official rate was fetched';
comment on column conversion_quotes.rate_valid_until is 'Until when an official rate was to be used';

create table conversions (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, quote_id object_id not null, reference text,
  amount bigint not null check (amount > 0), currency text not null check (currency in ('ngn', 'usd')), fee bigint not null check (fee >= 0 and fee < amount),
  fee_breakdown jsonb not null, rate text not null, rate_source text not null, destination_amount bigint not null check (destination_amount > 0),
  destination_currency text not null check (destination_currency in ('ngn', 'usd') and destination_currency <> currency), transaction_id object_id not null,
  destination_transaction_id object_id not null, metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  rate_fetched_at timestamptz(3), rate_valid_until timestamptz(3), primary key (business_id, livemode, id),
  unique (business_id, livemode, quote_id), unique (business_id, livemode, reference));
comment on table conversions is 'Money that went from one wallet of a business into the other: a quote makes one at most.';
comment on column conversions.transaction_id is 'The debit of the one wallet';
comment on column conversions.destination_transaction_id is 'The credit of the other';
create index conversions_newest on conversions (business_id, livemode, created_at desc, id desc);
