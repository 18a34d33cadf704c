-- When an owner took the role from another: nothing is loosened for a time after that.
-- Understood by servers from 0096 on.
alter table businesses add column owner_removed_at timestamptz;
comment on column businesses.owner_removed_at is
  'When a person last removed another owner, or gave one a lower role; null: never. What the operator does does not count';
