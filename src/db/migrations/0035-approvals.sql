-- What a business's payouts may be without a second person, and which of them wait for one.

create table payout_limits (
  business_id object_id not null references businesses,
  livemode boolean not null,
  currency text not null,
  above_payout bigint check (above_payout >= 0),
  above_day bigint check (above_day >= 0),
  approval_ms bigint not null check (approval_ms > 0),
  day_starts_at timestamptz(3),
  day_ends_at timestamptz(3),
  day_amount bigint not null default 0 check (day_amount >= 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (business_id, livemode, currency),
  check ((day_starts_at is null) = (day_ends_at is null) and day_starts_at < day_ends_at),
  check (above_day is null or day_ends_at is not null)
);
comment on table payout_limits is 'Above what payouts of a wallet wait for a second person. Changed with the wallet locked; what holds for all currencies stands in each row.';
comment on column payout_limits.above_payout is 'A payout of more waits; null: none does for its amount';
comment on column payout_limits.above_day is 'A payout waits that would bring what a day sends without approval above it; null: none does';
comment on column payout_limits.approval_ms is 'How long a payout waits before it is given back';
comment on column payout_limits.day_starts_at is 'The day that is counted: of the business''s time zone as it was when the day began';
comment on column payout_limits.day_amount is 'What was paid out in that day without approval, less what failed or was canceled';

-- An approval is a part of its payout: null and none cost those nothing that need none.
alter table payouts
  add column approval text not null default 'none' check (approval in ('none', 'waiting', 'approved', 'refused')),
  add column approval_details jsonb,
  add constraint payouts_approval_details check ((approval = 'none') = (approval_details is null)),
  add constraint payouts_approval_status check (
    approval in ('none', 'approved') or (approval = 'waiting' and status = 'pending') or (approval = 'refused' and status = 'canceled'));
comment on column payouts.approval_details is 'Why it needs a second person, who made it, until when, and who has decided';
-- Also the payouts of a day that were counted are read by the primary key.
create index payouts_approvals on payouts (business_id, livemode, approval, id desc) where approval <> 'none';

alter table api_keys
  add column root_id object_id,
  add column made_by object_id;
comment on column api_keys.root_id is 'The first key of the rolls that led to it; null: there were none. What one of them made, none of them approves';
comment on column api_keys.made_by is 'The person who made it; null: the operator';
