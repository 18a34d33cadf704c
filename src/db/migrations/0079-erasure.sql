-- Customers can be erased. What is sealed under their keys is gone with these; what events from before there were keys say of them is rewritten by
-- a function of the owner. Events stay append-only for everybody else, and nothing of them changes but what is personal.
alter table customers add column erased_at timestamptz(3);
comment on column customers.erased_at is 'When what is personal was emptied, here and wherever it was copied; the row stays, for the records of its money';
create index customers_erased on customers (business_id, livemode, id) where erased_at is not null;
create index mails_to on mails (business_id, livemode, lower(recipient));
alter table customer_keys add column payments text[] not null default '{}';
comment on column customer_keys.payments is 'Payments of nobody whose payer gave an e-mail address of the customer: events about them are rewritten too';
create index customer_keys_at_work on customer_keys (at_work) where at_work is not null;

create function refuse_rewriting() returns trigger language plpgsql as $body$
begin
  if tg_level = 'STATEMENT' then
    if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid)
       and exists (select from customer_keys where at_work = pg_current_xact_id()) then
      return null;
    end if;
  elsif to_jsonb(new) - array['body', 'metadata', 'customer_id'] = to_jsonb(old) - array['body', 'metadata', 'customer_id']
    and exists (select from customer_keys
                 where business_id = old.business_id and livemode = old.livemode and at_work = pg_current_xact_id() and key is null) then
    return new;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $body$;

drop trigger events_unchanged on events;
create trigger events_unchanged before update on events for each statement execute function refuse_rewriting();
create trigger events_unchanged_each before update on events for each row execute function refuse_rewriting();
drop trigger sample_events_unchanged on sample_events;
create trigger sample_events_unchanged before update on sample_events for each statement execute function refuse_rewriting();
create trigger sample_events_unchanged_each before update on sample_events for each row execute function refuse_rewriting();
create trigger sample_events_kept before truncate on sample_events for each statement execute function refuse_change();

-- The places are those that `personal` of the event types names (`src/core/room.ts`).
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
      refunded text[];
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
      return jsonb_build_object('business_id', erased.business_id, 'livemode', erased.livemode, 'customer_id', erased.customer_id,
                                'rewritten', rewritten);
    end $body$
  $create$, 'SCHEMA', quote_ident(current_schema()));
end $migration$;
revoke execute on function erase_from_events() from public;
comment on function erase_from_events is 'Rewrites the events that have what is personal of a customer in plain text, of the erased one whose turn it is, in the transaction of its caller';
