/**
 * A key per customer that encrypts personal data in immutable rows. Destroying the key makes them
 * unreadable.
 */
import { randomBytes } from 'node:crypto'
import type { Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { type Queryable, transaction } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'
import { type Keyring, keyringOf, seal, unseal } from '../../lib/secrets.ts'
import * as sql from './sql.ts'
import { ownerOf, sealedKeys, type Whose } from './sql.ts'

export type { Whose } from './sql.ts'

/** Creates a customer's key, in the transaction that creates the customer. */
export async function makeKey({ tx, secrets, scope }: Work, customer: Id): Promise<void> {
  const whose = { business_id: scope.businessId, livemode: scope.livemode, customer_id: customer }
  const key = seal(secrets, sealedKeys.purpose, randomBytes(32).toString('base64'), ownerOf(whose))
  await tx.rows(sql.insertKeys, [
    [whose.business_id],
    [whose.livemode],
    [customer],
    [key],
    [scope.now],
  ])
}

/**
 * Destroys a customer's key: nothing is encrypted with it any more, and its data are unreadable. A
 * repeat only adds payments.
 * @param payments of no customer that belong to this one: events about them are rewritten too
 */
export async function destroyKey(
  { tx, scope }: Work,
  customer: Id,
  payments: Id[] = [],
): Promise<void> {
  await tx.rows(sql.destroyKey, [scope.businessId, scope.livemode, customer, scope.now, payments])
}

/**
 * Removes a customer's personal data from plain-text events after the key was destroyed: events
 * that were being written then, and those about the customer's payments without a customer. One
 * transaction per customer, with other waiting ones.
 */
export async function rewriteEvents({ db, clock, scope }: Ctx, customer: Id): Promise<void> {
  await db.rows(sql.rewriteAgain, [scope.businessId, scope.livemode, customer])
  let found: boolean
  do
    found = await transaction(db, async (tx) => {
      const erased = (await tx.row(sql.eraseFromEvents))?.erased
      if (!erased) return false
      await tx.rows(sql.endRewriting, [
        erased.business_id,
        erased.livemode,
        erased.customer_id,
        clock.now(),
      ])
      return true
    })
  while (found)
}

/** By `ownerOf`. Null: destroyed; missing: the key cannot be read. */
type Keys = Map<string, Keyring | null>

async function keysOf(reader: Queryable, secrets: Keyring, whose: Whose[]): Promise<Keys> {
  const asked = [...new Map(whose.map((one) => [ownerOf(one), one])).values()]
  const rows = await reader.rows(sql.selectKeys, [
    asked.map(({ business_id }) => business_id),
    asked.map(({ livemode }) => livemode),
    asked.map(({ customer_id }) => customer_id),
  ])
  return new Map(
    rows.flatMap(({ key, ...one }): [string, Keyring | null][] => {
      if (key === null) return [[ownerOf(one), null]]
      try {
        const bytes = Buffer.from(unseal(secrets, sealedKeys.purpose, key, ownerOf(one)), 'base64')
        return [[ownerOf(one), keyringOf(bytes)]]
      } catch {
        // Encrypted under a lost SECRETS_KEY: treated as missing.
        return []
      }
    }),
  )
}

/** Values that replace hidden personal data in a payload, by path: names joined by dots. */
export type StandIns = Readonly<Record<string, unknown>>

/** The replacement for a required text. */
export const erased = 'erased'

/** Personal data of a destination: a bank account's holder and number, an address on a chain. */
export const personalDestination: StandIns = Object.fromEntries(
  ['account_name', 'account_number', 'resolved_account_name', 'holder_address', 'address'].map(
    (name) => [`destination.${name}`, erased],
  ),
)

type Json = Record<string, unknown>

/** The personal data of a payload. `row`, the event's id, binds the ciphertext. */
export type Personal = { row: Id; customer: Whose; standIns: StandIns; payload: Json }

/** A payload as stored: the remaining fields, and the encrypted ones. */
export type Kept = { payload: Json; sealed: Buffer | null }

/**
 * Encrypts the personal data of payloads. If the customer's key is destroyed, drops them; if the
 * key is unreadable or there are none, keeps the payload as it is.
 */
export async function sealPersonal(
  reader: Queryable,
  secrets: Keyring,
  all: Personal[],
): Promise<Kept[]> {
  const parted = all.map(({ payload, standIns }) => part(payload, standIns))
  const whose = all.filter((_, i) => parted[i]?.taken.length !== 0).map(({ customer }) => customer)
  const keys: Keys = whose.length > 0 ? await keysOf(reader, secrets, whose) : new Map()
  return all.map(({ row, customer, payload }, i) => {
    const { left, taken } = parted[i] as Parted
    const key = keys.get(ownerOf(customer))
    if (taken.length === 0 || key === undefined) return { payload, sealed: null }
    return { payload: left, sealed: key && seal(key, 'personal data', JSON.stringify(taken), row) }
  })
}

/** A stored row with a payload. */
export type KeptBody = {
  business_id: Id
  livemode: boolean
  row: Id
  body: string
  customer_id: Id | null
  sealed: Buffer | null
}

/** Decrypts bodies; for customers with a destroyed key, with the replacements. */
export async function openBodies(
  reader: Queryable,
  secrets: Keyring,
  kept: KeptBody[],
): Promise<string[]> {
  const sealed = kept.filter(
    (one): one is KeptBody & Whose => one.sealed !== null && one.customer_id !== null,
  )
  if (sealed.length === 0) return kept.map(({ body }) => body)
  const keys = await keysOf(reader, secrets, sealed)
  return kept.map((one) => {
    const key = one.customer_id === null ? null : keys.get(ownerOf(one))
    if (!key || one.sealed === null) return one.body
    const whole = JSON.parse(one.body) as { payload: Json }
    const taken = JSON.parse(unseal(key, 'personal data', one.sealed, one.row)) as Taken[]
    for (const [path, value] of taken) put(whole.payload, path.split('.'), value)
    return JSON.stringify(whole)
  })
}

type Taken = [path: string, value: unknown]
type Parted = { left: Json; taken: Taken[] }

/** Copies the changed parts of the payload. */
function part(payload: Json, standIns: StandIns): Parted {
  let left = payload
  const taken: Taken[] = []
  for (const [path, standIn] of Object.entries(standIns)) {
    const names = path.split('.')
    const value = names.reduce<unknown>(
      (within, name) => (within as Json | null | undefined)?.[name],
      payload,
    )
    if (value === undefined || value === null) continue
    taken.push([path, value])
    left = replaced(left, names, standIn)
  }
  return { left, taken }
}

function replaced(within: Json, [name, ...deeper]: string[], value: unknown): Json {
  const key = name as string
  return {
    ...within,
    [key]: deeper.length === 0 ? value : replaced(within[key] as Json, deeper, value),
  }
}

function put(within: Json, [name, ...deeper]: string[], value: unknown): void {
  const key = name as string
  if (deeper.length === 0) within[key] = value
  else put(within[key] as Json, deeper, value)
}
