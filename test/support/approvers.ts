/**
 * Those who make payouts and those who approve them: keys of their own, of the same person or of
 * another.
 */
import { createKey } from '../../src/books/businesses/businesses.ts'
import { outside, scopeOf } from '../../src/core/outside.ts'
import type { KeyScope } from '../../src/core/scopes.ts'
import { newId } from '../../src/lib/ids.ts'
import { type Call, type Json, makeCall, must, type TestServer } from './harness.ts'

export type KeyHolder = { call: Call; id: string; hint: string; key: string }

/**
 * A key of the server's first business. @param madeBy the person who made it; null: the operator
 */
export async function keyWith(
  server: TestServer,
  scopes: KeyScope[],
  madeBy: string | null = null,
): Promise<KeyHolder> {
  const ctx = outside(server.app, await scopeOf(server.app, server.businessId, false))
  const { key, record } = await ctx.write((work) =>
    createKey(work, { name: scopes.join(), scopes }),
  )
  if (madeBy !== null)
    await server.app.db.query('update api_keys set made_by = $2 where id = $1', [record.id, madeBy])
  return { call: server.callAs(key), id: record.id, hint: record.hint, key }
}

/** The same key, at another server of the database. */
export const at = ({ key }: KeyHolder, url: string): Call => makeCall(url, key)

export const newPerson = (server: TestServer): string => newId(server.app.clock.now())

/**
 * Saves an account of the business's own, which a person has confirmed. @param more of the
 * beneficiary
 */
export async function ownAccount(
  server: TestServer,
  more: object = {},
  call: Call = server.call,
): Promise<Json> {
  const destination = { bank_code: '058', account_number: '0123456789' }
  const body = { label: 'Our account', method: 'bank_transfer', destination, own: true, ...more }
  const { id } = await must(call('POST', '/beneficiaries', body))
  await confirmOwn(server, id)
  return must(call('GET', `/beneficiaries/${id}`))
}

/** As a person confirms an account with a second factor. */
export async function confirmOwn(server: TestServer, id: string): Promise<void> {
  await server.app.db.query(
    'update beneficiaries set confirmed_at = created_at, confirmed_by = id where id = $1',
    [id],
  )
}
