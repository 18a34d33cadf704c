-- The role that serves need not own the tables. What the server changes of tables by itself it asks of a function of their
-- owner, which takes nothing from its caller: no argument, and no name by the caller's search_path. Privileges are no part of
-- the migrations: `src/db/roles.ts` grants them, after each.

do $migration$
begin
  execute format($create$
    create or replace function keep_event_positions() returns void language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      highest bigint;
      next bigint;
    begin
      -- Of several servers that start, one at a time.
      perform from %1$I.event_positions for update;
      select greatest((select max(position) from %1$I.events), (select max(position) from %1$I.event_resends)) into highest;
      select base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint from %1$I.event_positions into next;
      if highest >= next then
        update %1$I.event_positions set base = base + highest + 1 - next;
        execute format('alter table %1$I.events alter column position set default (pg_current_xact_id()::text::bigint + %%s)',
                       (select base from %1$I.event_positions));
      end if;
    end $body$
  $create$, current_schema());
end $migration$;
revoke execute on function keep_event_positions() from public;

-- What was emitted stays: until now only changes of it were refused.
create trigger events_kept before delete or truncate on events for each statement execute function refuse_change();
create trigger event_resends_kept before delete or truncate on event_resends
  for each statement execute function refuse_change();
