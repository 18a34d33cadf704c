-- The test data of a business can be emptied. What is append-only stays so: the triggers let through what this one function of the owner
-- deletes, rows of test mode of the business that it is at, and nothing else.

alter table test_clocks add column emptied integer not null default 0;
comment on column test_clocks.emptied is 'How often its test data were emptied: who began to write before the last time writes nothing after it';

-- The first statement of what writes test data. Whoever empties them waits for who holds them, and who comes meanwhile is turned away. How
-- often they were emptied is read behind the lock, with a snapshot of its own, as each statement of a volatile function has.
create function hold_test_data(businesses text[], began integer[]) returns void language plpgsql as $body$
begin
  if exists (select from unnest(businesses) as asked (business) where not pg_try_advisory_xact_lock_shared(1701671028, hashtext(business))) then
    raise exception 'test data are being emptied' using errcode = 'BU001';
  end if;
  if exists (select from unnest(businesses, began) as asked (business, emptied)
               join test_clocks c on c.business_id = asked.business
              where c.emptied <> asked.emptied) then
    raise exception 'test data were emptied' using errcode = 'BU001';
  end if;
end $body$;
comment on function hold_test_data is 'Holds the test data of businesses until the transaction ends; `began`: how often they had been emptied when it began, or null';

create table test_data_removals (
  business_id object_id not null references businesses,
  id object_id not null,
  requested_by jsonb not null,
  requested_at timestamptz(3) not null,
  at_work xid8,
  rows jsonb,
  ended_at timestamptz(3),
  primary key (business_id, id)
);
comment on table test_data_removals is 'Whose test data are to be emptied, and were';
comment on column test_data_removals.at_work is 'The transaction that deletes: what is append-only looks for it';
create unique index test_data_removals_open on test_data_removals (business_id) where ended_at is null;

create function refuse_removal() returns trigger language plpgsql as $body$
begin
  if tg_level = 'STATEMENT' then
    if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid)
       and exists (select from test_data_removals where at_work = pg_current_xact_id() and ended_at is null) then
      return null;
    end if;
  elsif not old.livemode and exists (
    select from test_data_removals
     where business_id = old.business_id and at_work = pg_current_xact_id() and ended_at is null) then
    return old;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $body$;

drop trigger ledger_postings_append_only on ledger_postings;
create trigger ledger_postings_append_only before update or truncate on ledger_postings
  for each statement execute function refuse_change();
drop trigger events_kept on events;
create trigger events_kept before truncate on events for each statement execute function refuse_change();
drop trigger event_resends_kept on event_resends;
create trigger event_resends_kept before truncate on event_resends for each statement execute function refuse_change();
drop trigger sample_events_unchanged on sample_events;
create trigger sample_events_unchanged before update or truncate on sample_events
  for each statement execute function refuse_change();

do $migration$
declare
  kept text;
begin
  foreach kept in array array['ledger_postings', 'events', 'event_resends', 'sample_events'] loop
    execute format('create trigger %I before delete on %I for each statement execute function refuse_removal()', kept || '_stay', kept);
    execute format('create trigger %I before delete on %I for each row execute function refuse_removal()', kept || '_stay_each', kept);
  end loop;
end $migration$;

-- Timers first: what becomes a job until then is found among the jobs. Else what refers comes before what it refers to.
create function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'timers', 'idempotency_keys', 'requests',
    'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends', 'events',
    'mails', 'team_notices', 'team_notice_times', 'webhook_outages',
    'credit_note_parts', 'credit_notes', 'credit_note_numbers', 'invoice_lines', 'invoices', 'invoice_numbers', 'products',
    'distribution_returns', 'distribution_entries', 'distribution_settlements', 'distribution_shares', 'distributions',
    'refunds', 'payment_attempts', 'payment_crypto_quotes', 'payments', 'pay_links', 'collections',
    'chain_deposits', 'crypto_addresses', 'crypto_wallets', 'deposit_notices', 'virtual_accounts',
    'payout_batch_lines', 'payout_batches', 'payout_schedule_runs', 'payout_schedules', 'payouts', 'payout_quotes', 'beneficiaries',
    'provider_customers', 'provider_receipts', 'provider_references',
    'customer_documents', 'customer_words', 'customers', 'transactions', 'posting_sums', 'ledger_postings'
  ]
