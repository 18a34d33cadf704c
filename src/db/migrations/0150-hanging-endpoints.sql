-- Which webhook endpoints hang, so that a worker that starts knows it without trying each.
-- Understood by servers from 0136 on.
alter table webhooks add column hangs boolean;
comment on column webhooks.hangs is
  'Whether it hangs: true since a delivery failed that had no answer for half a second, false since one succeeded; null: neither has happened';
