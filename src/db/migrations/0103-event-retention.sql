-- Partitions of events, and of what comes of them, are made ahead of time, and dropped once they are older than a set time. The server asks for it in
-- event_retention; what changes the tables is a function of the owner, a step at a time: it waits 200 ms at most for who uses them, as others wait behind it
-- meanwhile, and is asked again. Before a partition is dropped it is closed: what it has is counted then while nothing of it changes.
-- Understood by servers from 0096 on.
create table event_retention (
  one boolean primary key default true check (one),
  attach_until timestamptz(3),
  monthly boolean not null default true,
  keep_from timestamptz(3),
  closed_before text collate "C" not null default '',
  dropped_before text collate "C" not null default '',
  dropped_position bigint not null default 0,
  analyzed_before text collate "C" not null default ''
);
comment on table event_retention is 'One row. What keep_event_partitions() is to do, and how far it has come.';
comment on column event_retention.attach_until is 'New partitions are made until there is one for ids of this time';
comment on column event_retention.monthly is 'They are of a month each; else of a year, where nothing is to be dropped';
comment on column event_retention.keep_from is 'Partitions that end before are dropped; null: none';
comment on column event_retention.closed_before is 'Events with lower ids are sent no more: they, and their deliveries, do not change until they are dropped';
comment on column event_retention.dropped_before is 'Events with lower ids are gone';
comment on column event_retention.dropped_position is 'The last place in the stream that an event had which is gone';
comment on column event_retention.analyzed_before is 'The end of the newest partition when PostgreSQL last looked at all of them: by itself it looks at each alone';
insert into event_retention default values;

-- What the server asks for it writes; how far it has come is the owner's word.
create function refuse_to_servers() returns trigger language plpgsql as $body$
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then return null; end if;
  raise exception '% is written by the owner alone', tg_table_name using errcode = 'insufficient_privilege';
end $body$;
create trigger event_retention_of_owner before insert or delete or truncate or
  update of one, closed_before, dropped_before, dropped_position, analyzed_before on event_retention
  for each statement execute function refuse_to_servers();

create function events_may_go_before() returns timestamptz stable language sql as $$ select now() - interval '1 day' $$;
comment on function events_may_go_before is 'Nothing newer is dropped, whatever a server asks for or takes for the time';

create function event_partitions() returns table (suffix text, ends text) stable language sql as $body$
  select substr(c.relname, length('events') + 1), substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([0-9a-f]+)''\)')
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = to_regclass('events')
$body$;
comment on function event_partitions is 'The partitions of events, which deliveries, attempts and resends have too, and the id that each ends before; null: the default one';

create function event_is_closed() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' and exists (
    select from test_data_removals where business_id = old.business_id and at_work = pg_current_xact_id() and ended_at is null) then
    return old;
  end if;
  raise exception 'events of this time are about to be dropped' using errcode = 'restrict_violation';
end $body$;

