-- Understood by servers from 0016 on.
-- Checks the rows of what 0016 added, which blocks nothing, then builds its indexes, while which only writes to their tables wait.
alter table payout_batch_lines validate constraint payout_batch_lines_retry;
alter table invoice_lines validate constraint invoice_lines_total;
alter table invoice_lines validate constraint invoice_lines_discount;

-- A line has at most one retry that can still pay.
create unique index payout_batch_lines_retries on payout_batch_lines (business_id, livemode, retry_of_batch, retry_of_line)
  where retry_of_line is not null and status not in ('bad', 'canceled');

-- Tabs of lists: what is overdue, and what was refunded. Payments come last, so that writes to them wait the shortest time.
create index invoices_due on invoices (business_id, livemode, created_at desc, id desc) where status = 'open' and due_day is not null;
create index payments_refunded on payments (business_id, livemode, created_at desc, id desc) where amount_refunded > 0;
