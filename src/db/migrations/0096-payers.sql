-- Who sent what payments of no customer were paid with is found by its age.
-- Understood by servers from 0095 on.
create index transactions_with_payer on transactions (created_at)
  where type = 'payment' and customer_id is null and source is not null and status <> 'pending';
