-- Stablecoins on EVM networks: deposit addresses and crypto wallets, deposits as they are seen on a chain, and the books of the
-- rail that speaks to the chains. What belongs to a business starts with (business_id, livemode); a chain belongs to nobody.

-- Addresses ----------------------------------------------------------------------------------------------------------

create table crypto_keys (
  key text primary key,
  next_index bigint not null default 0 check (next_index between 0 and 2147483648)
);
comment on table crypto_keys is 'The next unused index of each key that deposit addresses are derived from. The row is locked until the address that takes an index is committed: no gaps, no reuse.';

create table crypto_addresses (
  address text primary key,
  business_id object_id not null references businesses,
  livemode boolean not null,
  kind text not null check (kind in ('wallet', 'payment')),
  subject object_id not null,
  key text not null,
  index bigint not null,
  created_at timestamptz(3) not null,
  unique (key, index)
);
comment on table crypto_addresses is 'Whose a deposit address is: the one place where a transfer on a chain finds a business.';
comment on column crypto_addresses.subject is 'The crypto wallet or the payment';
create index crypto_addresses_on_chains on crypto_addresses (livemode) where key <> 'sandbox';
create unique index crypto_addresses_of_subject on crypto_addresses (business_id, livemode, subject);

create table crypto_wallets (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  reference text,
  customer_id object_id,
  address text not null,
  label text,
  rail text not null,
  status text not null check (status in ('active', 'closed')),
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, reference)
);
comment on table crypto_wallets is 'Addresses that stablecoins are sent to, such as one of each customer.';
create index crypto_wallets_newest on crypto_wallets (business_id, livemode, created_at desc, id desc);
create index crypto_wallets_of_customer on crypto_wallets (business_id, livemode, customer_id, created_at desc, id desc)
  where customer_id is not null;

-- Deposits -----------------------------------------------------------------------------------------------------------

create table chain_deposits (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  kind text not null check (kind in ('wallet', 'payment')),
  subject object_id not null,
  network text not null,
  currency text not null,
  contract_address text not null,
  from_address text not null,
  to_address text not null,
  units numeric(78, 0) not null check (units > 0),
  amount bigint not null check (amount >= 0),
  dust bigint not null check (dust >= 0),
  worth bigint not null check (worth >= 0),
  tx_hash text not null,
  position integer not null,
  block_number bigint not null,
  block_hash text not null,
  status text not null check (status in ('pending', 'credited', 'dropped')),
  transaction_id object_id not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  unique (business_id, livemode, network, tx_hash, contract_address, to_address, position)
);
comment on table chain_deposits is 'Transfers to our addresses, from the moment they are seen on a chain.';
comment on column chain_deposits.units is 'In the token''s own units: amount cents and dust together';
comment on column chain_deposits.dust is 'What of it is less than a cent, in the token''s own units';
comment on column chain_deposits.worth is 'Minor units of the wallet or payment that is credited, by the rate at first sight';
comment on column chain_deposits.position is 'The how many-th transfer of its transaction to this address: the same when it is mined again in another block';
comment on column chain_deposits.status is 'dropped: its block is gone from the chain; it becomes pending again when it is mined again';
create index chain_deposits_pending on chain_deposits (network, block_number) where status = 'pending';
create index chain_deposits_by_block on chain_deposits (network, block_number);
create index chain_deposits_of_subject on chain_deposits (business_id, livemode, subject, created_at desc, id desc);

alter table payments add column amount_confirming bigint not null default 0 check (amount_confirming >= 0);
comment on column payments.amount_confirming is 'What was seen on a chain for it and is not deep enough yet';

-- The rail's own books -----------------------------------------------------------------------------------------------

create table evm_networks (
  network text primary key,
  block_number bigint,
  block_hash text,
  tip bigint not null default 0,
  tip_at timestamptz(3) not null,
  halted text,
  halted_for text check (halted_for in ('mismatch', 'reorganisation')),
  trouble text,
  leased_by text,
  leased_until timestamptz(3),
  updated_at timestamptz(3) not null,
  check (block_hash is null or block_number is not null),
  check ((halted is null) = (halted_for is null))
);
comment on table evm_networks is 'How far each network has been read. A watcher moves on only from where it looked: of two, one wins.';
comment on column evm_networks.block_number is 'The last block that was read; null before the first look';
comment on column evm_networks.block_hash is 'Null: where to read on from was set by hand, and is looked up on the chain';
comment on column evm_networks.tip_at is 'When the newest block was first seen to be the newest';
comment on column evm_networks.halted is 'Why the watcher has stopped for good: a person has to look';
comment on column evm_networks.halted_for is 'mismatch: the endpoint is not this chain, which each start of a watcher checks again';
comment on column evm_networks.trouble is 'What kept the last look from succeeding; null when it did';
comment on column evm_networks.leased_by is 'The watcher whose turn it is; spares the others the RPC calls';

