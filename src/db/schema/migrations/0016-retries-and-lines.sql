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

-- Lines of invoices that are of no product, and lines with a discount.
alter table invoice_lines alter column product_id drop not null;
alter table invoice_lines
  add column discount bigint not null default 0 check (discount >= 0), add column discount_bps integer check (discount_bps between 0 and 10000),
  drop constraint invoice_lines_check, add constraint invoice_lines_total check (total = amount * quantity - discount and total >= 0);
comment on column invoice_lines.discount is 'What of amount × quantity is not asked for';
comment on column invoice_lines.discount_bps is 'The share that the discount is, in hundredths of a percent; null if it was given as an amount';

-- Mails of credit notes.
alter table mails add column credit_note_id object_id;
alter table credit_notes add column sent_at timestamptz(3);

-- Tabs of lists: what is overdue, and what was refunded.
create index invoices_due on invoices (business_id, livemode, created_at desc, id desc) where status = 'open' and due_day is not null;
create index payments_refunded on payments (business_id, livemode, created_at desc, id desc) where amount_refunded > 0;
