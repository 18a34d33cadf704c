-- What leaves positions out after a restore leaves out those of postings too: those that were posted after it would else have positions
-- below folded_postings.position, and be in no sum.

do $migration$
declare
  base bigint;
begin
  execute format($create$
    create or replace function leave_event_positions() returns void language plpgsql
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
  -- Where data were restored meanwhile.
  select p.base from event_positions p into base;
  execute format('alter table ledger_postings alter column position set default (pg_current_xact_id()::text::bigint + %s)', base);
end $migration$;
