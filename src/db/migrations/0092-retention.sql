-- What is kept of people for a time that a setting says is found by its age.
create index customers_deleted on customers (deleted_at) where deleted_at is not null and erased_at is null;
create index payments_with_payer on payments (created_at)
  where customer_id is null and (email is not null or payer_email is not null) and status <> 'pending';
create index mails_old on mails (created_at) where body <> '';
