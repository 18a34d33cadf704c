-- Transactions by when they were completed, which is when they were changed last: nothing changes one that is completed, so that what
-- is there already, and what older servers complete, is found as well.
-- Understood by servers from 0096 on.
create index transactions_completed on transactions (business_id, livemode, updated_at desc, id desc) where status = 'completed';
comment on column transactions.updated_at is 'When it was changed last; of one that is completed: when it was completed, as statements count it';
-- Few, and of each statement: what screening holds in a wallet is in none.
create index transactions_in_review on transactions (business_id, livemode, currency) where review is not null;
