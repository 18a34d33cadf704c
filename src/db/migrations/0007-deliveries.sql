-- Webhook deliveries are claimed from a queue of their own, many in one statement, instead of being a job each. What was waiting
-- as timers and jobs moves there.

create table webhook_queue (
  business_id object_id not null,
  livemode boolean not null,
  delivery_id object_id not null,
  webhook_id object_id not null,
  due_at timestamptz(3),
  claimed_by text,
  again boolean not null default false,
  primary key (business_id, livemode, delivery_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
comment on table webhook_queue is
  'Deliveries that are to be sent: a row for each that is pending, deleted with its last try. Small, so that vacuum keeps up, where the log of deliveries only grows.';
comment on column webhook_queue.due_at is 'Null: now. Else in the time of the business and mode: a test clock that moves makes it due';
comment on column webhook_queue.claimed_by is 'The worker that is sending it; an advisory lock says whether that lives';
comment on column webhook_queue.again is 'It was resent while a try was under way: that try counts for nothing';
create index webhook_queue_ready on webhook_queue (business_id, livemode, webhook_id, delivery_id)
  where due_at is null and claimed_by is null;
create index webhook_queue_claimed on webhook_queue (claimed_by) where claimed_by is not null;
create index webhook_queue_due on webhook_queue (due_at) where due_at is not null;
create index webhook_queue_due_of_business on webhook_queue (business_id, livemode, due_at) where due_at is not null;

-- Room for the version that a try leaves beside the one before: no index needs a new entry then.
alter table webhook_deliveries set (fillfactor = 60);

do $$
declare
  jobs text := '';
begin
  -- Where the job queue is younger than this migration, there is nothing in it.
  if to_regclass('graphile_worker._private_jobs') is not null then
    jobs := 'union
       select j.payload ->> ''business_id'', (j.payload ->> ''livemode'')::boolean, j.payload ->> ''event_id''
         from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = ''webhooks.dispatch''';
  end if;
  execute format(
    'insert into webhook_deliveries (business_id, livemode, id, event_id, webhook_id, type, url, status, next_attempt_at,
                                     created_at, updated_at)
     select e.business_id, e.livemode, left(e.id, 8) || left(encode(sha256((e.id || w.id)::bytea), ''hex''), 16), e.id, w.id, e.type,
            w.url, ''pending'', e.created_at, e.created_at, e.created_at
       from (select business_id::text, livemode, payload ->> ''event_id'' as event_id from timers where task = ''webhooks.dispatch'' %s) told
       join events e on e.business_id = told.business_id and e.livemode = told.livemode and e.id = told.event_id
       join webhooks w on w.business_id = e.business_id and w.livemode = e.livemode
      where w.active and w.deleted_at is null and w.events && array[e.type, ''*''] and e.metadata @> w.metadata_filter
     on conflict (business_id, livemode, event_id, webhook_id) do nothing', jobs);
  delete from timers where task like 'webhooks.%';
  if jobs <> '' then
    delete from graphile_worker._private_jobs
     where task_id in (select id from graphile_worker._private_tasks where identifier like 'webhooks.%');
  end if;
end $$;

-- Deliveries of one endpoint were the only jobs that had to run one by one.
alter table timers drop column queue;

insert into webhook_queue (business_id, livemode, delivery_id, webhook_id, due_at)
select business_id, livemode, id, webhook_id, next_attempt_at from webhook_deliveries where status = 'pending';
