-- Servers before it do not start on this schema: an edit of a draft there drops discounts and lines without a product.
-- Only short locks are taken here: 0017 checks the rows and builds the indexes.

-- A batch that pays again what failed of another. A line has at most one retry that can still pay.

alter table payout_batches add column retry_of object_id;
comment on column payout_batches.retry_of is 'The batch whose failed lines it pays again';

alter table payout_batch_lines
  add column retry_of_batch object_id, add column retry_of_line integer,
  add constraint payout_batch_lines_retry check ((retry_of_batch is null) = (retry_of_line is null)) not valid;
comment on column payout_batch_lines.retry_of_line is 'The line of the batch retry_of_batch that it pays again';

-- Lines of invoices that are of no product, and lines with a discount.
alter table invoice_lines alter column product_id drop not null;
alter table invoice_lines
  add column discount bigint not null default 0, add column discount_bps integer, drop constraint invoice_lines_check,
  add constraint invoice_lines_total check (total = amount * quantity - discount and total >= 0) not valid,
  add constraint invoice_lines_discount check (discount >= 0 and discount_bps between 0 and 10000) not valid;
comment on column invoice_lines.discount is 'What of amount × quantity is not asked for';
comment on column invoice_lines.discount_bps is 'The share that the discount is, in hundredths of a percent; null if it was given as an amount';

-- Mails of credit notes.
alter table mails add column credit_note_id object_id;
alter table credit_notes add column sent_at timestamptz(3);
