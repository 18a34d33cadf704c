/**
 * Idempotency-Key: the key, the change and the answer are one commit, so a stored answer is
 * replayed exactly if its change was committed. A duplicate of a running request waits for the key.
 */
import type { Scope } from '../../core/app.ts'
import {
  type Database,
  type Queryable,
  replanned,
  rowsOf,
  sqlOfAll,
  sqlOfMany,
  type Tx,
} from '../../db/db.ts'
import { sealedColumn } from '../../db/sealed.ts'
import { later } from '../../lib/clock.ts'
import { generalRefusal, type Outcome, Refusal, refuseInput } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import { type Keyring, seal, sha256Hex, unseal } from '../../lib/secrets.ts'

const keepMs = 24 * 60 * 60 * 1000

/** A finished answer: its status and the exact text of its body. */
export type Finished = { status: number; body: string; replayed: boolean }

/**
 * A digest of method, path and body, which identifies a request. It is encrypted with the answer,
 * because a body may have a number short enough to guess from a digest.
 */
export type Mark = { mark: string }

/** A request's Idempotency-Key, its mark, and the serializer of its answer. */
export type Keyed<Answer> = Mark & {
  key: string
  /** Returns the status and text of the answer; the refusal is one that is stored. */
  write(outcome: { answer: Answer } | { refusal: Refusal }): { status: number; body: string }
}

/**
 * The transaction that has a key holds its advisory lock until the commit. A single request waits
 * for it (`$4`); a batch skips keys that others hold, so that it does not wait for one.
 */
const lockKeys = sqlOfMany<{ business_id: Id; livemode: boolean; key: string }>(
  'idempotency.lock',
  `select business_id, livemode, key
     from ${rowsOf('business_id text, livemode boolean, key text')} as asked
    where case when $4::boolean
            then pg_advisory_xact_lock(hashtextextended(concat_ws(' ', business_id, livemode, key), 0))::text is not null
            else pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', business_id, livemode, key), 0)) end`,
)

type Row = {
  business_id: Id
  livemode: boolean
  key: string
  status: number | null
  body: Buffer | null
}

const selectAnswers = replanned(
  sqlOfMany<Row>(
    'idempotency.select',
    `select k.business_id, k.livemode, k.key, k.status, k.body
       from ${rowsOf('business_id text, livemode boolean, key text, at timestamptz')} as asked
       join idempotency_keys k using (business_id, livemode, key)
      where k.created_at > asked.at - interval '24 hours'`,
  ),
)
/** Rows that are new, or replace expired ones. */
const insertAnswers = sqlOfMany<{ key: string }>(
  'idempotency.keep',
  `insert into idempotency_keys as known (business_id, livemode, key, created_at, status, body)
   ${rowsOf('business_id text, livemode boolean, key text, created_at timestamptz, status integer, body bytea')}
   on conflict (business_id, livemode, key) do update
     set status = excluded.status, body = excluded.body, created_at = excluded.created_at
   where known.created_at <= excluded.created_at - interval '24 hours'
   returning key`,
)
/** The encrypted answers in the database. */
export const sealedAnswers = sealedColumn({
  table: 'idempotency_keys',
  column: 'body',
  key: ['key'],
  purpose: 'kept answer',
  ownerOf: ({ business_id, livemode, key }) => nameOf(business_id, livemode, key),
})

/** Deletes expired answers of all businesses. */
const deleteOld = sqlOfAll(
  'idempotency.delete_old',
  'delete from idempotency_keys where created_at < $1',
)

/**
 * Reads the header.
 * @throws {Refusal} `validation_failed` when it is not 1 to 255 visible ASCII characters
 */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header))
    refuseInput([
      {
        path: 'idempotency-key',
        message: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
        location: 'headers',
      },
    ])
  return header
}

/** Returns the mark of a request. It has no spaces. */
export function markOf(method: string, url: string, body: unknown): Mark {
  const text = `${method} ${url}\n${JSON.stringify(body) ?? ''}`
  return { mark: sha256Hex(text) }
}

/** An answer and its request's mark, as they are encrypted together. */
const keptText = ({ mark, body }: { mark: string; body: string }): string => `${mark} ${body}`

