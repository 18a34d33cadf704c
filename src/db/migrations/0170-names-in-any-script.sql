-- Names are compared with the vowels and tones of scripts that write them as marks, and without characters that nobody sees. What was folded
-- otherwise before is folded again: the entries of the operator's own lists, and the words that customers are found by.
-- Understood by servers from 0096 on: those before this one do not find names in such scripts by their new words.
with named as (
  select id, value as name from screening_entries where key like 'name:%'
  union all
  select id, name from customers where deleted_at is null
),
-- Names with what has no width, or of a script other than Latin, Greek, Cyrillic, Arabic, Hebrew and Han.
affected as (
  select id, regexp_replace(name, '[''’‘‛′ʼʹ`´ʻʽʿʾ＇]', '', 'g') as name
    from named
   where name ~ '[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u0780-\u082d\u0900-\u109f\u135d-\u135f\u1700-\u18af\u1920-\u1cff\u3041-\u30ff\ua620-\uaaff\uabc0-\uabff\uff66-\uff9f\U00011000-\U00011fff\U0001e900-\U0001e95f]'
),
-- Without accents, points and what has no width.
plain as (
  select id, regexp_replace(
           normalize(name, NFKD),
           '[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08ff\u093c\u1cd0-\u1cd2\u1cd4-\u1ce8]',
           '', 'g') as name
    from affected
),
-- The words, in order, of which signs and blanks divide one from the next.
folded as (
  select id, array_agg(word order by word collate "C") as words
    from plain
   cross join lateral regexp_split_to_table(
           lower(translate(replace(replace(replace(replace(replace(name,
             'ß', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'),
             'øØđĐłŁðÐŋŊɓƁɗƊɖƉƙƘƴƳǝƎəƏɛƐɔƆʋƲħĦıŧŦ',
             'ooddllddnnbbddddkkyyeeeeeeoovvhhitt')),
           '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u0964\u0965\u0970\u0df4\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f17\u0f3a-\u0f3d\u104a-\u104f\u1360-\u1368\u17d4-\u17db\u1800-\u180a\u2000-\u206f\u2190-\u2bff\u3000-\u3004\u3008-\u3020\u3030\u30a0\u30fb]+') as word
   where word <> ''
   group by id
),
-- Of entries that become one, the first has its key changed.
listed as (
  select distinct on (k.key, e.kind, coalesce(e.list, '')) e.id, e.kind, e.list, k.key
    from screening_entries e join folded f on f.id = e.id
   cross join lateral (select 'name:' || array_to_string(f.words, ' ') as key) k
   order by k.key, e.kind, coalesce(e.list, ''), e.id
),
changed as (
  update screening_entries e set key = l.key
    from listed l
   where e.id = l.id and e.key <> l.key
     and not exists (select from screening_entries o
                      where o.key = l.key and o.kind = l.kind and coalesce(o.list, '') = coalesce(l.list, ''))
)
insert into customer_words (business_id, livemode, word, customer_id)
select c.business_id, c.livemode, left(w.word, 100), c.id
  from customers c join folded f on f.id = c.id cross join lateral unnest(f.words) as w (word)
    on conflict do nothing;