$body$;
comment on function test_data_tables is 'The tables whose rows of test mode are deleted, in their order';

do $migration$
begin
  execute replace($create$
    create function empty_test_data() returns jsonb language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      removal SCHEMA.test_data_removals;
      emptied text;
      deleted bigint;
      counts jsonb := '{}';
    begin
      -- The triggers of the tables name others without their schema. It ends with the function.
      perform set_config('search_path', 'pg_catalog, SCHEMA, pg_temp', true);
      select * into removal from test_data_removals
       where ended_at is null order by requested_at, id limit 1 for update skip locked;
      if removal.id is null then return null; end if;
      -- Waits for those who hold the test data of this business (`hold_test_data`); from now on they are refused.
      perform pg_advisory_xact_lock(1701671028, hashtext(removal.business_id::text));
      update test_data_removals set at_work = pg_current_xact_id()
       where business_id = removal.business_id and id = removal.id;
      -- Who sums postings waits until these are gone, or has done it before.
      perform from folded_postings for update;
      foreach emptied in array test_data_tables() loop
        execute format('delete from %I where business_id = $1 and not livemode', emptied) using removal.business_id;
        get diagnostics deleted = row_count;
        if deleted > 0 then counts := counts || jsonb_build_object(emptied, deleted); end if;
      end loop;
      delete from graphile_worker._private_jobs
       where payload ->> 'business_id' = removal.business_id and payload ->> 'livemode' = 'false';
      delete from sandbox_orders where business_id = removal.business_id;
      delete from sandbox_charges where business_id = removal.business_id;
      -- What providers said is known still, so that it is not taken for new; whose it was, is not.
      update provider_events set business_id = null, subject = null where business_id = removal.business_id and not livemode;
      update provider_incidents set business_id = null where business_id = removal.business_id and not livemode;
      -- Processes remember accounts and wallets by their ids: they stay, and are empty.
      update ledger_accounts set balance = 0, changed_at = removal.requested_at
       where business_id = removal.business_id and not livemode and changed_at is not null;
      -- Changes before counts: who folds the ones into the others has ended then, and who comes finds none.
      delete from list_changes where business_id = removal.business_id and not livemode and list <> 'audit_log';
      delete from list_counts where business_id = removal.business_id and not livemode and list <> 'audit_log';
      update payout_limits set day_starts_at = null, day_ends_at = null, day_amount = 0, max_day_starts_at = null, max_day_amount = 0
       where business_id = removal.business_id and not livemode;
      delete from transaction_sums where business_id = removal.business_id and not livemode;
      -- Indexes of `crypto_keys` stay where they are: no address is given out twice.
      insert into test_clocks as c (business_id, offset_ms, emptied) values (removal.business_id, 0, 1)
      on conflict (business_id) do update set offset_ms = 0, moving_until = null, emptied = c.emptied + 1;
      return jsonb_build_object('business_id', removal.business_id, 'id', removal.id, 'by', removal.requested_by, 'rows', counts);
    end $body$
  $create$, 'SCHEMA', quote_ident(current_schema()));
end $migration$;
revoke execute on function empty_test_data() from public;
comment on function empty_test_data is 'Empties the test data of the business whose turn it is, in the transaction of its caller';

-- Without these, each distribution and each entry of a share that is deleted would be looked for among all that refer to them. Live rows are
-- deleted by nobody, and are in neither.
create index distribution_returns_of_test_entry on distribution_returns (business_id, payment_id, share_id) where not livemode;
create index products_of_test_distribution on products (business_id, distribution_id) where not livemode;
