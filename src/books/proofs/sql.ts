import { batchOf, replanned, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

/** The business and mode of a chain. */
export type Owner = { business_id: Id; livemode: boolean }

/** A posting with its accounts in words; a deleted account has none. */
export type PostingRow = Owner & {
  id: bigint
  position: bigint
  debit_purpose: string | null
  debit_currency: string | null
  debit_subject: string | null
  credit_purpose: string | null
  credit_currency: string | null
  credit_subject: string | null
  amount: bigint
  currency: string
  kind: string
  subject: Id
  transaction_id: Id
  posted_at: Date
}

const selectPostings = `
   select p.business_id, p.livemode, p.id, p.position, p.amount, p.currency, p.kind, p.subject, p.transaction_id,
          p.posted_at, d.purpose as debit_purpose, d.currency as debit_currency, d.subject as debit_subject,
          c.purpose as credit_purpose, c.currency as credit_currency, c.subject as credit_subject
     from ledger_postings p
     left join ledger_accounts d on d.business_id = p.business_id and d.livemode = p.livemode and d.id = p.debit_account
     left join ledger_accounts c on c.business_id = p.business_id and c.livemode = p.livemode and c.id = p.credit_account`
const inOrder = 'order by p.business_id, p.livemode, p.position, p.id'

export type Bookmark = { position: bigint; day: string | null }
const bookmark = 'select position, day::text from sealed_postings'

/** Returns no row while another process seals. */
export const lockBookmark = sqlOfAll<Bookmark>(
  'proofs.lock_bookmark',
  `${bookmark} for update skip locked`,
)
export const waitForBookmark = sqlOfAll<Bookmark>(
  'proofs.wait_for_bookmark',
  `${bookmark} for update`,
)
export const selectBookmark = sqlOfAll<Bookmark>('proofs.select_bookmark', bookmark)
export const moveBookmark = sqlOfAll(
  'proofs.move_bookmark',
  'update sealed_postings set position = $1, day = $2::date',
)

/**
 * No posting can appear below this position: sums reach only below `event_horizon()`, and
 * `keep_event_positions()` keeps new positions above it, also on a restored database.
 */
export const selectSettled = sqlOfAll<{ position: bigint }>(
  'proofs.select_settled',
  'select position from folded_postings',
)

/** The businesses whose test postings are in a window of positions. */
export const selectTesters = replanned(
  sqlOfAll<{ business_id: Id }>(
    'proofs.select_testers',
    `select distinct business_id from ledger_postings
      where not livemode and position >= $1 and position < $2`,
  ),
)

/** The first position from `$1` and below `$2` that has postings. */
export const selectFirst = replanned(
  sqlOfAll<{ position: bigint | null }>(
    'proofs.select_first',
    'select min(position) as position from ledger_postings where position >= $1 and position < $2',
  ),
)

/**
 * Opens a cursor over the postings of the positions from `$1` up to `$2` in sealing order, for
 * `fetchSettled`. A position is a transaction and may have many postings.
 */
export const openWindow = replanned(
  sqlOfAll(
    'proofs.open_window',
    `declare settled_postings no scroll cursor for ${selectPostings} where p.position >= $1 and p.position < $2 ${inOrder}`,
  ),
)

/** How many of them are fetched at once. */
export const settledAtOnce = 1_000
export const fetchSettled = sqlOfAll<PostingRow>(
  'proofs.fetch_settled',
  `fetch ${settledAtOnce} from settled_postings`,
)

export const insertSalts = sqlOfMany(
  'proofs.insert_salts',
  `insert into seal_salts (business_id, livemode, salt)
   select business_id, livemode, decode(salt, 'hex')
     from unnest($1::text[], $2::boolean[], $3::text[]) as new (business_id, livemode, salt)
    where not exists (select from seal_salts s where s.business_id = new.business_id and s.livemode = new.livemode)
   on conflict do nothing`,
)

/** The last seal of each of these chains. */
export const selectEnds = sqlOfMany<
  Owner & { salt: Buffer; number: bigint | null; hash: Buffer | null }
>(
  'proofs.select_ends',
  `select s.business_id, s.livemode, s.salt, last.number, last.hash
     from unnest($1::text[], $2::boolean[]) as asked (business_id, livemode)
     join seal_salts s using (business_id, livemode)
     left join lateral (select number, hash from posting_seals p
                         where p.business_id = asked.business_id and p.livemode = asked.livemode
                         order by day desc, number desc limit 1) last on true`,
)

export type NewSeal = Owner & {
  day: string
  number: bigint
  through_position: bigint
  through_id: bigint
  postings: number
  root: string
  previous: string
  hash: string
  leaves: string
  sealed_at: Date
}
export const newSeals = batchOf<NewSeal>(
  `business_id text, livemode boolean, day date, number bigint, through_position bigint, through_id bigint, postings integer, root text,
   previous text, hash text, leaves text, sealed_at timestamptz`,
)
export const insertSeals = sqlOfMany(
  'proofs.insert_seals',
  `insert into posting_seals
          (business_id, livemode, day, number, through_position, through_id, postings, root, previous, hash, leaves, sealed_at)
   select business_id, livemode, day, number, through_position, through_id, postings, decode(root, 'hex'), decode(previous, 'hex'),
          decode(hash, 'hex'), decode(leaves, 'hex'), sealed_at
     from ${newSeals.rows()} as new`,
)

/** The seal hashes of each business and mode on a day, concatenated. */
export const selectDay = sqlOfAll<Owner & { salt: Buffer; hashes: Buffer }>(
  'proofs.select_day',
  `select p.business_id, p.livemode, s.salt, string_agg(p.hash, ''::bytea order by p.number) as hashes
     from posting_seals p join seal_salts s on s.business_id = p.business_id and s.livemode = p.livemode
    where p.day = $1::date
    group by 1, 2, 3`,
)

export type ProofRow = {
  day: string
  cell: string
  root: Buffer
  previous: Buffer
  live_leaves: Buffer
  test_leaves: Buffer
  key_id: string | null
  signature: Buffer | null
}
const proof = 'day::text, cell, root, previous, live_leaves, test_leaves, key_id, signature'

export const insertProof = sqlOfAll(
  'proofs.insert_proof',
  `insert into proofs (day, cell, root, previous, live_leaves, test_leaves, made_at) values ($1::date, $2, $3, $4, $5, $6, $7)`,
)
export const selectLastProof = sqlOfAll<ProofRow>(
  'proofs.select_last_proof',
  `select ${proof} from proofs order by day desc limit 1`,
)
export const selectProof = sqlOfAll<ProofRow>(
  'proofs.select_proof',
  `select ${proof} from proofs where day = $1::date`,
)
export const selectProofsAfter = sqlOfAll<ProofRow>(
  'proofs.select_proofs_after',
  `select ${proof} from proofs where day > $1::date order by day limit 100`,
)
export const selectUnsigned = sqlOfAll<ProofRow>(
  'proofs.select_unsigned',
  `select ${proof} from proofs where signature is null order by day`,
)
export const sign = sqlOfAll(
  'proofs.sign',
  'update proofs set key_id = $2, signature = $3 where day = $1::date',
)
export const insertKey = sqlOfAll(
  'proofs.insert_key',
  'insert into proof_keys (id, public_key) values ($1, $2) on conflict do nothing',
)

/** `until` is null for the key that signed last. */
export const selectKeys = sqlOfAll<{
  id: string
  public_key: Buffer
  from: string
  until: string | null
}>(
  'proofs.select_keys',
  `select k.id, k.public_key, used.first::text as from, nullif(used.last, (select max(day) from proofs where signature is not null))::text as until
     from proof_keys k
     join (select key_id, min(day) as first, max(day) as last from proofs group by key_id) used on used.key_id = k.id
    order by used.first, k.id`,
)

/** The postings of a transaction in sealing order. */
export const selectOfTransaction = sql<PostingRow>(
  'proofs.select_of_transaction',
  `${selectPostings} where p.business_id = $1 and p.livemode = $2 and p.transaction_id = $3 ${inOrder}`,
)

export const selectSalt = sql<{ salt: Buffer }>(
  'proofs.select_salt',
  'select salt from seal_salts where business_id = $1 and livemode = $2',
)

export type SealRow = Owner & {
  day: string
  number: bigint
  through_position: bigint
  through_id: bigint
  postings: number
  root: Buffer
  previous: Buffer
  hash: Buffer
  leaves: Buffer
}
const seal =
  'business_id, livemode, day::text, number, through_position, through_id, postings, root, previous, hash, leaves'

/** The seal of a posting, if it is sealed. */
export const selectSealOf = sql<SealRow>(
  'proofs.select_seal_of',
  `select ${seal} from posting_seals
    where business_id = $1 and livemode = $2 and (through_position, through_id) >= ($3::bigint, $4::bigint)
    order by through_position, through_id limit 1`,
)

export const selectHashesOfDay = sql<{ number: bigint; hash: Buffer }>(
  'proofs.select_hashes_of_day',
  'select number, hash from posting_seals where business_id = $1 and livemode = $2 and day = $3::date order by number',
)

/** Cursors over all postings and all seals in chain order, fetched page by page in a snapshot. */
export const openPostings = sqlOfAll(
  'proofs.open_postings',
  `declare chained_postings no scroll cursor for ${selectPostings} ${inOrder}`,
)
export const fetchPostings = sqlOfAll<PostingRow>(
  'proofs.fetch_postings',
  'fetch 5000 from chained_postings',
)
export const openSeals = sqlOfAll(
  'proofs.open_seals',
  `declare chained_seals no scroll cursor for select ${seal} from posting_seals order by business_id, livemode, day, number`,
)
export const fetchSeals = sqlOfAll<SealRow>('proofs.fetch_seals', 'fetch 200 from chained_seals')
export const selectSalts = sqlOfAll<Owner & { salt: Buffer }>(
  'proofs.select_salts',
  'select business_id, livemode, salt from seal_salts',
)

/** The seal hashes of a business's live chain by day, concatenated. */
export const selectChain = sqlOfMany<{ day: string; salt: Buffer; hashes: Buffer }>(
  'proofs.select_chain',
  `select p.day::text as day, s.salt, string_agg(p.hash, ''::bytea order by p.number) as hashes
     from posting_seals p join seal_salts s on s.business_id = p.business_id and s.livemode = p.livemode
    where p.business_id = $1 and p.livemode
    group by 1, 2`,
)

export const insertMoved = sqlOfMany(
  'proofs.insert_moved',
  `insert into moved_chains (business_id, day, leaf)
   select $1, day::date, decode(leaf, 'hex') from unnest($2::text[], $3::text[]) as kept (day, leaf)
   on conflict do nothing`,
)

export const markKept = sqlOfMany(
  'proofs.mark_kept',
  'update cell_moves set chains_kept_at = coalesce(chains_kept_at, $2) where subject = $1',
)

/** The leaves of a day of businesses that moved to another cell. */
export const selectMoved = sqlOfAll<{ leaf: Buffer }>(
  'proofs.select_moved',
  'select leaf from moved_chains where day = $1::date',
)

/**
 * How many businesses were split off by a server that stored no leaves. Each business has wallets.
 */
export const countUnkept = sqlOfMany<{ unkept: bigint }>(
  'proofs.count_unkept',
  `select count(*) as unkept from cell_moves m
    where subject <> '' and moved_at is not null and chains_kept_at is null
      and not exists (select from wallets w where w.business_id = m.subject)`,
)
