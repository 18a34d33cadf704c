-- Orders out may come back after they arrived, and a payout that its rail refused for now is pending again.

alter table payouts drop constraint payouts_status_check;
alter table payouts
  add column sent_at timestamptz(3),
  add column return_transaction_id object_id,
  add constraint payouts_status_check
    check (status in ('pending', 'processing', 'completed', 'failed', 'canceled', 'returned')),
  add constraint payouts_returned check ((status = 'returned') = (return_transaction_id is not null));
comment on column payouts.sent_at is 'When it was last sent to its rail, in the time of the rail. It may be on its way for a while';
comment on column payouts.return_transaction_id is 'The transaction by which the money came back that had arrived';

alter table refunds
  add column sent_at timestamptz(3),
  add column return_transaction_id object_id,
  add constraint refunds_returned check (return_transaction_id is null or status = 'failed');
comment on column refunds.sent_at is 'When it was last sent to its rail, in the time of the rail; null after the rail refused it for now';
comment on column refunds.return_transaction_id is 'Of one that failed after it had completed: the transaction by which the money came back';

alter table distribution_settlements
  add column returned bigint not null default 0,
  add constraint distribution_settlements_returned check (returned between 0 and amount);
update distribution_settlements set returned = amount where failed;
alter table distribution_settlements drop column failed;
comment on table distribution_settlements is 'Payouts of what shares had accrued; one that comes back brings it back.';
comment on column distribution_settlements.returned is 'What the share has again: all of a payout that failed or was canceled, and what had arrived of one that was returned';

alter table sandbox_orders add column returned text;
comment on column sandbox_orders.returned is 'Why a completed order came back; null: it did not';

-- What the sandbox keeps until it is simulated was never asked about again.
insert into timers (business_id, livemode, id, due_at, task, subject, payload)
select business_id, livemode, substr(md5('payouts.ask' || id), 1, 24), updated_at, 'payouts.ask', id, jsonb_build_object('payout_id', id)
  from payouts p
 where status = 'processing' and rail = 'sandbox' and not exists (select from timers t where t.subject = p.id);
insert into timers (business_id, livemode, id, due_at, task, subject, payload)
select business_id, livemode, substr(md5('refunds.settle' || id), 1, 24), updated_at, 'refunds.settle', id, jsonb_build_object('refund_id', id)
  from refunds r
 where status = 'initiated' and rail = 'sandbox' and not exists (select from timers t where t.subject = r.id);
