-- A payout that its network cannot take on now is recalled and is pending again, unless it is signed; and what waits is kept, not why.

alter table payouts add column submissions integer not null default 0;
comment on column payouts.submissions is 'How many times it was submitted. A rail that was asked to recall one submission never pays under it.';

alter table evm_transactions add column attempt integer not null default 0;
comment on column evm_transactions.attempt is 'Of a payout: under which of its submissions it was taken, or recalled';
alter table evm_transactions drop constraint evm_transactions_status_check;
alter table evm_transactions add constraint evm_transactions_status_check
  check (status in ('queued', 'sent', 'completed', 'failed', 'recalled'));
alter table evm_transactions drop constraint evm_transactions_check;
alter table evm_transactions add constraint evm_transactions_check
  check (status in ('queued', 'failed') or (status = 'recalled' and nonce is null)
      or (sender is not null and nonce is not null and gas is not null and hash is not null));

alter table evm_senders add column least_fee numeric(78, 0);
comment on column evm_senders.least_fee is 'Of a treasury: the least that a unit of gas cost when it was last read, in wei';

-- Rows of it live for a minute.
delete from evm_obstacles;
alter table evm_obstacles drop column reason;
alter table evm_obstacles add column contract_address text not null;
alter table evm_obstacles add column units numeric(78, 0) not null;
comment on table evm_obstacles is 'The payout of a network that was last left pending, and when. Why is asked of the treasury''s balances when it is shown.';
