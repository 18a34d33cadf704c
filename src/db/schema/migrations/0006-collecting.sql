-- Collecting money: virtual accounts, payments and their attempts, collections, refunds, disputes, and stablecoin addresses with the deposits on chains.

-- Virtual accounts and deposits --------------------------------------------------------------------------------------
create table virtual_accounts (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, reference text, customer_id object_id, payment_id object_id,
  currency text not null, kind text not null check (kind in ('static', 'dynamic')), amount bigint check (amount > 0), account_name text not null, account_number text,
  bank_name text, bank_code text, routing_number text, status text not null check (status in ('pending', 'active', 'failed', 'closed', 'expired')),
  expires_at timestamptz(3), rail text not null, metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  provider_reference text, failure_reason text, sent_back_at timestamptz(3), opened_at timestamptz(3), primary key (business_id, livemode, id),
  unique (business_id, livemode, reference), check (kind = 'dynamic' or (customer_id is not null and expires_at is null)),
  check (kind = 'static' or (amount is not null and expires_at is not null)),
  constraint virtual_accounts_open_check check (
    status in ('pending', 'failed', 'closed', 'expired')
    or (account_number is not null and bank_name is not null and bank_code is not null)),
  constraint virtual_accounts_failure_check check ((status = 'failed') = (failure_reason is not null)));
comment on table virtual_accounts is 'Bank accounts that money is sent to: a customer''s own, or one for a single amount.';
comment on column virtual_accounts.payment_id is 'The payment whose one-time account it is';
comment on column virtual_accounts.account_number is 'Null until its rail has opened it';
comment on column virtual_accounts.provider_reference is 'What its provider calls it';
comment on column virtual_accounts.sent_back_at is 'When its provider sent a transfer of a wrong amount back itself';
comment on column virtual_accounts.opened_at is 'When its rail opened it, where that came later than it was asked for';
create index virtual_accounts_newest on virtual_accounts (business_id, livemode, created_at desc, id desc);
create index virtual_accounts_of_customer on virtual_accounts (business_id, livemode, customer_id, created_at desc, id desc) where customer_id is not null;
create index virtual_accounts_newest_alike on virtual_accounts (business_id, livemode, hashtext(currency || '/' || status), created_at desc, id desc);
-- Providers reuse the number of a one-time account after its end.
create unique index virtual_accounts_number on virtual_accounts (business_id, livemode, bank_code, account_number) where kind = 'static' or rail = 'sandbox';
-- A deposit finds its account by this.
create unique index virtual_accounts_rail_number on virtual_accounts (livemode, rail, account_number) where kind = 'static' and rail <> 'sandbox';
-- A provider gives a customer one account.
create unique index virtual_accounts_one_pending on virtual_accounts (business_id, livemode, rail, customer_id) where kind = 'static' and status = 'pending';
-- An account that a provider opened for a payment may end before the payment does: then the payment gets another.
create unique index virtual_accounts_of_payment on virtual_accounts (business_id, livemode, payment_id) where payment_id is not null and status in ('pending', 'active');
create index virtual_accounts_of_payment_all on virtual_accounts (business_id, livemode, payment_id, created_at desc, id desc) where payment_id is not null;
create index virtual_accounts_by_number on virtual_accounts (business_id, livemode, account_number) where account_number is not null;
select count_list('virtual_accounts', '{currency,status}');

create table deposit_notices (
  business_id object_id not null, livemode boolean not null, rail text not null, notice text not null, transaction_id object_id not null,
  created_at timestamptz(3) not null, primary key (business_id, livemode, rail, notice));
comment on table deposit_notices is 'What rails have told of money that came: a notice that is told again finds its row, and moves nothing.';
comment on column deposit_notices.notice is 'The rail''s own id of the deposit';

-- Screening books these deposits to the pending balance.
create table held_deposits (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null,
  kind text not null check (kind in ('account', 'wallet', 'payment')), subject object_id not null, rail text not null, token text, currency text not null,
  amount bigint not null check (amount > 0), worth bigint not null check (worth > 0), chain_deposit object_id,
  status text not null check (status in ('held', 'released', 'refused')), created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  check (token is not null or (kind = 'account' and amount = worth and chain_deposit is null)));
