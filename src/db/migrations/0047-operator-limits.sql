-- What the operator lets a business pay out at most, beside what its business has wait for a second person: payouts read both in one row.
alter table payout_limits
  add column max_payout bigint check (max_payout >= 0),
  add column max_day bigint check (max_day >= 0),
  add column max_day_starts_at timestamptz(3),
  add column max_day_amount bigint not null default 0 check (max_day_amount >= 0);
comment on column payout_limits.max_payout is 'The operator refuses a payout of more; null: none for its amount';
comment on column payout_limits.max_day is 'The operator refuses a payout that would bring a day of UTC above it; null: none';
comment on column payout_limits.max_day_starts_at is 'The day of UTC that is counted; null: the next payout sums up what its day has had';
comment on column payout_limits.max_day_amount is 'What was paid out in that day, approved or not, less what failed or was canceled';
