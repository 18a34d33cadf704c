-- What the owner of the tables deletes or rewrites although it is append-only: emptied test data, and personal data of erased customers.

-- Test data -------------------------------------------------------------------------------------------------------
-- Timers are early in the list: a timer that becomes a job until then is found among the jobs. Else a table comes before those that it refers to.
create function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'posting_seals', 'timers', 'idempotency_keys', 'requests', 'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends',
    'events', 'mails', 'team_notices', 'team_notice_times', 'webhook_outages', 'limit_rule_days', 'payout_destination_days', 'screening_reviews',
    'held_deposits', 'customer_days', 'dispute_movements', 'disputes', 'conversions', 'conversion_quotes', 'credit_note_parts', 'credit_notes',
    'credit_note_numbers', 'invoice_lines', 'invoices', 'invoice_numbers', 'products', 'distribution_returns', 'distribution_entries',
    'distribution_settlements', 'distribution_shares', 'distributions', 'refunds', 'payment_attempts', 'payment_crypto_quotes', 'payments', 'pay_links',
    'collections', 'chain_deposits', 'crypto_addresses', 'crypto_wallets', 'deposit_notices', 'virtual_accounts', 'payout_batch_lines', 'payout_batches',
    'payout_schedule_runs', 'payout_schedules', 'payouts', 'payout_quotes', 'beneficiaries', 'provider_customers', 'provider_receipts',
    'provider_references', 'customer_documents', 'customer_words', 'customer_keys', 'customers', 'transactions', 'posting_sums', 'ledger_postings',
    'opening_balances'
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

-- Erasure ---------------------------------------------------------------------------------------------------------
-- `personal` of the event types names these places (`src/core/module.ts`).
create function erased_event(body text) returns text language plpgsql immutable as $body$
declare
  event jsonb := body;
  place text[];
begin
  for place in select string_to_array(p, '.') from unnest(array['email', 'source']) p loop
    if coalesce(jsonb_typeof(event #> ('{payload}'::text[] || place)), 'null') <> 'null' then
      event := jsonb_set(event, '{payload}'::text[] || place, 'null');
    end if;
  end loop;
  for place in select string_to_array(p, '.') from unnest(array[
    'account_name', 'id_number', 'destination.account_name', 'destination.account_number', 'destination.resolved_account_name',
    'destination.holder_address', 'destination.address']) p loop
    if coalesce(event #>> ('{payload}'::text[] || place), 'erased') <> 'erased' then
      event := jsonb_set(event, '{payload}'::text[] || place, '"erased"');
    end if;
  end loop;
  if event ->> 'type' like 'customer.%' and event #> '{payload,metadata}' <> '{}' then
    event := jsonb_set(event, '{payload,metadata}', '{}');
  end if;
  if event #>> '{payload,warnings}' like '%account_name_mismatch%' then
    event := jsonb_set(event, '{payload,warnings}', '[]');
  end if;
  return case when event <> body::jsonb then event::text end;
end $body$;
comment on function erased_event is 'The body of an event without what is personal; null: it has nothing personal';

do $migration$
begin
  execute replace($create$
    create function erase_from_events() returns jsonb language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      erased SCHEMA.customer_keys;
      since text;
      paid_out text[];
      rewritten bigint := 0;
      more bigint;
    begin
      perform set_config('search_path', 'pg_catalog, SCHEMA, pg_temp', true);
      select * into erased from customer_keys
       where destroyed_at is not null and rewritten_at is null order by destroyed_at limit 1 for update skip locked;
      if erased.customer_id is null then return null; end if;
      update customer_keys set at_work = pg_current_xact_id()
       where business_id = erased.business_id and livemode = erased.livemode and customer_id = erased.customer_id;
      -- Those that were being written when the key was destroyed.
      update events set body = erased_event(body), metadata = case when type like 'customer.%' then '{}' else metadata end
       where business_id = erased.business_id and livemode = erased.livemode and customer_id = erased.customer_id and sealed is null
         and erased_event(body) is not null;
      get diagnostics rewritten = row_count;
      if cardinality(erased.payments) > 0 then
        select left(min(payment), 8) into since from unnest(erased.payments) as payment;
        update events set body = erased_event(body), customer_id = erased.customer_id
         where business_id = erased.business_id and livemode = erased.livemode and id >= since and type ~ '^(payment|refund|virtual_account|crypto)[.]'
           and customer_id is null and coalesce(body::jsonb #>> '{payload,related,payment}', body::jsonb #>> '{payload,payment}', body::jsonb #>> '{payload,id}') = any (erased.payments) and erased_event(body) is not null;
        get diagnostics more = row_count;
        rewritten := rewritten + more;
        update sample_events set body = erased_event(body)
         where business_id = erased.business_id and livemode = erased.livemode and id >= since and type ~ '^(payment|refund|virtual_account|crypto)[.]'
           and coalesce(body::jsonb #>> '{payload,related,payment}', body::jsonb #>> '{payload,payment}', body::jsonb #>> '{payload,id}') = any (erased.payments) and erased_event(body) is not null;
      end if;
      -- Payouts by which refunds went to where the money did not come from.
      select array_agg(payout_id::text), left(min(payout_id), 8) into paid_out, since from refunds
       where business_id = erased.business_id and livemode = erased.livemode and payout_id is not null
         and (customer_id = erased.customer_id or (customer_id is null and payment_id = any (erased.payments)));
      if paid_out is not null then
        update events set body = erased_event(body), customer_id = erased.customer_id
         where business_id = erased.business_id and livemode = erased.livemode and id >= since and type like 'payout.%'
           and customer_id is null and sealed is null and body::jsonb #>> '{payload,id}' = any (paid_out) and erased_event(body) is not null;
        get diagnostics more = row_count;
        rewritten := rewritten + more;
        update sample_events set body = erased_event(body)
         where business_id = erased.business_id and livemode = erased.livemode and id >= since and type like 'payout.%'
           and body::jsonb #>> '{payload,id}' = any (paid_out) and erased_event(body) is not null;
      end if;
      return jsonb_build_object('business_id', erased.business_id, 'livemode', erased.livemode, 'customer_id', erased.customer_id,
                                'rewritten', rewritten);
    end $body$
  $create$, 'SCHEMA', quote_ident(current_schema()));
end $migration$;
revoke execute on function erase_from_events() from public;
comment on function erase_from_events is 'Rewrites the events that have what is personal of a customer in plain text, of the erased one whose turn it is, in the transaction of its caller';