comment on table held_deposits is 'Deposits that screening holds, or has held: the money is in pending until a person has released it';
comment on column held_deposits.id is 'Of its transaction';
comment on column held_deposits.kind is 'To what it came: a virtual account, a crypto wallet, or the address of a payment';
comment on column held_deposits.amount is 'Cents of the token, or minor units of the currency';
comment on column held_deposits.worth is 'Minor units of the currency, which are in pending';
comment on column held_deposits.status is 'refused: it stays in pending';
create index held_deposits_waiting on held_deposits (business_id, livemode, id) where status <> 'released';

-- Payments -----------------------------------------------------------------------------------------------------------
create table pay_links (
  slug text primary key, business_id object_id not null references businesses, livemode boolean not null, kind text not null check (kind in ('payment', 'collection')),
  subject object_id not null);
comment on table pay_links is 'Hosted pages by their unguessable slugs: the one place where a payer, who has no key, finds a business.';

create table payments (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, reference text collate "C" not null,
  amount bigint not null check (amount > 0), currency text not null, customer_id object_id, email text, description text, methods text[] not null, redirect_url text,
  cancel_url text, expires_at timestamptz(3) not null, fee_bearer text not null check (fee_bearer in ('business', 'customer')),
  on_mismatch text not null check (on_mismatch in ('accept', 'reverse')), slug text not null,
  status text not null check (status in ('pending', 'completed', 'failed', 'expired', 'canceled')), method text, amount_received bigint not null default 0,
  amount_counted bigint not null default 0, variance text check (variance in ('exact', 'underpaid', 'overpaid', 'late')), transaction_id object_id,
  fee bigint not null default 0, amount_refunded bigint not null default 0, amount_refunding bigint not null default 0, attempts integer not null default 0,
  failure_reason text, paid_at timestamptz(3), collection_id object_id, invoice_id object_id, begun boolean not null default false,
  metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  amount_confirming bigint not null default 0 check (amount_confirming >= 0), payer_email text, mismatch_by text check (mismatch_by in ('rail')),
  ended_at timestamptz(3), language text check (language ~ '^[a-z]{2,3}$'), primary key (business_id, livemode, id),
  unique (business_id, livemode, reference), check (amount_counted between 0 and amount_received),
  check (amount_refunded >= 0 and amount_refunding >= 0 and amount_refunded + amount_refunding <= amount_received));
comment on table payments is 'One-time checkouts.';
comment on column payments.amount_received is 'Everything that came for it, also what was sent back';
comment on column payments.amount_counted is 'The part of it that counts toward the price: what a mismatch sends back does not';
comment on column payments.amount_refunding is 'What refunds in progress hold';
comment on column payments.begun is 'Whether the payer has begun to pay by any method: a collection keeps a place for it until it ends';
comment on column payments.amount_confirming is 'What was seen on a chain for it and is not deep enough yet';
comment on column payments.payer_email is 'The address that the payer typed, where a rail needs one and the payment had none';
comment on column payments.mismatch_by is 'rail: the provider of its one-time account sends transfers of wrong amounts back itself, whatever on_mismatch says';
comment on column payments.ended_at is 'When it was no longer pending';
comment on column payments.language is 'In which the payer last sent a form of the hosted page; null: none was sent';
create index payments_newest on payments (business_id, livemode, created_at desc, id desc);
create index payments_of_customer on payments (business_id, livemode, customer_id, created_at desc, id desc) where customer_id is not null;
create index payments_of_collection on payments (business_id, livemode, collection_id, created_at desc, id desc) where collection_id is not null;
create index payments_newest_alike on payments (business_id, livemode, hashtext(currency || '/' || coalesce(method, '') || '/' || status), created_at desc, id desc);
create index payments_by_amount on payments (business_id, livemode, amount, created_at desc, id desc);
create index payments_by_email on payments (business_id, livemode, lower(email), created_at desc, id desc) where email is not null;
create index payments_by_payer_email on payments (business_id, livemode, lower(payer_email), created_at desc, id desc) where payer_email is not null;
-- Few payments are paid otherwise than they were due.
create index payments_varied on payments (business_id, livemode, created_at desc, id desc) where variance <> 'exact';
-- Retention finds the payers of payments without a customer by age.
create index payments_with_payer on payments (created_at) where customer_id is null and (email is not null or payer_email is not null) and status <> 'pending';
create index payments_by_change on payments using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
select count_list('payments', '{currency,method,status}');

