-- What several processes need in common: a rate limit that is counted once, and events in an order in which none can be
-- missed.

-- The rate limit -----------------------------------------------------------------------------------------------------

create unlogged table rate_limits (
  key text primary key,
  used bigint not null,
  granted integer not null,
  resets_at timestamptz(3) not null
) with (fillfactor = 50);
comment on table rate_limits is 'Requests by address in its current window. Unlogged: a crash of PostgreSQL forgets the counts.';
comment on column rate_limits.used is 'What was given out to processes, whether they have used it yet or not; never more than the limit';
comment on column rate_limits.granted is 'What the latest statement to ask was given of what it wanted';
create index rate_limits_oldest on rate_limits (resets_at);

-- Events in the order of their commits -------------------------------------------------------------------------------

create table event_positions (
  one boolean primary key default true check (one),
  base bigint not null
);
comment on table event_positions is 'One row. A position is the writing transaction''s number plus this base.';
comment on column event_positions.base is 'Raised when transaction numbers start again below what is stored, as after pg_restore';
insert into event_positions (base) values (0);

-- The default holds the base as a number: to look it up would cost more than the whole insert.
alter table events add column position bigint not null default (pg_current_xact_id()::text::bigint + 0);
comment on column events.position is 'Its transaction''s place. Below event_horizon() no event can appear any more';
create index events_by_position on events (position);

create function event_position() returns bigint stable language sql as
  'select base + pg_current_xact_id()::text::bigint from event_positions';
comment on function event_position is 'The position of what this transaction writes';

create function event_horizon() returns bigint stable language sql as
  'select base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint from event_positions';
comment on function event_horizon is 'Every transaction with a position below has ended, and what it committed can be seen';

create table event_resends (
  business_id object_id not null,
  livemode boolean not null,
  position bigint not null default event_position(),
  id object_id not null,
  event_id object_id not null,
  primary key (business_id, livemode, position, id)
);
comment on table event_resends is 'Events that were sent again: the stream of events shows them once more, here.';
create trigger event_resends_unchanged before update on event_resends
  for each statement execute function refuse_change();

create function keep_event_positions() returns void language plpgsql as $$
declare
  highest bigint;
  next bigint;
begin
  select greatest((select max(position) from events), (select max(position) from event_resends)) into highest;
  select base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint from event_positions into next;
  if highest >= next then
    update event_positions set base = base + highest + 1 - next;
    execute format('alter table events alter column position set default (pg_current_xact_id()::text::bigint + %s)',
                   (select base from event_positions));
  end if;
end $$;
comment on function keep_event_positions is 'Called at each start: keeps new positions above those that are stored';
