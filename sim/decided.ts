/**
 * What people decide of a business' money: payouts in dollars, which all wait for a second key, and
 * payout schedules.
 */

import type { Opened } from '../src/app/main.ts'
import { createKey } from '../src/books/businesses/businesses.ts'
import { outside, scopeOf } from '../src/core/outside.ts'
import type { Client } from './client.ts'
import type { Database } from './database.ts'
import { expectPayout, type Model, own, touched } from './model.ts'
import type { Operation } from './money.ts'
import { type Asking, ask, type Json } from './requests.ts'

const american = {
  country: 'us',
  routing_number: '110000000',
  account_number: '000123456789',
  account_name: 'Ada Okafor',
  account_type: 'checking',
}
const bank = { bank_code: '058', account_number: '0123456789' }
/** No wallet has so much: what a schedule would pay is not what is tried here. */
const keep = 9_000_000_000_000_000

/**
 * Has every payout in dollars wait for a second key, which is made, and an account of the business'
 * own confirmed. @returns that key
 */
export async function openDecisions(
  { app }: Pick<Opened, 'app'>,
  asking: Asking,
  model: Model,
  database: Database,
): Promise<string> {
  const { status } = await ask(asking, 'PUT', '/limits', {
    currencies: [{ currency: 'usd', approve_above: 0 }],
  })
  if (status !== 200) throw new Error(`no limits: ${status}`)
  const body = { label: 'Our account', method: 'bank_transfer', destination: bank, own: true }
  const { data } = await ask(asking, 'POST', '/beneficiaries', body, 'own-account')
  // As a person confirms it with a second factor, and once it has cooled off.
  await database.ask(
    'update beneficiaries set confirmed_at = created_at, confirmed_by = id, usable_from = created_at where id = $1',
    [data.id],
  )
  model.account = data.id
  const scope = await scopeOf(app, model.id as never, false)
  const made = await outside(app, scope).write((work) =>
    createKey(work, { name: 'decides', scopes: ['approve', 'read'] }),
  )
  return made.key
}

const waits = ['payout_not_waiting', 'payout_not_cancelable']

/**
 * A payout that waits is approved or refused by the second key, canceled by who made it, or left
 * until its time is over.
 */
async function decide(client: Client): Promise<void> {
  const { by, model, decider } = client
  if (decider === null) return
  const reference = client.name('usd')
  const body = {
    reference,
    amount: 5_000 + by.below(100_000),
    currency: 'usd',
    method: 'bank_transfer',
    destination: american,
  }
  const made = await client.write('createPayout (waits)', 'POST', '/payouts', body, [
    'insufficient_funds',
    'amount_too_small',
  ])
  if (!made) return void model.absent.add(`/payouts/${reference}`)
  if (made.data.approval !== 'waiting')
    client.tally.finding(
      'answered otherwise',
      `${reference} waits for nobody: ${made.data.approval}`,
    )
  expectPayout(model, made.data, false)
  const expected = touched(model, made.data.id)
  expected.ends = new Set(['pending', 'canceled'])
  const how = by.one(['approve', 'approve', 'refuse', 'decide', 'cancel', 'leave'] as const)
  const path = `/payouts/${reference}`
  let [done, end] = [false, 'canceled']
  if (how === 'approve' || how === 'refuse') {
    end = how === 'approve' ? 'completed' : 'canceled'
    done =
      (await decider.write(`${how}Payout`, 'POST', `${path}/${how}`, undefined, waits)) !== null
  } else if (how === 'cancel')
    done =
      (await client.write('cancelPayout (waits)', 'POST', `${path}/cancel`, undefined, waits)) !==
      null
  else if (how === 'decide') {
    const decision = by.one(['approve', 'refuse'])
    end = decision === 'approve' ? 'completed' : 'canceled'
    const several = await decider.write('decidePayouts', 'POST', '/payouts/decisions', {
      decision,
      references: [reference],
    })
    done = several?.data.decided.length === 1
  }
  if (done) expected.ends = new Set([end])
}

async function schedule(client: Client): Promise<void> {
  const { by, model } = client
  if (model.account === '') return
  const rule = (): Json =>
    by.one<Json>([
      { interval: 'daily' },
      { interval: 'weekly', weekday: by.one(['monday', 'friday']) },
      { interval: 'monthly', day: 1 + by.below(31) },
    ])
  const body = { currency: 'ngn', beneficiary: model.account, keep, time: '05:30', ...rule() }
  const made = await client.write('createPayoutSchedule', 'POST', '/payout-schedules', body)
  if (!made) return
  const path = `/payout-schedules/${made.data.id}`
  own(model, path, made.data)
  for (let left = by.below(3); left > 0; left--) {
    const change = by.one<Json>([
      { status: 'paused' },
      { status: 'active' },
      { description: 'Standing', maximum: 1 + by.below(1e9) },
    ])
    const changed = await client.write('updatePayoutSchedule', 'PATCH', path, change)
    if (changed) own(model, path, changed.data)
  }
  if (by.happens(0.3)) return
  await client.write('deletePayoutSchedule', 'DELETE', path, undefined, ['not_found'])
  model.owned.delete(path)
  model.written.delete(path)
  model.absent.add(path)
}

export const decided: Operation[] = [
  { weight: 50, run: decide },
  { weight: 24, run: schedule },
]
