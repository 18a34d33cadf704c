-- A period of postings is closed: what every account had at its end is kept as an opening balance of the next, so that books are verified from
-- there on. Postings stay where they are. A periodic task closes, and nothing is written for it where money moves.
-- Understood by servers from 0096 on.

create table ledger_closings (
  position bigint primary key,
  closed_at timestamptz(3) not null
);
comment on table ledger_closings is 'Append-only. Up to where the ledger was closed, and when: one row for each period.';
comment on column ledger_closings.position is
  'What was posted below it is in the opening balances. Not above folded_postings.position, so no posting can appear below it any more';
comment on column ledger_closings.closed_at is 'When no posting could appear below it any more, by the machine''s clock';

create table opening_balances (
  business_id object_id not null,
  livemode boolean not null,
  account bigint not null,
  position bigint not null references ledger_closings,
  debits numeric not null,
  credits numeric not null,
  postings bigint not null,
  primary key (business_id, livemode, account, position)
);
comment on table opening_balances is 'Append-only. What was posted to an account below a closing. No row: nothing since the closing before.';
comment on column opening_balances.position is 'That of the closing. Postings without a position are below each';
comment on column opening_balances.debits is 'Minor units: the sum of all postings below that took from the account';
comment on column opening_balances.credits is 'Minor units: the sum of all postings below that came to it';
comment on column opening_balances.postings is 'How many there were';

create trigger ledger_closings_append_only before update or delete or truncate on ledger_closings
  for each statement execute function refuse_change();
create trigger opening_balances_append_only before update or truncate on opening_balances
  for each statement execute function refuse_change();
create trigger opening_balances_stay before delete on opening_balances for each statement execute function refuse_removal();
create trigger opening_balances_stay_each before delete on opening_balances for each row execute function refuse_removal();

-- Test data that are emptied take their opening balances with them. Whoever closes has read postings that are gone then: it is waited for.
do $migration$
begin
  execute format('create or replace function test_data_tables() returns text[] language sql immutable as %L',
                 format('select %L::text[]', test_data_tables() || array['opening_balances']));
end $migration$;

create function wait_for_closing() returns trigger language plpgsql as $body$
begin
  perform pg_catalog.pg_advisory_xact_lock(1701671029, 0);
  return new;
end $body$;
comment on function wait_for_closing is 'Waits for who closes the ledger, and keeps others from it until the transaction ends';
create trigger test_data_removals_wait before update of at_work on test_data_removals
  for each row execute function wait_for_closing();
