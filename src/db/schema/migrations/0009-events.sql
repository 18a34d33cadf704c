-- Events and the webhooks that deliver them. Events, their deliveries, attempts and resends are partitioned by ranges of ids, which begin with the second of their making:
-- what is older than a set time is dropped as a whole.

-- Erasure ------------------------------------------------------------------------------------------------------------
-- Events stay append-only for everybody else, and nothing of them changes but what is personal.

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

-- Events -------------------------------------------------------------------------------------------------------------
create table events (
  business_id object_id not null, livemode boolean not null, id object_id not null, type text not null, body text not null, metadata jsonb not null default '{}',
  created_at timestamptz(3) not null, position bigint not null default (pg_current_xact_id()::text::bigint + 0), customer_id object_id, sealed bytea,
  primary key (business_id, livemode, id)) partition by range (id);
comment on table events is 'What happened, written in the transaction in which it happened.';
comment on column events.body is 'The exact text that webhooks send and sign';
comment on column events.position is 'Its transaction''s place. Below event_horizon() no event can appear any more';
comment on column events.customer_id is 'Whom the payload says something personal of; null: nobody';
comment on column events.sealed is 'What it says, by its place in the payload, sealed under the customer''s key; the body has stand-ins';
create index events_by_position on events (position);
create index events_newest_of_type on events (business_id, livemode, type, id desc);
create index events_of_customer on events (business_id, livemode, customer_id, id) where customer_id is not null;
select count_list('events', '{type}');
create trigger events_kept before truncate on events for each statement execute function refuse_change();
create trigger events_unchanged before update on events for each statement execute function refuse_rewriting();
create trigger events_unchanged_each before update on events for each row execute function refuse_rewriting();
create trigger events_stay before delete on events for each statement execute function refuse_removal();
create trigger events_stay_each before delete on events for each row execute function refuse_removal();

create table event_resends (
  business_id object_id not null, livemode boolean not null, position bigint not null default event_position(), id object_id not null, event_id object_id not null,
  primary key (business_id, livemode, position, id)) partition by range (id);
comment on table event_resends is 'Events that were sent again: the stream of events shows them once more, here.';
create trigger event_resends_unchanged before update on event_resends for each statement execute function refuse_change();
create trigger event_resends_kept before truncate on event_resends for each statement execute function refuse_change();
create trigger event_resends_stay before delete on event_resends for each statement execute function refuse_removal();
create trigger event_resends_stay_each before delete on event_resends for each row execute function refuse_removal();

-- Samples try an endpoint out and are no events, so the list of events, its count and the stream need not leave them out.
create table sample_events (
  business_id object_id not null, livemode boolean not null, id object_id not null, type text not null, body text not null, metadata jsonb not null default '{}',
  created_at timestamptz(3) not null, primary key (business_id, livemode, id));
comment on table sample_events is 'What was sent to try an endpoint out. Deliveries refer to it as they do to events.';
comment on column sample_events.body is 'The exact text that webhooks send and sign; its payload ends with test: true';
create trigger sample_events_unchanged before update on sample_events for each statement execute function refuse_rewriting();
create trigger sample_events_unchanged_each before update on sample_events for each row execute function refuse_rewriting();
create trigger sample_events_kept before truncate on sample_events for each statement execute function refuse_change();
create trigger sample_events_stay before delete on sample_events for each statement execute function refuse_removal();
create trigger sample_events_stay_each before delete on sample_events for each row execute function refuse_removal();

-- Webhooks -----------------------------------------------------------------------------------------------------------
create table webhooks (
  business_id object_id not null, livemode boolean not null, id object_id not null, url text not null, description text, events text[] not null,
  metadata_filter jsonb not null default '{}', active boolean not null, secret bytea not null, previous_secret bytea, previous_secret_until timestamptz(3),
  metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null, deleted_at timestamptz(3), hangs boolean,
  primary key (business_id, livemode, id));
comment on table webhooks is 'Where a business wants its events sent. Secrets are sealed with SECRETS_KEY.';
comment on column webhooks.hangs is 'Whether it hangs: true since a delivery failed that had no answer for half a second, false since one succeeded; null: neither has happened';