create table evm_blocks (
  network text not null,
  number bigint not null,
  hash text not null,
  primary key (network, number)
);
comment on table evm_blocks is 'The last blocks that were read, to find where a chain has reorganised.';

create table evm_senders (
  network text not null,
  address text not null,
  kind text not null check (kind in ('treasury', 'deposit')),
  next_nonce bigint not null default 0 check (next_nonce >= 0),
  native_balance numeric(78, 0),
  token_balances jsonb not null default '{}',
  transfer_cost numeric(78, 0),
  trouble text,
  updated_at timestamptz(3) not null,
  primary key (network, address)
);
comment on table evm_senders is 'Accounts that we send from, and their next nonce. The row is locked while a signed transaction takes a nonce.';
comment on column evm_senders.native_balance is 'Of a treasury, as last read, in wei';
comment on column evm_senders.token_balances is 'Of a treasury, as last read: currency to the token''s own units, as text';
comment on column evm_senders.transfer_cost is 'Most that the gas of one transfer costs by the last fees, in wei';
comment on column evm_senders.trouble is 'What keeps something from being sent or mined, for people; null when nothing does';

create table evm_obstacles (
  network text primary key,
  reason text not null,
  at timestamptz(3) not null
);
comment on table evm_obstacles is 'Why payouts of a network were last left pending, and when: for the operator.';

create table evm_transactions (
  network text not null,
  id object_id not null,
  kind text not null check (kind in ('payout', 'gas', 'sweep')),
  sender text,
  key_index bigint,
  recipient text not null,
  contract_address text,
  units numeric(78, 0) not null check (units > 0),
  nonce bigint,
  gas bigint,
  status text not null check (status in ('queued', 'sent', 'completed', 'failed')),
  failure text,
  hash text,
  block_number bigint,
  passed_at bigint,
  gas_id object_id,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (network, id),
  unique (network, sender, nonce),
  check (status in ('queued', 'failed') or (sender is not null and nonce is not null and gas is not null and hash is not null)),
  check (kind <> 'sweep' or (sender is not null and key_index is not null))
);
comment on table evm_transactions is 'What we mean to send, once each: a payout or refund by its own id, gas for a sweep, a sweep.';
comment on column evm_transactions.sender is 'Null until it is signed, but for a sweep: it is paid from the treasury whose key is there by then';
comment on column evm_transactions.key_index is 'Of the deposit address that a sweep empties';
comment on column evm_transactions.contract_address is 'The token; null for the network''s own coin';
comment on column evm_transactions.hash is 'Of the latest signed version, and of the mined one once it is';
comment on column evm_transactions.block_number is 'Where it was last seen mined; null again when a reorganisation drops it';
comment on column evm_transactions.passed_at is 'The newest block when its nonce was first seen used, and by none of its hashes';
comment on column evm_transactions.gas_id is 'The last gas that was ordered for a sweep; the next is ordered only by who has seen this one end';
create index evm_transactions_open on evm_transactions (network, created_at, id) where status in ('queued', 'sent');
create unique index evm_transactions_one_sweep on evm_transactions (network, sender)
  where kind = 'sweep' and status in ('queued', 'sent');

create table evm_broadcasts (
  network text not null,
  hash text not null,
  id object_id not null,
  raw text not null,
  max_fee numeric(78, 0) not null,
  priority_fee numeric(78, 0) not null,
  block_number bigint not null,
  signed_at timestamptz(3) not null,
  primary key (network, hash),
  foreign key (network, id) references evm_transactions
);
comment on table evm_broadcasts is 'Signed transactions, stored before they are sent. All of one id have one nonce: at most one is ever mined.';
comment on column evm_broadcasts.block_number is 'The newest block when it was signed: what no block could have taken is not stuck';
create index evm_broadcasts_of on evm_broadcasts (network, id, max_fee);

-- What new businesses get, for those that are here.
insert into ledger_accounts (business_id, livemode, purpose, currency, subject, overdraft, created_at)
select b.id, m.livemode, 'rail_clearing', c.currency, r.rail, true, b.created_at
  from businesses b
 cross join (values (false), (true)) as m (livemode)
 cross join (values ('ngn'), ('usd'), ('eur'), ('usdc'), ('usdt')) as c (currency)
 cross join (values ('evm')) as r (rail)
on conflict do nothing;

comment on column ledger_accounts.purpose is 'wallet_available, wallet_pending, fees, share, dust, rail_clearing, exchange';
comment on column ledger_accounts.currency is 'A currency; for what is less than a cent of a token, its smallest units: usdc/6 has six decimals';
