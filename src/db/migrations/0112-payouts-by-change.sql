-- As 0111.
-- Understood by servers from 0096 on.
create index payouts_by_change on payouts using brin (business_id, updated_at) with (pages_per_range = 32, autosummarize = on);
