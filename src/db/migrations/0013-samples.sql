-- Samples, which try a webhook endpoint out, are no events: nothing happened. They get a table of their own, so that the
-- list of events, its count and the stream need not leave them out.

create table sample_events (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  type text not null,
  body text not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, id)
);
comment on table sample_events is 'What was sent to try an endpoint out. Deliveries refer to it as they do to events.';
comment on column sample_events.body is 'The exact text that webhooks send and sign; its payload ends with test: true';
create trigger sample_events_unchanged before update or delete or truncate on sample_events
  for each statement execute function refuse_change();

do $$
declare
  kept record;
begin
  -- Where a later migration was applied before this one, events refuse to be deleted.
  for kept in select tgrelid::regclass as list, tgname as name from pg_trigger
               where tgname in ('events_kept', 'event_resends_kept')
                 and tgrelid in ('events'::regclass, 'event_resends'::regclass) loop
    execute format('alter table %s disable trigger %I', kept.list, kept.name);
  end loop;

  -- No record has a field `test`, and the samples' was written last: no event's text ends so.
  with moved as (
    delete from events where body like '%"test":true}}'
    returning business_id, livemode, id, type, body, metadata, created_at
  )
  insert into sample_events (business_id, livemode, id, type, body, metadata, created_at) select * from moved;
  delete from event_resends r using sample_events s
   where r.business_id = s.business_id and r.livemode = s.livemode and r.event_id = s.id;

  for kept in select tgrelid::regclass as list, tgname as name from pg_trigger
               where tgname in ('events_kept', 'event_resends_kept')
                 and tgrelid in ('events'::regclass, 'event_resends'::regclass) loop
    execute format('alter table %s enable trigger %I', kept.list, kept.name);
  end loop;
end $$;
