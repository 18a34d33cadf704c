-- Events, their deliveries, the attempts of these and resends become tables in partitions by ranges of their ids, which begin with the second they were
-- made at: what is older than a set time is dropped as a whole then. What is there becomes the first partition as it is, without being read or
-- written again under a lock. For that it must be known to end somewhere: this says so of what comes, 0101 checks what is there, and 0102 makes the
-- partitions. Ids of test clocks that run ahead are of the future: the bound is a month at least after the furthest.
-- Understood by servers from 0096 on.
create function ids_from(at timestamptz) returns text immutable language sql as
  $$ select lpad(to_hex(floor(extract(epoch from at))::bigint), 8, '0') || repeat('0', 16) $$;
comment on function ids_from is 'What parts ids by a time, in whole seconds: none of that time or later is before it';

create function ids_begin(id text) returns timestamptz immutable language sql as
  $$ select to_timestamp(('x' || left(id, 8))::bit(32)::bigint) $$;
comment on function ids_begin is 'The second that an id was made at';

do $$
declare
  bound text := (select ids_from((date_trunc('month', (now() + coalesce(max(greatest(offset_ms, 0)), 0) * interval '1 millisecond') at time zone 'utc')
                                  + interval '2 months') at time zone 'utc')
                   from test_clocks);
begin
  execute format('alter table events add constraint events_first_range check (id < %L) not valid', bound);
  execute format('alter table event_resends add constraint event_resends_first_range check (id < %L) not valid', bound);
  execute format('alter table webhook_deliveries add constraint webhook_deliveries_first_range check (event_id < %L) not valid', bound);
  execute format('alter table webhook_attempts add constraint webhook_attempts_first_range check (delivery_id < %L) not valid', bound);
end $$;
