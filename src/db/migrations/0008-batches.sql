-- What the hot paths need: payouts are written in batches, many a second, and many of them on one wallet.

-- The check of a foreign key looks the account up for every posting, past all dead versions of a busy wallet's row. Postings are
-- written in the transaction that has locked their accounts, accounts are never deleted, and `bursar ledger verify`
-- holds every posting against its accounts.
alter table ledger_postings drop constraint ledger_postings_business_id_livemode_debit_account_fkey;
alter table ledger_postings drop constraint ledger_postings_business_id_livemode_credit_account_fkey;

-- The same refusals as before, without a call for each change of a balance.
drop trigger ledger_accounts_only_balance on ledger_accounts;
create trigger ledger_accounts_only_balance
  before update of business_id, livemode, id, purpose, currency, subject, overdraft or delete on ledger_accounts
  for each row execute function refuse_account_change();

-- Room for the next version of a row beside it: a balance that changes needs no new index entries then.
alter table ledger_accounts set (fillfactor = 70);
