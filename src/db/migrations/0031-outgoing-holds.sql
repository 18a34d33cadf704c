-- After data were restored from a backup, nothing is sent until a person says so: what the rails were sent since the backup is not
-- in these tables. And what was given out since then must not be given out again.

create table outgoing_holds (
  id object_id primary key,
  reason text not null check (reason in ('restored', 'operator')),
  data_of timestamptz(3) check (data_of is null or reason = 'restored'),
  placed_at timestamptz(3) not null,
  released_at timestamptz(3),
  released_by text,
  check ((released_at is null) = (released_by is null))
);
comment on table outgoing_holds is 'While one is open, no order to pay is sent to a rail outside. The installation''s: it belongs to no business.';
comment on column outgoing_holds.data_of is 'Until when the restored data reach: what was committed before is there. Null where nobody knows';

do $migration$
begin
  execute format($create$
    create function leave_event_positions() returns void language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    begin
      perform from %1$I.event_positions for update;
      -- More than any server writes between two backups, and less than a number of JSON can hold by far.
      update %1$I.event_positions set base = base + 1000000000;
      execute format('alter table %1$I.events alter column position set default (pg_current_xact_id()::text::bigint + %%s)',
                     (select base from %1$I.event_positions));
    end $body$
  $create$, current_schema());
end $migration$;
revoke execute on function leave_event_positions() from public;
comment on function leave_event_positions is 'After a restore: new positions are above those that readers of the lost events have seen';
