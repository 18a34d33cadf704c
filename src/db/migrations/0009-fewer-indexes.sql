-- Indexes that a payout paid for and no read needs.

-- The ids of payouts and events carry the millisecond of their created_at: newest first is their primary key, read backwards.
drop index payouts_newest;
drop index payouts_newest_alike;
create index payouts_newest_alike on payouts (business_id, livemode,
  hashtext(currency || '/' || method || '/' || status), id desc);
drop index events_newest;
drop index events_newest_of_type;
create index events_newest_of_type on events (business_id, livemode, type, id desc);

-- Nothing asks for postings by what moved them: a record names its transaction, and the books are verified as a whole.
drop index ledger_postings_by_subject;
