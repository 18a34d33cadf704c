-- Events, deliveries, attempts and resends in partitions. The tables of before become the first ones, with their indexes, and new tables take their
-- names: nothing is read or written for it. Deliveries are parted by their event's id, as they are unique by event and endpoint; attempts by their
-- delivery's, which is of the event's second or later. What no other partition takes, as of test clocks that run ahead, goes to the default ones.
-- Understood by servers from 0096 on.
create function make_event_partition(base text, part text) returns void language plpgsql as $body$
declare
  granted record;
begin
  execute format('create table %I (like %I including defaults including storage including compression)', part, base);
  if base = 'webhook_deliveries' then
    execute format('alter table %I set (fillfactor = 60), add primary key (business_id, livemode, id)', part);
  end if;
  perform guard_event_partition(base, part);
  for granted in
    select r.rolname as role, e.privilege_type as privilege
      from pg_class c, aclexplode(c.relacl) e join pg_roles r on r.oid = e.grantee
     where c.oid = to_regclass(quote_ident(base)) and e.grantee <> c.relowner
  loop
    execute format('grant %s on %I to %I', granted.privilege, part, granted.role);
  end loop;
end $body$;
comment on function make_event_partition is 'A table that can become a partition, with what partitions do not get from the table they are of';

-- Triggers for each row are inherited, those for statements are not.
create function guard_event_partition(base text, part text) returns void language plpgsql as $body$
begin
  if base = 'events' then
    execute format('create trigger events_kept before truncate on %I for each statement execute function refuse_change()', part);
  elsif base = 'event_resends' then
    execute format('create trigger event_resends_kept before update or truncate on %I for each statement execute function refuse_change()', part);
  end if;
end $body$;
comment on function guard_event_partition is 'Has a partition refuse what the table it is of refuses';

-- Logical replication names a delivery by its event and endpoint: the key by its own id is of each partition alone.
create function identify_deliveries(part text) returns void language plpgsql as $body$
begin
  execute format('alter table only %I replica identity using index %I', part, (
    select i.relname from pg_index x join pg_class i on i.oid = x.indexrelid
     where x.indrelid = to_regclass(quote_ident(part)) and x.indisunique and not x.indisprimary));
end $body$;
comment on function identify_deliveries is 'Has logical replication find the rows of a partition of deliveries, or of all of them, by the key that all have';

do $migration$
declare
  bound text := (select substring(pg_get_constraintdef(oid) from '''([0-9a-f]+)''') from pg_constraint
                  where conrelid = 'events'::regclass and conname = 'events_first_range');
  base text;
  old record;
begin
  foreach base in array array['events', 'event_resends', 'webhook_deliveries', 'webhook_attempts'] loop
    for old in select tgname from pg_trigger where tgrelid = to_regclass(base) and not tgisinternal loop
      execute format('drop trigger %I on %I', old.tgname, base);
    end loop;
    for old in select i.relname from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = to_regclass(base) loop
      execute format('alter index %I rename to %I', old.relname, left('first_' || old.relname, 63));
    end loop;
    execute format('alter table %I rename to %I', base, base || '_first');
    execute format('create table %I (like %I including defaults including comments including storage including compression)
                    partition by range (%I)', base, base || '_first',
                   case base when 'webhook_deliveries' then 'event_id' when 'webhook_attempts' then 'delivery_id' else 'id' end);
  end loop;

  alter table events add primary key (business_id, livemode, id);
  create index events_by_position on events (position);
  create index events_newest_of_type on events (business_id, livemode, type, id desc);
  create index events_of_customer on events (business_id, livemode, customer_id, id) where customer_id is not null;
  alter table event_resends add primary key (business_id, livemode, position, id);
  alter table webhook_deliveries add unique (business_id, livemode, event_id, webhook_id);
  create index webhook_deliveries_newest_of_webhook on webhook_deliveries (business_id, livemode, webhook_id, created_at desc, id desc);
  create index webhook_deliveries_newest on webhook_deliveries (business_id, livemode, created_at desc, id desc);
  create index webhook_deliveries_newest_alike on webhook_deliveries (business_id, livemode,
    hashtext(status || '/' || type), created_at desc, id desc);
  alter table webhook_attempts add primary key (business_id, livemode, delivery_id, number);

  foreach base in array array['events', 'event_resends', 'webhook_deliveries', 'webhook_attempts'] loop
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', base, base || '_first', bound);
    execute format('alter table %I drop constraint %I', base || '_first', base || '_first_range');
    perform guard_event_partition(base, base || '_first');
    perform make_event_partition(base, base || '_ahead');
    execute format('alter table %I attach partition %I default', base, base || '_ahead');
  end loop;
end $migration$;

select identify_deliveries(part) from unnest(array['webhook_deliveries', 'webhook_deliveries_first', 'webhook_deliveries_ahead']) as made (part);

comment on table events is 'What happened, written in the transaction in which it happened.';
comment on table event_resends is 'Events that were sent again: the stream of events shows them once more, here.';
comment on table webhook_deliveries is 'One row per event and endpoint: where the delivery stands.';
comment on table webhook_attempts is 'Every try of a delivery, with what came back.';

create trigger events_unchanged before update on events for each statement execute function refuse_rewriting();
create trigger events_unchanged_each before update on events for each row execute function refuse_rewriting();
create trigger events_kept before truncate on events for each statement execute function refuse_change();
create trigger events_stay before delete on events for each statement execute function refuse_removal();
create trigger events_stay_each before delete on events for each row execute function refuse_removal();
create trigger event_resends_unchanged before update on event_resends for each statement execute function refuse_change();
create trigger event_resends_kept before truncate on event_resends for each statement execute function refuse_change();
create trigger event_resends_stay before delete on event_resends for each statement execute function refuse_removal();
create trigger event_resends_stay_each before delete on event_resends for each row execute function refuse_removal();

create trigger events_added after insert on events referencing new table as added
  for each statement execute function count_events();
create trigger events_changed after update on events referencing old table as removed new table as added
  for each statement execute function count_events();
create trigger events_removed after delete on events referencing old table as removed
  for each statement execute function count_events();
create trigger webhook_deliveries_added after insert on webhook_deliveries referencing new table as added
  for each statement execute function count_webhook_deliveries();
create trigger webhook_deliveries_changed after update on webhook_deliveries referencing old table as removed new table as added
  for each statement execute function count_webhook_deliveries();
create trigger webhook_deliveries_removed after delete on webhook_deliveries referencing old table as removed
  for each statement execute function count_webhook_deliveries();