do $migration$
begin
  execute replace($create$
    create function keep_event_partitions() returns jsonb language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      bases constant text[] := array['events', 'event_resends', 'webhook_deliveries', 'webhook_attempts'];
      keys constant text[] := array['id', 'id', 'event_id', 'delivery_id'];
      asked SCHEMA.event_retention;
      newest text;
      oldest record;
      suffix text;
      until text;
      ahead text;
      there boolean;
      place bigint;
    begin
      -- The first is where tables are made; nobody but the owner makes any there.
      perform set_config('search_path', 'SCHEMA, pg_temp', true);
      perform set_config('lock_timeout', '200ms', true);
      -- Of several servers that ask, one at a time.
      if not pg_try_advisory_xact_lock(hashtext('bursar.keep_event_partitions')) then return null; end if;
      -- What is being copied to another database stays as it is until that has ended: partitions are not copied, and their rows are.
      if exists (select from cell_moves where moved_at is null or subject = '') then return null; end if;
      select * into asked from event_retention;
      asked.keep_from := least(asked.keep_from, events_may_go_before());
      asked.attach_until := least(asked.attach_until, events_may_go_before() + interval '1 year');
      select max(ends) into newest from event_partitions();

      -- The next one, and what the default one has of it already.
      if ids_begin(newest) <= asked.attach_until then
        suffix := to_char(ids_begin(newest) at time zone 'utc', '"_"YYYY_MM');
        until := ids_from((ids_begin(newest) at time zone 'utc' + case when asked.monthly then interval '1 month' else interval '1 year' end)
                          at time zone 'utc');
        for n in 1 .. cardinality(bases) loop
          ahead := bases[n] || '_ahead';
          perform make_event_partition(bases[n], bases[n] || suffix);
          execute format('lock table %I in access exclusive mode', ahead);
          execute format('select exists (select from %I where %I >= %L and %I < %L)', ahead, keys[n], newest, keys[n], until) into there;
          if there then
            -- The rows stay: they only change their place.
            execute format('alter table %I disable trigger user', ahead);
            execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *) insert into %I select * from moved',
                           ahead, keys[n], newest, keys[n], until, bases[n] || suffix);
            execute format('alter table %I enable trigger user', ahead);
          end if;
          execute format('alter table %I attach partition %I for values from (%L) to (%L)', bases[n], bases[n] || suffix, newest, until);
          if bases[n] = 'webhook_deliveries' then perform identify_deliveries(bases[n] || suffix); end if;
        end loop;
        return jsonb_build_object('did', 'attached', 'before', until);
      end if;

      if asked.analyzed_before < newest then
        analyze events, event_resends, webhook_deliveries, webhook_attempts;
        update event_retention set analyzed_before = newest;
        return jsonb_build_object('did', 'analyzed', 'before', newest);
      end if;

      select p.suffix, p.ends into oldest from event_partitions() p where p.ends < newest order by p.ends limit 1;
      if oldest.ends is null or asked.keep_from is null or ids_begin(oldest.ends) > asked.keep_from then return null; end if;
      suffix := oldest.suffix;

      if not exists (select from pg_trigger where tgrelid = to_regclass(quote_ident('events' || suffix)) and tgname = 'event_is_closed') then
        -- Once before it holds anything, and again when nobody can add to it.
        for n in 1 .. 2 loop
          execute format('select exists (select from webhook_queue q join %I d using (business_id, livemode)
                                          where d.id = q.delivery_id)', 'webhook_deliveries' || suffix) into there;
          if there then return jsonb_build_object('did', 'waits', 'before', oldest.ends); end if;
          exit when n = 2;
          -- Waits for who sends an event again right now.
          perform from event_retention for update;
          execute format('lock table %I, %I in share row exclusive mode', 'webhook_deliveries' || suffix, 'events' || suffix);
        end loop;
        execute format('create trigger event_is_closed before insert or update or delete on %I for each row execute function event_is_closed()',
                       'webhook_deliveries' || suffix);
        execute format('create trigger event_is_closed before insert or delete on %I for each row execute function event_is_closed()',
                       'events' || suffix);
        update event_retention set closed_before = oldest.ends;
        return jsonb_build_object('did', 'closed', 'before', oldest.ends);
      end if;

      -- Who empties test data deletes from what is counted here: the one waits for the other.
      lock table test_data_removals in share mode;
      if exists (select from test_data_removals where ended_at is null) then return null; end if;
      execute format(
        'insert into list_changes (business_id, livemode, list, day, facets, change)
         select business_id, livemode, ''events'', day_of(created_at), jsonb_build_object(''type'', type), -count(*)
           from %I group by 1, 2, 4, type
          union all
         select business_id, livemode, ''webhook_deliveries'', day_of(created_at), jsonb_build_object(''status'', status, ''type'', type), -count(*)
           from %I group by 1, 2, 4, status, type', 'events' || suffix, 'webhook_deliveries' || suffix);
      execute format('select max(position) from %I', 'events' || suffix) into place;
      -- Up to here nobody waited.
      lock table only events, only event_resends, only webhook_deliveries, only webhook_attempts in access exclusive mode;
      for n in 1 .. cardinality(bases) loop
        execute format('drop table %I', bases[n] || suffix);
      end loop;
      update event_retention set dropped_before = oldest.ends, dropped_position = greatest(dropped_position, place);
      return jsonb_build_object('did', 'dropped', 'before', oldest.ends);
    end $body$
  $create$, 'SCHEMA', quote_ident(current_schema()));
end $migration$;
revoke execute on function keep_event_partitions() from public;
comment on function keep_event_partitions is 'Does the next step of what event_retention asks for, and says what it was, and which ids it was about: those before one; null: there is none, or not now';