create table payment_attempts (
  business_id object_id not null, livemode boolean not null, id object_id not null, payment_id object_id not null,
  status text not null check (status in ('processing', 'challenge', 'away', 'succeeded', 'failed')), rail text not null, amount bigint not null check (amount > 0),
  brand text, last4 text, failure_reason text, provider_reference text, transaction_id object_id, created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null, starts integer check (starts > 0), url text, ends_at timestamptz(3), channel text, confirming boolean not null default false,
  asked_at timestamptz(3), primary key (business_id, livemode, id),
  foreign key (business_id, livemode, payment_id) references payments,
  constraint payment_attempts_typed check (starts is not null or (brand is not null and last4 is not null)),
  constraint payment_attempts_page check (status <> 'away' or (url is not null and ends_at is not null)));
comment on table payment_attempts is 'Tries to pay by card. The card''s number, expiry and code are never stored.';
comment on column payment_attempts.id is 'Made with the form: the same form sent twice is one try';
comment on column payment_attempts.starts is 'How often it was begun at the provider, each time under another reference; null for a card that was typed on our page';
comment on column payment_attempts.url is 'The provider''s page';
comment on column payment_attempts.ends_at is 'Until when the payer is sent to that page; money that comes later is booked all the same';
comment on column payment_attempts.channel is 'How the payer has paid there';
comment on column payment_attempts.confirming is 'Whether the provider says that a bank is at work';
comment on column payment_attempts.asked_at is 'When the provider was asked last because its payer came back';
create index payment_attempts_of_payment on payment_attempts (business_id, livemode, payment_id, created_at desc, id desc);
create unique index payment_attempts_one_open on payment_attempts (business_id, livemode, payment_id) where status in ('processing', 'challenge', 'away');
create index payment_attempts_by_change on payment_attempts using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);

create table payment_crypto_quotes (
  business_id object_id not null, livemode boolean not null, payment_id object_id not null, currency text not null, network text not null, address text not null,
  amount bigint not null check (amount > 0), due bigint not null check (due > 0), rate text not null, created_at timestamptz(3) not null,
  primary key (business_id, livemode, payment_id, currency),
  foreign key (business_id, livemode, payment_id) references payments);
comment on table payment_crypto_quotes is 'What a payment costs in a token, at a rate that holds for half an hour from created_at.';
comment on column payment_crypto_quotes.amount is 'Cents of the token';
comment on column payment_crypto_quotes.due is 'What that amount is worth in the payment''s currency';
comment on column payment_crypto_quotes.rate is 'Units of the payment''s currency for one token; a decimal';

create table collections (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, slug text not null, name text not null, description text,
  currency text not null, amount bigint check (amount > 0), min_amount bigint check (min_amount > 0), max_amount bigint check (max_amount > 0),
  active boolean not null, redirect_url text, max_payments bigint check (max_payments > 0), payments_count bigint not null default 0,
  places_held bigint not null default 0, amount_collected bigint not null default 0, canceled_at timestamptz(3), metadata jsonb not null default '{}',
  created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (business_id, livemode, id),
  constraint collections_places check (places_held >= 0), check (min_amount is null or max_amount is null or min_amount <= max_amount));
comment on table collections is 'Reusable checkout links.';
comment on column collections.places_held is 'Payments that have begun to pay and have not ended: they count against max_payments';
create index collections_newest on collections (business_id, livemode, created_at desc, id desc);

