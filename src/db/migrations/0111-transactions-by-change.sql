-- What was changed since a moment is found without an index entry for each row: by a summary of each range of pages. Rows are written, and
-- changed for the last time, nearly in the order of their times. bursar ledger verify reads what was changed since the ledger was closed.
-- A migration for each table: who writes one waits until it was read once, and not for the others.
-- Understood by servers from 0096 on.
create index transactions_by_change on transactions using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
