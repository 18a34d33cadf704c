-- A verification reads what came since the ledger was last closed: it says which closing that was.
-- Understood by servers from 0096 on.
alter table ledger_verifications add closed_at timestamptz(3);
comment on column ledger_verifications.closed_at is 'When the ledger had been closed from which it read on; null: it read all of history, or it has no result';