-- Refunds and disputes -----------------------------------------------------------------------------------------------
-- A refund keeps the customer and the e-mail address of its payment, so that it is found without a look at payments.
create table refunds (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, payment_id object_id not null, reference text collate "C",
  amount bigint not null check (amount > 0), currency text not null, reason text, method text not null, destination jsonb not null, rate text not null,
  destination_amount bigint not null check (destination_amount > 0), destination_currency text not null, automatic boolean not null, way text not null,
  rail text not null, status text not null check (status in ('initiated', 'completed', 'failed')), failure_reason text, provider_reference text, tx_hash text,
  transaction_id object_id not null, metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  customer_id object_id, email text, sent_at timestamptz(3), return_transaction_id object_id, submissions integer not null default 1, waits jsonb, payout_id object_id,
  review jsonb, primary key (business_id, livemode, id),
  unique (business_id, livemode, reference), foreign key (business_id, livemode, payment_id) references payments,
  constraint refunds_returned check (return_transaction_id is null or status = 'failed'), constraint refunds_review check (review is null or status = 'initiated'));
comment on table refunds is 'Money on its way back to a payer.';
comment on column refunds.automatic is 'Made by a payment that reverses mismatches, not asked for';
comment on column refunds.way is 'Whose money goes back: the card, account or address it came from, as one text';
comment on column refunds.customer_id is 'Of the payment, when the refund was made';
comment on column refunds.email is 'Of the payment, when the refund was made';
comment on column refunds.sent_at is 'When it was last sent to its rail, in the time of the rail; null after the rail refused it for now';
comment on column refunds.return_transaction_id is 'Of one that failed after it had completed: the transaction by which the money came back';
comment on column refunds.submissions is 'Under which number it is sent: one more after each time that its rail has certainly refused it for now';
comment on column refunds.payout_id is 'The payout that it goes by, where it goes to where the money did not come from';
comment on column refunds.review is 'Why screening holds it, and since when; null: it does not';
create unique index refunds_one_in_progress on refunds (business_id, livemode, payment_id) where status = 'initiated' and not automatic;
create index refunds_newest on refunds (business_id, livemode, created_at desc, id desc);
create index refunds_of_payment on refunds (business_id, livemode, payment_id, created_at desc, id desc);
create index refunds_newest_alike on refunds (business_id, livemode, status, created_at desc, id desc);
create index refunds_by_amount on refunds (business_id, livemode, amount, created_at desc, id desc);
create index refunds_by_email on refunds (business_id, livemode, lower(email), created_at desc, id desc) where email is not null;
create index refunds_of_customer on refunds (business_id, livemode, customer_id, created_at desc, id desc) where customer_id is not null;
create index refunds_by_change on refunds using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
select count_list('refunds', '{status}');

create table disputes (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, rail text not null, provider_reference text not null,
  payment_id object_id, transaction_id object_id not null, customer_id object_id, amount bigint not null check (amount > 0),
  currency text not null check (currency in ('ngn', 'usd')), reason text, evidence_due_at timestamptz(3),
  status text not null check (status in ('open', 'won', 'lost')), held bigint not null default 0 check (held >= 0), taken bigint not null default 0 check (taken >= 0),
  hold_transaction_id object_id, closed_at timestamptz(3), metadata jsonb not null default '{}', created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null, primary key (business_id, livemode, id),
  unique (livemode, rail, provider_reference), check (held + taken <= amount), check ((held > 0) = (hold_transaction_id is not null)),
  check ((status = 'open') = (closed_at is null)), check (status = 'lost' or taken = 0), check (status <> 'won' or held = 0));
comment on table disputes is 'What a payer''s bank takes back of a payment until it is decided, one row each.';
comment on column disputes.rail is 'The name of the account at the provider; sandbox: it was simulated';
comment on column disputes.provider_reference is 'The provider''s own id of the dispute';
comment on column disputes.payment_id is 'Null where the money came to a virtual account and is no payment';
comment on column disputes.transaction_id is 'The transaction that booked the money';
comment on column disputes.amount is 'Minor units: what is taken back, which may be less than was paid';
comment on column disputes.reason is 'In the provider''s words';
comment on column disputes.evidence_due_at is 'Until when the provider takes evidence';
comment on column disputes.held is 'Minor units of the wallet that a person holds for it';
comment on column disputes.taken is 'Minor units of the wallet that a person has taken for it';
comment on column disputes.hold_transaction_id is 'The pending transaction of what is held';
create index disputes_newest on disputes (business_id, livemode, created_at desc, id desc);
create index disputes_of_payment on disputes (business_id, livemode, payment_id) where payment_id is not null;
create index disputes_by_time on disputes (id desc);
create index disputes_open on disputes (id desc) where status = 'open';

