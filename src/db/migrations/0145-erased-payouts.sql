-- The payout by which a refund goes to where the money did not come from names the refund's customer: what its events say of who is paid is sealed under
-- the customer's key, and it is emptied as the refund is. Events that were written before are rewritten when the customer is erased.
alter table payouts add column customer_id object_id;
comment on column payouts.customer_id is 'The customer of the refund that it is; null: it is none, or of nobody';
update payouts o set customer_id = r.customer_id
  from refunds r
 where r.payout_id is not null and r.customer_id is not null
   and o.business_id = r.business_id and o.livemode = r.livemode and o.id = r.payout_id;

create or replace function erased_event(body text) returns text language plpgsql immutable as $body$
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

do $migration$
begin
  execute replace($create$
    create or replace function erase_from_events() returns jsonb language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      erased SCHEMA.customer_keys;
      since text;
      refunded text[];
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
      -- Of those who had no key at the time.
      update events set body = erased_event(body), metadata = case when type like 'customer.%' then '{}' else metadata end
       where business_id = erased.business_id and livemode = erased.livemode and customer_id = erased.customer_id and sealed is null
         and erased_event(body) is not null;
      get diagnostics rewritten = row_count;
      if erased.late then
        -- Ids begin with their second: nothing that names the customer is older.
        since := left(erased.customer_id, 8);
        select coalesce(array_agg(id::text), '{}') into refunded from refunds
         where business_id = erased.business_id and livemode = erased.livemode and customer_id = erased.customer_id;
        update events set body = erased_event(body), metadata = case when type like 'customer.%' then '{}' else metadata end,
                          customer_id = erased.customer_id
         where business_id = erased.business_id and livemode = erased.livemode and id >= since and customer_id is null and sealed is null
           and (position(erased.customer_id in body) > 0
                or (type like 'refund.%' and body::jsonb #>> '{payload,id}' = any (refunded)))
           and erased_event(body) is not null;
        get diagnostics more = row_count;
        rewritten := rewritten + more;
        update sample_events set body = erased_event(body), metadata = case when type like 'customer.%' then '{}' else metadata end
         where business_id = erased.business_id and livemode = erased.livemode and id >= since
           and (position(erased.customer_id in body) > 0
                or (type like 'refund.%' and body::jsonb #>> '{payload,id}' = any (refunded)))
           and erased_event(body) is not null;
      end if;
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
      -- Payouts by which refunds went to where the money did not come from: a server before this one sealed nothing of theirs.
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
