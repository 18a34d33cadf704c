/**
 * Outgoing money after a restore: what is marked then, what a person is shown, and how it is let
 * go.
 */
import { skipIndexesOfAll } from '../collecting/crypto/crypto.ts'
import type { App } from '../core/app.ts'
import type { EndRequest, OpenOrder, PaidRequest } from '../core/module.ts'
import { outside, scopeOf } from '../core/outside.ts'
import { type Database, sqlOfAll, transaction } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { addWaiting } from '../platform/jobs/timers.ts'
import {
  holdOutgoing,
  type Outgoing,
  outgoingOf,
  releaseOutgoing,
} from '../rails/records/outgoing.ts'
import { openOrders } from './modules.ts'

/**
 * More deposit addresses than are given out between two backups. Indexes that are left out cost
 * nothing.
 */
const indexesLeft = 100_000

/** Positions of events belong to no business. */
const leavePositions = sqlOfAll('outgoing.leave_event_positions', 'select leave_event_positions()')

/**
 * Marks data as restored: nothing is sent until a person lets it go, and what may have been given
 * out since the backup is not given out again: deposit addresses, and places in the stream of
 * events.
 * @param dataOf until when the data reach, where that is known
 */
export function markRestored(db: Database, clock: Clock, dataOf: Date | null): Promise<void> {
  const at = clock.now()
  return transaction(db, async (tx) => {
    await holdOutgoing(tx, { id: newId(at), reason: 'restored', dataOf, at })
    await skipIndexesOfAll(tx, indexesLeft)
    await tx.rows(leavePositions)
  })
}

/**
 * Of an order: `sent`, a rail has it; `not_found`, no rail that was asked has it; `unknown`, one
 * gave no answer; `undecided`, more submissions may have been used up than were queried; `new`, it
 * was made after the data were restored.
 */
export type Standing = Omit<OpenOrder, 'find' | 'settle' | 'cancel' | 'fail' | 'job'> & {
  rails_say: 'sent' | 'not_found' | 'unknown' | 'undecided' | 'new'
}

const outsideOf = async (app: App, { business_id, livemode }: OpenOrder) =>
  outside(app, await scopeOf(app, business_id, livemode))

/** Asks the rails how each order stands that has not ended. */
export async function standings(app: App, outgoing: Outgoing): Promise<Standing[]> {
  const found: Standing[] = []
  for (const order of await ordersOf(app)) {
    const { find, settle: _settle, cancel: _cancel, fail: _fail, job: _job, ...shown } = order
    const old = outgoing.restoredAt !== null && order.created_at < outgoing.restoredAt
    const said = old ? await find(await outsideOf(app, order)) : 'new'
    found.push({
      ...shown,
      rails_say: typeof said === 'string' ? said : said === null ? 'not_found' : 'sent',
    })
  }
  return found
}

const ordersOf = async (app: App): Promise<OpenOrder[]> =>
  (await Promise.all(openOrders.map((of) => of(app)))).flat()

const findOrder = async (app: App, id: string): Promise<OpenOrder | undefined> =>
  (await ordersOf(app)).find((one) => one.id === id)

/**
 * Ends an order as paid, of which a person has found that it was: no rail is sent it any more.
 * @returns false when there is no such order, or its rail is paying it
 */
export async function settle(app: App, id: string, request: PaidRequest): Promise<boolean> {
  const order = await findOrder(app, id)
  return order === undefined ? false : order.settle(await outsideOf(app, order), request)
}

/**
 * Cancels a payout that a merchant had canceled since the backup.
 * @returns null once it is canceled; otherwise why not, as a sentence
 */
export async function cancel(app: App, id: string, request: EndRequest): Promise<string | null> {
  const order = await findOrder(app, id)
  return order === undefined ? noOrder : order.cancel(await outsideOf(app, order), request)
}

const noOrder = 'It is no payout, refund or return that waits.'

/**
 * Fails an order that was sent, if its rail does not know it or says that it failed.
 * @returns null once it has failed; otherwise why not, as a sentence
 */
export async function fail(
  app: App,
  id: string,
  request: EndRequest & { reason: string },
): Promise<string | null> {
  const order = await findOrder(app, id)
  if (order === undefined) return noOrder
  return order.fail(await outsideOf(app, order), request)
}

/** Holds outgoing money: an order that is being sent goes on. */
export async function hold({ db, clock }: App): Promise<void> {
  const at = clock.now()
  await holdOutgoing(db, { id: newId(at), reason: 'operator', dataOf: null, at })
}

/**
 * Lets outgoing money go, and has every order looked after at once: one that is older than the
 * restore is asked about before it is sent.
 * @param by who says so
 * @returns how many orders wait, or null where none were held
 */
export async function release(app: App, by: string): Promise<number | null> {
  const orders = await ordersOf(app)
  const rows = await Promise.all(
    orders.map(async ({ id, business_id, livemode, job }) => {
      const scope = await scopeOf(app, business_id, livemode)
      return { ...job, subject: id, scope, dueAt: null }
    }),
  )
  return transaction(app.db, async (tx) => {
    if (!(await releaseOutgoing(tx, app.clock.now(), by))) return null
    await addWaiting(tx, rows)
    return orders.length
  })
}

/** A sentence for `/health` and for `bursar ledger verify`, where outgoing money is held. */
export async function heldWarnings({ db }: Pick<App, 'db'>): Promise<string[]> {
  const { heldAt, restoredAt, dataOf } = await outgoingOf(db)
  if (heldAt === null) return []
  const why =
    restoredAt === null
      ? ''
      : `, as data were restored${dataOf === null ? '' : ` that reach until ${dataOf.toISOString()}`}`
  return [
    `outgoing money is held since ${heldAt.toISOString()}${why}: \`bursar outgoing status\` says what to do before it is let go`,
  ]
}
