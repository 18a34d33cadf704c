-- A reminder is written once, however often the job that writes it runs.

alter table mails add column reminder_day integer;
comment on column mails.reminder_day is 'how many days after the due date it reminds, below zero before; null: no reminder';
create unique index mails_reminder_once on mails (business_id, livemode, invoice_id, reminder_day)
  where reminder_day is not null;