/** One of several requests that run in one transaction. */
export type WriteRequest<Answer> = { scope: Scope; keyed: Keyed<Answer> | null }

type WithKey = { scope: Scope; keyed: Mark & { key: string } }
type Made = { mark: string; status: number; body: string }
/**
 * Null if it is encrypted under a key that the server lacks: the request was answered, but the
 * answer is unreadable.
 */
type Kept = Made | null

/**
 * The claimed keys of a batch: the requests to run, the first request of each key, and stored
 * answers.
 */
export type ClaimedKeys<One> = { fresh: One[]; firsts: Map<string, WithKey>; known: Row[] }

/**
 * Claims the keys of a batch before any other lock, to avoid deadlocks. Successes and refusals are
 * both stored, for 24 hours of the scope's time.
 * @param wait a single request waits for the holder of its key; in a batch, it gets `KeyBusy`
 * @returns the requests to run; the others have an answer, or get one
 */
export async function claimKeys<One extends WriteRequest<never>>(
  tx: Tx,
  requests: One[],
  wait: boolean,
): Promise<ClaimedKeys<One>> {
  const firsts = new Map<string, WithKey>()
  for (const one of requests)
    if (hasKey(one) && !firsts.has(ownerOf(one))) firsts.set(ownerOf(one), one)
  const asked = [...firsts.values()]
  // A statement of its own after the locks, so that it sees the commits of earlier holders.
  const [held, known] = await Promise.all([lock(tx, asked, wait), read(tx, asked)])
  const answeredBefore = new Set(known.map(nameOfRow))
  const isFirst = (one: WithKey): boolean =>
    firsts.get(ownerOf(one)) === one && held.has(ownerOf(one))
  const fresh = requests.filter(
    (one) => !hasKey(one) || (isFirst(one) && !answeredBefore.has(ownerOf(one))),
  )
  return { fresh, firsts, known }
}

/**
 * Stores the answers of the requests that ran, in the transaction that claimed their keys.
 * @param outcomes of the fresh requests, in order; a refused one has been rolled back
 * @returns the outcome of each request: with a key, the stored answer, or the refusal
 * `idempotency_key_reused` when the key was used for another request or the stored answer cannot be
 * decrypted
 * @throws a refusal of a request with a key that must not be stored: roll back and run each alone
 */
export async function keepAnswers<Answer, One extends WriteRequest<Answer>>(
  tx: Tx,
  secrets: Keyring,
  requests: One[],
  { fresh, firsts, known: rows }: ClaimedKeys<One>,
  outcomes: Outcome<Answer>[],
): Promise<Outcome<Answer | Finished>[]> {
  const ran = new Map(fresh.map((one, i) => [one, outcomes[i] as Outcome<Answer>]))
  const made = new Map<string, Made>()
  for (const [one, outcome] of ran)
    if (hasKey(one))
      made.set(ownerOf(one), { mark: one.keyed.mark, ...one.keyed.write(toKeep(outcome)) })
  await keep(tx, secrets, firsts, made)
  const known = keptIn(secrets, rows)

  return requests.map((one) => {
    if (!hasKey(one)) return ran.get(one) as Outcome<Answer>
    const kept = made.get(ownerOf(one)) ?? known.get(ownerOf(one))
    return kept === undefined ? { refusal: new KeyBusy() } : answered(one, kept, !ran.has(one))
  })
}

/** Returns the stored answer of a request with a key, or null. */
export async function findAnswer(
  db: Queryable,
  secrets: Keyring,
  one: WithKey,
): Promise<Outcome<Finished> | null> {
  const kept = keptIn(secrets, await read(db, [one])).get(ownerOf(one))
  return kept === undefined ? null : answered(one, kept, true)
}

function answered({ keyed }: WithKey, kept: Kept, replayed: boolean): Outcome<Finished> {
  if (kept === null) return reused(unreadable)
  const { mark, status, body } = kept
  if (mark === keyed.mark) return { answer: { status, body, replayed } }
  return reused('This Idempotency-Key was used for another request; use a new one.')
}

const unreadable =
  'A request with this Idempotency-Key was answered when the server had another SECRETS_KEY, so the answer cannot be read; look for what it made before you use a new one.'