create table webhook_deliveries (
  business_id object_id not null, livemode boolean not null, id object_id not null, event_id object_id not null, webhook_id object_id not null, type text not null,
  url text not null, status text not null check (status in ('pending', 'succeeded', 'failed')), tries integer not null default 0, next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  unique (business_id, livemode, event_id, webhook_id)) partition by range (event_id);
comment on table webhook_deliveries is 'One row per event and endpoint: where the delivery stands.';
comment on column webhook_deliveries.tries is 'Tries since the event or its last resend; the retry waits are counted by it';
create index webhook_deliveries_newest_of_webhook on webhook_deliveries (business_id, livemode, webhook_id, created_at desc, id desc);
create index webhook_deliveries_newest on webhook_deliveries (business_id, livemode, created_at desc, id desc);
create index webhook_deliveries_newest_alike on webhook_deliveries (business_id, livemode, hashtext(status || '/' || type), created_at desc, id desc);
select count_list('webhook_deliveries', '{status,type}');

create table webhook_attempts (
  business_id object_id not null, livemode boolean not null, delivery_id object_id not null, number integer not null, at timestamptz(3) not null,
  response_status integer, response_body text, duration_ms integer not null, error text, primary key (business_id, livemode, delivery_id, number))
  partition by range (delivery_id);
comment on table webhook_attempts is 'Every try of a delivery, with what came back.';

-- A dispatcher claims many deliveries in one statement.
create table webhook_queue (
  business_id object_id not null, livemode boolean not null, delivery_id object_id not null, webhook_id object_id not null, due_at timestamptz(3), claimed_by text,
  again boolean not null default false, primary key (business_id, livemode, delivery_id))
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
comment on table webhook_queue is 'Deliveries that are to be sent: a row for each that is pending, deleted with its last try. Small, so that vacuum keeps up, where the log of deliveries only grows.';
comment on column webhook_queue.due_at is 'Null: now. Else in the time of the business and mode: a test clock that moves makes it due';
comment on column webhook_queue.claimed_by is 'The worker that is sending it; an advisory lock says whether that lives';
comment on column webhook_queue.again is 'It was resent while a try was under way: that try counts for nothing';
create index webhook_queue_ready on webhook_queue (business_id, livemode, webhook_id, delivery_id) where due_at is null and claimed_by is null;
create index webhook_queue_claimed on webhook_queue (claimed_by) where claimed_by is not null;
create index webhook_queue_due on webhook_queue (due_at) where due_at is not null;
create index webhook_queue_due_of_business on webhook_queue (business_id, livemode, due_at) where due_at is not null;

create table webhook_outages (
  business_id object_id not null, livemode boolean not null, webhook_id object_id not null, opened_at timestamptz(3) not null,
  primary key (business_id, livemode, webhook_id),
  foreign key (business_id, livemode, webhook_id) references webhooks (business_id, livemode, id));
comment on table webhook_outages is 'Endpoints that take nothing, from when the team was to be told of it until something came.';

-- Partitions ------------------------------------------------------------------------------------------------------
-- Events, deliveries, attempts and resends in partitions. The tables of before become the first ones, with their indexes, and new tables take their
-- names: nothing is read or written for it. Deliveries are parted by their event's id, as they are unique by event and endpoint; attempts by their
-- delivery's, which is of the event's second or later. What no other partition takes, as of test clocks that run ahead, goes to the default ones.
create function make_event_partition(base text, part text) returns void language plpgsql as $body$
declare
  granted record;
begin
  execute format('create table %I (like %I including defaults including constraints including storage including compression)', part, base);
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

-- What no other partition takes, such as ids of test clocks that run ahead, goes to the default ones.
do $migration$
declare
  bound constant text := ids_from((date_trunc('month', now() at time zone 'utc') + interval '2 months') at time zone 'utc');
  base text;
begin
  foreach base in array array['events', 'event_resends', 'webhook_deliveries', 'webhook_attempts'] loop
    perform make_event_partition(base, base || '_first');
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', base, base || '_first', bound);
    perform make_event_partition(base, base || '_ahead');
    execute format('alter table %I attach partition %I default', base, base || '_ahead');
  end loop;
