-- Where sealing begins. It reads all postings once, and nothing waits for it: that is why it is no part of 0120, which locks tables.
-- Understood by servers from 0096 on.
insert into sealed_postings (position, old_after, old_until)
select coalesce(min(p.position), (select position from folded_postings)),
       coalesce(min(p.id) filter (where p.position is null) - 1, 0), coalesce(max(p.id) filter (where p.position is null), 0)
  from ledger_postings p;
