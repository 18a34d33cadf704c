-- Names are compared without apostrophes, and with ASCII in place of Latin letters that Unicode does not decompose. What was folded otherwise
-- before, and is ASCII by these rules, is folded again.
-- Understood by servers from 0096 on: those before this one do not find what they would divide at an apostrophe.
with folded as (
  select distinct on (f.key, e.kind, coalesce(e.list, '')) e.id, e.kind, e.list, f.key
    from screening_entries e
   cross join lateral (
     select lower(translate(replace(replace(replace(replace(replace(
              regexp_replace(normalize(e.value, NFKD), '[\u0300-\u036f''’‘ʼʹ`´ʻʽ]', '', 'g'),
              'ß', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'),
              'øØđĐłŁðÐŋŊɓƁɗƊɖƉƙƘƴƳǝƎəƏɛƐɔƆʋƲħĦıŧŦ',
              'ooddllddnnbbddddkkyyeeeeeeoovvhhitt')) as plain) p
   cross join lateral (
     select 'name:' || string_agg(word, ' ' order by word collate "C") as key
       from regexp_split_to_table(p.plain, '[^a-z0-9]+') as word where word <> '') f
   where e.key like 'name:%' and p.plain ~ '^[ -~]*$' and f.key is not null
   order by f.key, e.kind, coalesce(e.list, ''), e.id
)
update screening_entries e set key = f.key
  from folded f
 where e.id = f.id and e.key <> f.key
   and not exists (select from screening_entries o
                    where o.key = f.key and o.kind = f.kind and coalesce(o.list, '') = coalesce(f.list, ''));

insert into customer_words (business_id, livemode, word, customer_id)
select c.business_id, c.livemode, left(w.word, 100), c.id
  from customers c
 cross join lateral (
   select lower(translate(replace(replace(replace(replace(replace(
            regexp_replace(normalize(c.name, NFKD), '[\u0300-\u036f''’‘ʼʹ`´ʻʽ]', '', 'g'),
            'ß', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'),
            'øØđĐłŁðÐŋŊɓƁɗƊɖƉƙƘƴƳǝƎəƏɛƐɔƆʋƲħĦıŧŦ',
            'ooddllddnnbbddddkkyyeeeeeeoovvhhitt')) as plain) p
 cross join lateral regexp_split_to_table(p.plain, '[^a-z0-9]+') as w (word)
 where c.name ~ '[''’‘ʼʹ`´ʻʽßæÆœŒøØđĐłŁðÐŋŊɓƁɗƊɖƉƙƘƴƳǝƎəƏɛƐɔƆʋƲħĦıŧŦ]' and c.deleted_at is null
   and p.plain ~ '^[ -~]*$' and w.word <> ''
    on conflict do nothing;
