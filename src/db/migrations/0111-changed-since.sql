-- What was changed since a moment is found without an index entry for each row: by a summary of each range of pages. Rows are written, and
-- changed for the last time, nearly in the order of their times. bursar ledger verify reads what was changed since the ledger was closed.
-- Understood by servers from 0096 on.
create index transactions_by_change on transactions using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
create index payouts_by_change on payouts using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
create index payments_by_change on payments using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
create index payment_attempts_by_change on payment_attempts using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
create index refunds_by_change on refunds using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
create index chain_deposits_by_change on chain_deposits using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
create index invoices_by_change on invoices using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