const reused = (text: string) => ({ refusal: generalRefusal('idempotency_key_reused', text) })

/** Another request holds the key; a single request waits for its result. */
export class KeyBusy extends Error {}

const hasKey = <One extends { keyed: object | null }>(
  one: One,
): one is One & { keyed: NonNullable<One['keyed']> } => one.keyed !== null

const nameOf = (businessId: Id, livemode: boolean, key: string): string =>
  [businessId, livemode, key].join()
const nameOfRow = (row: Pick<Row, 'business_id' | 'livemode' | 'key'>): string =>
  nameOf(row.business_id, row.livemode, row.key)
const ownerOf = ({ scope, keyed }: WithKey): string =>
  nameOf(scope.businessId, scope.livemode, keyed.key)

/** @returns the keys that are now locked */
async function lock(tx: Tx, ones: WithKey[], wait: boolean): Promise<Set<string>> {
  if (ones.length === 0) return new Set()
  const rows = await tx.rows(lockKeys, [
    ones.map(({ scope }) => scope.businessId),
    ones.map(({ scope }) => scope.livemode),
    ones.map(({ keyed }) => keyed.key),
    wait,
  ])
  return new Set(rows.map(nameOfRow))
}

const notKept: string[] = [
  'validation_failed',
  'idempotency_key_reused',
  'overloaded',
  'business_suspended',
  'business_closed',
]

/**
 * Whether a refusal is stored under the key. After any other, the client can fix the request and
 * reuse the key.
 */
export function isKept(refusal: unknown): refusal is Refusal {
  return refusal instanceof Refusal && !notKept.includes(refusal.code)
}

function toKeep<Answer>(outcome: Outcome<Answer>): { answer: Answer } | { refusal: Refusal } {
  if ('answer' in outcome) return outcome
  if (!isKept(outcome.refusal)) throw outcome.refusal
  return { refusal: outcome.refusal }
}

async function keep(
  tx: Tx,
  secrets: Keyring,
  firsts: Map<string, WithKey>,
  made: Map<string, Made>,
): Promise<void> {
  if (made.size === 0) return
  const owners = [...made.keys()].map((owner) => firsts.get(owner) as WithKey)
  const kept = await tx.rows(insertAnswers, [
    owners.map(({ scope }) => scope.businessId),
    owners.map(({ scope }) => scope.livemode),
    owners.map(({ keyed }) => keyed.key),
    owners.map(({ scope }) => scope.now),
    [...made.values()].map(({ status }) => status),
    [...made].map(([owner, one]) => seal(secrets, sealedAnswers.purpose, keptText(one), owner)),
  ])
  // Another transaction wrote one without the lock: roll back, and return the stored answer.
  if (kept.length < made.size) throw new KeyBusy()
}

/** Reads the stored, unexpired answers of keys. */
async function read(db: Queryable, ones: WithKey[]): Promise<Row[]> {
  if (ones.length === 0) return []
  return db.rows(selectAnswers, [
    ones.map(({ scope }) => scope.businessId),
    ones.map(({ scope }) => scope.livemode),
    ones.map(({ keyed }) => keyed.key),
    ones.map(({ scope }) => scope.now),
  ])
}

function keptIn(secrets: Keyring, rows: Row[]): Map<string, Kept> {
  return new Map(
    rows.flatMap((row) =>
      row.status === null || row.body === null
        ? []
        : [[nameOfRow(row), opened(secrets, row, row.status, row.body)]],
    ),
  )
}

function opened(secrets: Keyring, row: Row, status: number, sealed: Buffer): Kept {
  let text: string
  try {
    text = unseal(secrets, sealedAnswers.purpose, sealed, nameOfRow(row))
  } catch {
    return null
  }
  const end = text.indexOf(' ')
  return { mark: text.slice(0, end), status, body: text.slice(end + 1) }
}

/** Deletes answers older than 24 hours by the machine's clock; test clocks only run ahead of it. */
export async function forgetOldKeys(db: Database, now: Date): Promise<void> {
  await db.rows(deleteOld, [later(now, -keepMs)])
}
