-- Receipts in the language that the payer had at the hosted page.

alter table payments add column language text check (language ~ '^[a-z]{2,3}$');
comment on column payments.language is 'In which the payer last sent a form of the hosted page; null: none was sent';

alter table mails add column language text check (language ~ '^[a-z]{2,3}$');
comment on column mails.language is 'In which it is written; null: English';
