-- A person who was told an account's number finds it, in whichever bank it is.

create index virtual_accounts_by_number on virtual_accounts (business_id, livemode, account_number) where account_number is not null;
