-- Understood by servers from 0012 on.
-- What is due is claimed where it is written. Servers from 0012 make a job of a timer that another server has claimed: it then runs twice, which every task allows.
alter table timers add column claimed_by text;
comment on column timers.claimed_by is 'The worker that is running it; an advisory lock says whether that lives';
-- A claim changes no index, so with room in its page it writes none.
alter table timers set (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
comment on table timers is 'Everything that is to be done, at once or later. A row is deleted once its task has run, or in the statement that queues a job for it.';

alter table webhook_queue add column event_id object_id;
comment on column webhook_queue.event_id is 'Its event, by which the delivery''s partition is known; null: queued by a server before 0013';
update webhook_queue q set event_id = d.event_id
  from webhook_deliveries d
 where d.business_id = q.business_id and d.livemode = q.livemode and d.id = q.delivery_id;
