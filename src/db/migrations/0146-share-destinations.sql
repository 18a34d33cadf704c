-- Where a share is paid is changed by who may manage, is written down, and cools off as a beneficiary does.
alter table distribution_shares
  add column destination_changed_at timestamptz(3),
  add column destination_changed_by jsonb,
  add column destination_usable_from timestamptz(3);
comment on column distribution_shares.destination_changed_at is 'When its destination was last named, changed or taken away; null: never since this was written down';
comment on column distribution_shares.destination_changed_by is 'Who did: {type, id, hint}; null: nobody, or a command';
comment on column distribution_shares.destination_usable_from is 'From when on it is paid out: as long after the change as beneficiaries cool off';
