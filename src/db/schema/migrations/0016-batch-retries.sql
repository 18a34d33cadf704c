-- Understood by servers from 0013 on.
-- A batch that pays again what failed of another. A line has at most one retry that can still pay.

alter table payout_batches add column retry_of object_id;
comment on column payout_batches.retry_of is 'The batch whose failed lines it pays again';

alter table payout_batch_lines
  add column retry_of_batch object_id, add column retry_of_line integer,
  add constraint payout_batch_lines_retry check ((retry_of_batch is null) = (retry_of_line is null));
comment on column payout_batch_lines.retry_of_line is 'The line of the batch retry_of_batch that it pays again';
create unique index payout_batch_lines_retries on payout_batch_lines (business_id, livemode, retry_of_batch, retry_of_line)
  where retry_of_line is not null and status not in ('bad', 'canceled');
