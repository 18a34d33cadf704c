-- The double-entry ledger, the positions of what is written, and what is derived from postings: sums, closings and proofs.

-- Positions ----------------------------------------------------------------------------------------------------------
create table event_positions (
  one boolean primary key default true check (one), base bigint not null);
comment on table event_positions is 'One row. A position is the writing transaction''s number plus this base.';
comment on column event_positions.base is 'Raised when transaction numbers start again below what is stored, as after pg_restore';
insert into event_positions (base) values (0);
create function event_position() returns bigint stable language sql as 'select base + pg_current_xact_id()::text::bigint from event_positions';
comment on function event_position is 'The position of what this transaction writes';
create function event_horizon() returns bigint stable language sql as 'select base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint from event_positions';
comment on function event_horizon is 'Every transaction with a position below has ended, and what it committed can be seen';

-- Accounts and postings ----------------------------------------------------------------------------------------------
-- Free space on each page keeps the next version of a row beside it: a new balance then needs no new index entry.
create table ledger_accounts (
  business_id object_id not null references businesses, livemode boolean not null, id bigint generated always as identity, purpose text not null,
  currency text not null, subject text not null default '', balance bigint not null default 0, overdraft boolean not null, created_at timestamptz(3) not null,
  changed_at timestamptz(3), primary key (business_id, livemode, id),
  unique (business_id, livemode, purpose, currency, subject), constraint ledger_accounts_no_overdraft check (overdraft or balance >= 0)) with (fillfactor = 70);
comment on table ledger_accounts is 'Accounts of the double-entry ledger; balances are changed in the statement that adds the postings.';
comment on column ledger_accounts.purpose is 'wallet_available, wallet_pending, fees, share, dust, unclaimed, disputes, rail_clearing, rail_fees, operator_bank, exchange';
comment on column ledger_accounts.currency is 'A currency; for what is less than a cent of a token, its smallest units: usdc/6 has six decimals';
comment on column ledger_accounts.subject is 'Tells accounts of one purpose apart, such as the account at a provider of a clearing account';
comment on column ledger_accounts.balance is 'Minor units: credits minus debits';
comment on column ledger_accounts.overdraft is 'Whether it may go below zero: clearing and exchange accounts may, wallets and fees may not';
comment on column ledger_accounts.changed_at is 'When the balance last changed, in the time of its business and mode; null: never';
-- Without balances: every posting would write to the index.
create index ledger_accounts_exchange on ledger_accounts (livemode, currency) where purpose = 'exchange';

create function refuse_account_change() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' or (old.business_id, old.livemode, old.id, old.purpose, old.currency, old.subject, old.overdraft)
     is distinct from (new.business_id, new.livemode, new.id, new.purpose, new.currency, new.subject, new.overdraft) then
    raise exception 'ledger_accounts can only change their balance' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger ledger_accounts_no_truncate before truncate on ledger_accounts for each statement execute function refuse_account_change();
create trigger ledger_accounts_only_balance
  before update of business_id, livemode, id, purpose, currency, subject, overdraft or delete on ledger_accounts
  for each row execute function refuse_account_change();

-- The key begins with the transaction, by which a record finds its postings. There is no foreign key to accounts: its check would read every dead version of a busy
-- account. A posting is written in the transaction that has locked its accounts, accounts are never deleted, and `bursar ledger verify` compares them.
create table ledger_postings (
  business_id object_id not null, livemode boolean not null, id bigint generated always as identity, debit_account bigint not null, credit_account bigint not null,
  amount bigint not null check (amount > 0), currency text not null, kind text not null, subject object_id not null, transaction_id object_id not null,
  posted_at timestamptz(3) not null, position bigint not null default (pg_current_xact_id()::text::bigint + 0),
  primary key (business_id, livemode, transaction_id, id),
  check (debit_account <> credit_account));
comment on table ledger_postings is 'Append-only. One debit account, one credit account, one amount: balanced by construction.';
comment on column ledger_postings.kind is 'Why money moved: simulated_fund, payout_hold, payout_release, payout_sent, payout_fee, payout_exchange';
comment on column ledger_postings.subject is 'The record that moved it, such as the payout';
comment on column ledger_postings.position is 'Its transaction''s place, as that of an event. Below event_horizon() no posting can appear any more.';
-- Postings are written in the order of their times, so that a summary of each range of pages is enough, and costs next to nothing to write.
create index ledger_postings_by_time on ledger_postings using brin (business_id, posted_at) with (pages_per_range = 32, autosummarize = on);
-- Postings are written nearly in the order of their positions.
create index ledger_postings_by_position on ledger_postings using brin (business_id, position) with (pages_per_range = 32, autosummarize = on);
create trigger ledger_postings_append_only before update or truncate on ledger_postings for each statement execute function refuse_change();
create trigger ledger_postings_stay before delete on ledger_postings for each statement execute function refuse_removal();
create trigger ledger_postings_stay_each before delete on ledger_postings for each row execute function refuse_removal();

