-- A refund to where the money did not come from is a payout, which all that looks at payouts looks at: its end is that of the refund. One to an
-- account or an address that the money did come from is screened. Keys need a scope of its own for the former, which none has yet.
-- Servers before this one would end such a payout, and leave its refund as it was.
alter table payouts add column refund_id object_id;
comment on column payouts.refund_id is 'The refund that it is; null: it is none';

alter table refunds
  add column payout_id object_id,
  add column review jsonb,
  add constraint refunds_review check (review is null or status = 'initiated');
comment on column refunds.payout_id is 'The payout that it goes by, where it goes to where the money did not come from';
comment on column refunds.review is 'Why screening holds it, and since when; null: it does not';

alter table screening_reviews drop constraint screening_reviews_kind_check,
  add constraint screening_reviews_kind_check check (kind in ('payout', 'deposit', 'refund'));
comment on column screening_reviews.subject is 'The payout, the refund, or the transaction of the deposit, that waits';

alter table api_keys drop constraint api_keys_scopes,
  add constraint api_keys_scopes check (cardinality(scopes) > 0
    and scopes <@ '{read,collect,payout,refund,refund_elsewhere,manage,approve}'
    and not ('approve' = any (scopes) and scopes && '{payout,refund_elsewhere}'));