create table dispute_movements (
  livemode boolean not null, rail text not null, provider_id text not null, business_id object_id not null, dispute_id object_id not null, currency text not null,
  amount bigint not null check (amount <> 0), moved_at timestamptz(3) not null, created_at timestamptz(3) not null, primary key (livemode, rail, provider_id),
  foreign key (business_id, livemode, dispute_id) references disputes);
comment on table dispute_movements is 'What a provider took for a dispute out of what it owes, or gave back, each booked once.';
comment on column dispute_movements.provider_id is 'The provider''s own id of the change of its balance';
comment on column dispute_movements.amount is 'Minor units: below zero, what it took';
create index dispute_movements_of_dispute on dispute_movements (business_id, livemode, dispute_id);

-- Stablecoin addresses -----------------------------------------------------------------------------------------------
create table crypto_keys (
  key text primary key, next_index bigint not null default 0 check (next_index between 0 and 2147483648));
comment on table crypto_keys is 'The next unused index of each key that deposit addresses are derived from. The row is locked until the address that takes an index is committed: no gaps, no reuse.';

create table crypto_addresses (
  address text primary key, business_id object_id not null references businesses, livemode boolean not null, kind text not null check (kind in ('wallet', 'payment')),
  subject object_id not null, key text not null, index bigint not null, created_at timestamptz(3) not null,
  unique (key, index));
comment on table crypto_addresses is 'Whose a deposit address is: the one place where a transfer on a chain finds a business.';
comment on column crypto_addresses.subject is 'The crypto wallet or the payment';
create index crypto_addresses_on_chains on crypto_addresses (livemode) where key <> 'sandbox';
create unique index crypto_addresses_of_subject on crypto_addresses (business_id, livemode, subject);

create table crypto_wallets (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, reference text, customer_id object_id, address text not null,
  label text, rail text not null, status text not null check (status in ('active', 'closed')), metadata jsonb not null default '{}',
  created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (business_id, livemode, id),
  unique (business_id, livemode, reference));
comment on table crypto_wallets is 'Addresses that stablecoins are sent to, such as one of each customer.';
create index crypto_wallets_newest on crypto_wallets (business_id, livemode, created_at desc, id desc);
create index crypto_wallets_of_customer on crypto_wallets (business_id, livemode, customer_id, created_at desc, id desc) where customer_id is not null;

create table chain_deposits (
  business_id object_id not null, livemode boolean not null, id object_id not null, kind text not null check (kind in ('wallet', 'payment')),
  subject object_id not null, network text not null, currency text not null, contract_address text not null, from_address text not null, to_address text not null,
  units numeric(78, 0) not null check (units > 0), amount bigint not null check (amount >= 0), dust bigint not null check (dust >= 0),
  worth bigint not null check (worth >= 0), tx_hash text not null, position integer not null, block_number bigint not null, block_hash text not null,
  status text not null check (status in ('pending', 'held', 'credited', 'dropped')), transaction_id object_id not null, created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null, primary key (business_id, livemode, id),
  unique (business_id, livemode, network, tx_hash, contract_address, to_address, position));
comment on table chain_deposits is 'Transfers to our addresses, from the moment they are seen on a chain.';
comment on column chain_deposits.units is 'In the token''s own units: amount cents and dust together';
comment on column chain_deposits.dust is 'What of it is less than a cent, in the token''s own units';
comment on column chain_deposits.worth is 'Minor units of the wallet or payment that is credited, by the rate at first sight';
comment on column chain_deposits.position is 'The how many-th transfer of its transaction to this address: the same when it is mined again in another block';
comment on column chain_deposits.status is 'dropped: its block is gone from the chain; it becomes pending again when it is mined again';
create index chain_deposits_pending on chain_deposits (network, block_number) where status = 'pending';
create index chain_deposits_by_block on chain_deposits (network, block_number);
create index chain_deposits_of_subject on chain_deposits (business_id, livemode, subject, created_at desc, id desc);
create index chain_deposits_by_change on chain_deposits using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