-- Sums ---------------------------------------------------------------------------------------------------------------
create table folded_postings (
  one boolean primary key default true check (one), position bigint not null);
comment on table folded_postings is 'One row. Postings of lower positions are in posting_sums; others are read themselves.';
insert into folded_postings (position) select event_horizon();

-- A periodic task sums new postings by quarters of an hour, of which the days of every time zone are made, and by days in UTC. A report of a period reads these sums, and
-- nothing is written for them where money moves.
create table posting_sums (
  business_id object_id not null, livemode boolean not null, span text not null check (span in ('quarter', 'day')), begins_at timestamptz(0) not null,
  currency text not null, kind text not null, method text not null, held smallint not null, charged smallint not null, amount bigint not null, count bigint not null,
  primary key (business_id, livemode, span, begins_at, currency, kind, method, held, charged));
comment on table posting_sums is 'What postings brought to wallets and to fees and took from them, of those before folded_postings.position.';
comment on column posting_sums.begins_at is 'The quarter of an hour, or the day in UTC, in which they were posted';
comment on column posting_sums.method is 'Of their transactions; empty where there is none';
comment on column posting_sums.held is '1: the amount came to a wallet, -1: it left one; 0: neither, or both';
comment on column posting_sums.charged is 'The same of the fees that were paid';
comment on column posting_sums.amount is 'Minor units';

-- Closings and verification ------------------------------------------------------------------------------------------
-- A period of postings is closed: what each account had at its end is the opening balance of the next, and verification begins there. Postings stay where they are.
-- A periodic task closes a period, and nothing is written for it where money moves.
create table ledger_closings (
  position bigint primary key, closed_at timestamptz(3) not null);
comment on table ledger_closings is 'Append-only. Up to where the ledger was closed, and when: one row for each period.';
comment on column ledger_closings.position is 'What was posted below it is in the opening balances. Not above folded_postings.position, so no posting can appear below it any more';
comment on column ledger_closings.closed_at is 'When no posting could appear below it any more, by the machine''s clock';
create trigger ledger_closings_append_only before update or delete or truncate on ledger_closings for each statement execute function refuse_change();

create table opening_balances (
  business_id object_id not null, livemode boolean not null, account bigint not null, position bigint not null references ledger_closings, debits numeric not null,
  credits numeric not null, postings bigint not null, primary key (business_id, livemode, account, position));
comment on table opening_balances is 'Append-only. What was posted to an account below a closing. No row: nothing since the closing before.';
comment on column opening_balances.position is 'That of the closing';
comment on column opening_balances.debits is 'Minor units: the sum of all postings below that took from the account';
comment on column opening_balances.credits is 'Minor units: the sum of all postings below that came to it';
comment on column opening_balances.postings is 'How many there were';
create trigger opening_balances_append_only before update or truncate on opening_balances for each statement execute function refuse_change();
create trigger opening_balances_stay before delete on opening_balances for each statement execute function refuse_removal();
create trigger opening_balances_stay_each before delete on opening_balances for each row execute function refuse_removal();

create function wait_for_closing() returns trigger language plpgsql as $body$
begin
  perform pg_catalog.pg_advisory_xact_lock(1701671029, 0);
  return new;
end $body$;
comment on function wait_for_closing is 'Waits for who closes the ledger, and keeps others from it until the transaction ends';

create trigger test_data_removals_wait before update of at_work on test_data_removals for each row execute function wait_for_closing();

create table ledger_verifications (
  id object_id primary key, status text not null check (status in ('waiting', 'running', 'clean', 'differs', 'unfinished')),
  checks integer not null check (checks > 0), checks_done integer not null default 0 check (checks_done between 0 and checks), doing text, accounts bigint,
  postings bigint, differences jsonb not null default '[]', differences_count bigint not null default 0, made_by text, created_at timestamptz(3) not null,
  began_at timestamptz(3), ended_at timestamptz(3), closed_at timestamptz(3),
  check ((ended_at is null) = (status in ('waiting', 'running'))));
