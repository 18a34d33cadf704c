-- Why an order that money goes out by is not sent, and since when: its timeline says so.
-- Understood by servers from 0096 on: those before this one leave it as it is.
alter table payouts add column waits jsonb;
alter table refunds add column waits jsonb;
