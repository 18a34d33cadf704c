-- Identity documents whose answer comes later, and refunds by the rail that took the money.

alter table customer_documents drop constraint customer_documents_status_check;
alter table customer_documents
  add constraint customer_documents_status_check check (status in ('pending', 'verified', 'failed')),
  add column rail text,
  add column bank_account bytea,
  add column sent_at timestamptz(3),
  add column accepted_at timestamptz(3),
  add constraint customer_documents_pending check (status <> 'pending' or rail is not null),
  add constraint customer_documents_account check (bank_account is null or status = 'pending');
comment on column customer_documents.rail is 'Who verifies it; null: the sandbox did, at once';
comment on column customer_documents.bank_account is 'Sealed as the number is: the account that a rail holds the number against. Null once it is answered';
comment on column customer_documents.sent_at is 'When it was last sent to its rail, in the time of the rail; null: it is still to be sent';
comment on column customer_documents.accepted_at is 'When the rail said that it looks into it';
create index customer_documents_pending on customer_documents (business_id, livemode, customer_id) where status = 'pending';

alter table refunds add column submissions integer not null default 1;
comment on column refunds.submissions is 'Under which number it is sent: one more after each time that its rail has certainly refused it for now';
