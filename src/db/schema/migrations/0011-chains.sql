-- The books of the rail for EVM networks: how far each chain was read, and what was sent. A chain belongs to no business.

create table evm_networks (
  network text primary key, block_number bigint, block_hash text, tip bigint not null default 0, tip_at timestamptz(3) not null, halted text,
  halted_for text check (halted_for in ('mismatch', 'reorganisation')), trouble text, leased_by text, leased_until timestamptz(3), updated_at timestamptz(3) not null,
  audited bigint, sweep_trouble text, sweep_trouble_at timestamptz(3),
  check (block_hash is null or block_number is not null), check ((halted is null) = (halted_for is null)));
comment on table evm_networks is 'How far each network has been read. A watcher moves on only from where it looked: of two, one wins.';
comment on column evm_networks.block_number is 'The last block that was read; null before the first look';
comment on column evm_networks.block_hash is 'Null: where to read on from was set by hand, and is looked up on the chain';
comment on column evm_networks.tip_at is 'When the newest block was first seen to be the newest';
comment on column evm_networks.halted is 'Why the watcher has stopped for good: a person has to look';
comment on column evm_networks.halted_for is 'mismatch: the endpoint is not this chain, which each start of a watcher checks again';
comment on column evm_networks.trouble is 'What kept the last look from succeeding; null when it did';
comment on column evm_networks.leased_by is 'The watcher whose turn it is; spares the others the RPC calls';
comment on column evm_networks.audited is 'The last block that was read a second time; null: begins where reading stands';
comment on column evm_networks.sweep_trouble is 'What kept sweeps from going on at sweep_trouble_at; while it lasts, that is moved on';

create table evm_blocks (
  network text not null, number bigint not null, hash text not null, primary key (network, number));
comment on table evm_blocks is 'The last blocks that were read, to find where a chain has reorganised.';

create table evm_senders (
  network text not null, address text not null, kind text not null check (kind in ('treasury', 'deposit')),
  next_nonce bigint not null default 0 check (next_nonce >= 0), native_balance numeric(78, 0), token_balances jsonb not null default '{}',
  transfer_cost numeric(78, 0), trouble text, updated_at timestamptz(3) not null, least_fee numeric(78, 0), primary key (network, address));
comment on table evm_senders is 'Accounts that we send from, and their next nonce. The row is locked while a signed transaction takes a nonce.';
comment on column evm_senders.native_balance is 'Of a treasury, as last read, in wei';
comment on column evm_senders.token_balances is 'Of a treasury, as last read: currency to the token''s own units, as text';
comment on column evm_senders.transfer_cost is 'Most that the gas of one transfer costs by the last fees, in wei';
comment on column evm_senders.trouble is 'What keeps something from being sent or mined, for people; null when nothing does';
comment on column evm_senders.least_fee is 'Of a treasury: the least that a unit of gas cost when it was last read, in wei';

create table evm_obstacles (
  network text primary key, at timestamptz(3) not null, contract_address text not null, units numeric(78, 0) not null);
comment on table evm_obstacles is 'The payout of a network that was last left pending, and when. Why is asked of the treasury''s balances when it is shown.';

create table evm_transactions (
  network text not null, id object_id not null, kind text not null check (kind in ('payout', 'gas', 'sweep')), sender text, key_index bigint, recipient text not null,
  contract_address text, units numeric(78, 0) not null check (units > 0), nonce bigint, gas bigint,
  status text not null check (status in ('queued', 'sent', 'completed', 'failed', 'recalled')), failure text, hash text, block_number bigint, passed_at bigint,
  gas_id object_id, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, attempt integer not null default 0, primary key (network, id),
  unique (network, sender, nonce),
  check (status in ('queued', 'failed') or (status = 'recalled' and nonce is null) or (sender is not null and nonce is not null and gas is not null and hash is not null)),
  check (kind <> 'sweep' or (sender is not null and key_index is not null)));
comment on table evm_transactions is 'What we mean to send, once each: a payout or refund by its own id, gas for a sweep, a sweep.';
comment on column evm_transactions.sender is 'Null until it is signed, but for a sweep: it is paid from the treasury whose key is there by then';
comment on column evm_transactions.key_index is 'Of the deposit address that a sweep empties';
comment on column evm_transactions.contract_address is 'The token; null for the network''s own coin';
comment on column evm_transactions.hash is 'Of the latest signed version, and of the mined one once it is';
comment on column evm_transactions.block_number is 'Where it was last seen mined; null again when a reorganisation drops it';
comment on column evm_transactions.passed_at is 'The newest block when its nonce was first seen used, and by none of its hashes';
comment on column evm_transactions.gas_id is 'The last gas that was ordered for a sweep; the next is ordered only by who has seen this one end';
comment on column evm_transactions.attempt is 'Of a payout: under which of its submissions it was taken, or recalled';
create index evm_transactions_open on evm_transactions (network, created_at, id) where status in ('queued', 'sent');
create unique index evm_transactions_one_sweep on evm_transactions (network, sender) where kind = 'sweep' and status in ('queued', 'sent');

create table evm_broadcasts (
  network text not null, hash text not null, id object_id not null, raw text not null, max_fee numeric(78, 0) not null, priority_fee numeric(78, 0) not null,
  block_number bigint not null, signed_at timestamptz(3) not null, primary key (network, hash),
  foreign key (network, id) references evm_transactions);
comment on table evm_broadcasts is 'Signed transactions, stored before they are sent. All of one id have one nonce: at most one is ever mined.';
comment on column evm_broadcasts.block_number is 'The newest block when it was signed: what no block could have taken is not stuck';
create index evm_broadcasts_of on evm_broadcasts (network, id, max_fee);