comment on table ledger_verifications is 'Verifications of the ledger that the operator has started; any process shows how far one is.';
comment on column ledger_verifications.status is 'unfinished: it ended without a result, because its process did, or it broke';
comment on column ledger_verifications.checks_done is 'How many of its checks are done';
comment on column ledger_verifications.doing is 'The check that is under way, in words';
comment on column ledger_verifications.differences is 'The first of what was found to differ; differences_count has how many there are';
comment on column ledger_verifications.made_by is 'The person, or the operator''s key by its hint';
comment on column ledger_verifications.closed_at is 'When the ledger had been closed from which it read on; null: it read all of history, or it has no result';
create unique index ledger_verifications_one on ledger_verifications ((true)) where ended_at is null;

-- Proofs -------------------------------------------------------------------------------------------------------------
-- Committed postings are chained by hashes, one row for a batch of a business and mode. A signed root for each day covers all chains, so a changed posting is found.
-- A periodic task does this, and nothing is written for it where money moves.
create table posting_seals (
  business_id object_id not null references businesses, livemode boolean not null, day date not null, number bigint not null, through_position bigint not null,
  through_id bigint not null, postings integer not null check (postings > 0), root bytea not null, previous bytea not null, hash bytea not null, leaves bytea not null,
  sealed_at timestamptz(3) not null, primary key (business_id, livemode, day, number));
comment on table posting_seals is 'Postings of a business and mode that were sealed together, each chained to the one before. Append-only.';
comment on column posting_seals.day is 'The day in UTC whose proof it is in';
comment on column posting_seals.number is 'From 1 on; from 1 again once test data were emptied';
comment on column posting_seals.through_position is 'Of its last posting, and through_id its id. Postings are sealed in this order';
comment on column posting_seals.root is 'Of the Merkle tree over the hashed forms of its postings';
comment on column posting_seals.previous is 'The hash of the seal before; zeros of the first';
comment on column posting_seals.leaves is 'Of each posting its id, 8 bytes, and its leaf, 32: by these it is known which one was changed, and by the root that one was';
create index posting_seals_by_posting on posting_seals (business_id, livemode, through_position, through_id);
create index posting_seals_by_day on posting_seals using brin (business_id, day) with (pages_per_range = 8, autosummarize = on);
create trigger posting_seals_append_only before update or truncate on posting_seals for each statement execute function refuse_change();
create trigger posting_seals_stay before delete on posting_seals for each statement execute function refuse_removal();
create trigger posting_seals_stay_each before delete on posting_seals for each row execute function refuse_removal();

create table seal_salts (
  business_id object_id not null references businesses, livemode boolean not null, salt bytea not null, primary key (business_id, livemode));
comment on table seal_salts is 'What keeps hashes from being guessed: who has a receipt learns nothing of other postings, nor of other businesses.';
create trigger seal_salts_append_only before update or delete or truncate on seal_salts for each statement execute function refuse_change();

create table sealed_postings (
  one boolean primary key default true check (one), position bigint not null, day date);
comment on table sealed_postings is 'One row. Postings of lower positions are sealed.';
comment on column sealed_postings.day is 'What is sealed goes into the proof of this day; those of the days before are made';
insert into sealed_postings (position) select position from folded_postings;

create table proof_keys (
  id text primary key, public_key bytea not null);
comment on table proof_keys is 'Ed25519 keys that proofs were signed with: the 32 bytes of the public key, and what it is called.';
create trigger proof_keys_append_only before update or delete or truncate on proof_keys for each statement execute function refuse_change();

create table proofs (
  day date primary key, cell text not null, root bytea not null, previous bytea not null, live_leaves bytea not null, test_leaves bytea not null,
  made_at timestamptz(3) not null, key_id text references proof_keys, signature bytea);
comment on table proofs is 'The root of a day in UTC, over the chains of all businesses of which something was sealed.';
comment on column proofs.previous is 'The hash of what the proof of the day before says; zeros of the first';
comment on column proofs.live_leaves is 'Sorted, 32 bytes each: they name no business, and stay when test data are emptied';
comment on column proofs.signature is 'Null until there is a PROOF_KEY';
create trigger proofs_append_only before delete or truncate or update of day, cell, root, previous, live_leaves, test_leaves, made_at
  on proofs for each statement execute function refuse_change();
create trigger proofs_signed_once before update on proofs for each row when (old.signature is not null) execute function refuse_change();

-- Proofs name the chain of a business that was split off to another cell after its seals are deleted here. This tells such a chain from a lost one.
create table moved_chains (
  business_id object_id not null references businesses, day date not null, leaf bytea not null, primary key (business_id, day));
comment on table moved_chains is 'What the live chain of a business that is in another cell now has in the proof of each day here. Append-only.';
create index moved_chains_by_day on moved_chains (day);
create trigger moved_chains_append_only before update or delete or truncate on moved_chains for each statement execute function refuse_change();