end $migration$;
select identify_deliveries(part) from unnest(array['webhook_deliveries', 'webhook_deliveries_first', 'webhook_deliveries_ahead']) as made (part);

-- Retention -------------------------------------------------------------------------------------------------------
-- Partitions of events are made ahead of time, and dropped once they are older than EVENTS_KEEP. The server asks for it in this row; a function of the owner
-- changes the tables, one step at a time. It waits at most 200 ms for a lock, because other statements queue behind it. Before a partition is dropped it is closed: its rows
-- are counted while none of them changes.
create table event_retention (
  one boolean primary key default true check (one), attach_until timestamptz(3), monthly boolean not null default true, keep_from timestamptz(3),
  closed_before text collate "C" not null default '', dropped_before text collate "C" not null default '', dropped_position bigint not null default 0,
  analyzed_before text collate "C" not null default '');
comment on table event_retention is 'One row. What keep_event_partitions() is to do, and how far it has come.';
comment on column event_retention.attach_until is 'New partitions are made until there is one for ids of this time';
comment on column event_retention.monthly is 'They are of a month each; else of a year, where nothing is to be dropped';
comment on column event_retention.keep_from is 'Partitions that end before are dropped; null: none';
comment on column event_retention.closed_before is 'Events with lower ids are sent no more: they, and their deliveries, do not change until they are dropped';
comment on column event_retention.dropped_before is 'Events with lower ids are gone';
comment on column event_retention.dropped_position is 'The last place in the stream that an event had which is gone';
comment on column event_retention.analyzed_before is 'The end of the newest partition when PostgreSQL last looked at all of them: by itself it looks at each alone';
create trigger event_retention_of_owner before insert or delete or truncate or
  update of one, closed_before, dropped_before, dropped_position, analyzed_before on event_retention
  for each statement execute function refuse_to_servers();
insert into event_retention default values;

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

-- Positions after a restart or a restore ---------------------------------------------------------------------------
-- The server changes defaults of tables by functions of their owner, which take nothing from the caller: no argument, and no name by its search_path.
do $migration$
begin
  execute format($create$
    create function keep_event_positions() returns void language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      highest bigint;
      next bigint;
    begin
      -- Of several servers that start, one at a time.
      perform from %1$I.event_positions for update;
      select greatest((select max(position) from %1$I.events), (select max(position) from %1$I.event_resends),
                      (select position from %1$I.folded_postings),
                      (select max(position) from %1$I.ledger_postings where position >= (select position from %1$I.folded_postings)))
        into highest;
      select base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint from %1$I.event_positions into next;
      if highest >= next then
        update %1$I.event_positions set base = base + highest + 1 - next;
        execute format('alter table %1$I.events alter column position set default (pg_current_xact_id()::text::bigint + %%s)',
                       (select base from %1$I.event_positions));
        execute format('alter table %1$I.ledger_postings alter column position set default (pg_current_xact_id()::text::bigint + %%s)',
                       (select base from %1$I.event_positions));
      end if;
    end $body$
  $create$, current_schema());
end $migration$;
revoke execute on function keep_event_positions() from public;
comment on function keep_event_positions is 'Called at each start: keeps new positions above those that are stored';

do $migration$
begin
  execute format($create$
    create function leave_event_positions() returns void language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    begin
      perform from %1$I.event_positions for update;
      -- More than any server writes between two backups, and less than a number of JSON can hold by far.
      update %1$I.event_positions set base = base + 1000000000;
      -- Postings first, as whoever moves money writes them first.
      execute format('alter table %1$I.ledger_postings alter column position set default (pg_current_xact_id()::text::bigint + %%s)',
                     (select base from %1$I.event_positions));
      execute format('alter table %1$I.events alter column position set default (pg_current_xact_id()::text::bigint + %%s)',
                     (select base from %1$I.event_positions));
    end $body$
  $create$, current_schema());
end $migration$;
revoke execute on function leave_event_positions() from public;
comment on function leave_event_positions is 'After a restore: new positions are above those that readers of the lost events have seen';
