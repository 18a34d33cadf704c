-- Statements read the postings from a moment on, and not those before it. Postings come in the order of their times, so that a summary of
-- each range of pages is enough, and writing one costs next to nothing.
create index ledger_postings_by_time on ledger_postings using brin (business_id, posted_at)
  with (pages_per_range = 32, autosummarize = on);
