/**
 * The sandbox rail: a simulated bank and chain for test keys. It keeps books like a provider, so
 * that lost answers, late outcomes and repeated orders behave realistically. Magic account numbers
 * choose the outcome.
 */
import { gathered } from '../../db/batch.ts'
import { batchOf, type Database, replanned, sqlOfMany } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import { sha256 } from '../../lib/secrets.ts'
import type {
  Destination,
  FailureReason,
  LookupRail,
  OrderState,
  PayoutOrder,
  SimulatedRail,
} from '../ports/rail.ts'
import type { Screen } from '../ports/screen.ts'

type Behaviour = {
  meaning: string
  outcome: 'completed' | FailureReason
  /** The outcome appears only when simulated. */
  stuck?: boolean
  /** The first answer is lost: `after` the order was taken, or `before`. */
  lost?: 'after' | 'before'
  lookup?: 'not_found' | 'unavailable'
  /** Screening finds it on a list. */
  listed?: boolean
}

/**
 * Magic values: a bank account number whose whole number is one (`0000000001`), or a crypto address
 * that is one after zeros (`0x0000000000000000000000000000000000000001`). Everything else is paid.
 */
export const magic: Record<number, Behaviour> = {
  1: { meaning: 'fails: `invalid_account`', outcome: 'invalid_account' },
  2: { meaning: 'stays `processing` until it is simulated', outcome: 'completed', stuck: true },
  3: {
    meaning: 'the name lookup finds no such account',
    outcome: 'invalid_account',
    lookup: 'not_found',
  },
  4: {
    meaning: 'fails: `bank_unavailable` (`network_error` for crypto)',
    outcome: 'bank_unavailable',
  },
  5: { meaning: 'fails: `rejected`', outcome: 'rejected' },
  6: {
    meaning: "the rail's answer is lost after it took the order; completes",
    outcome: 'completed',
    lost: 'after',
  },
  7: {
    meaning: 'the order is lost before the rail took it; sent again, completes',
    outcome: 'completed',
    lost: 'before',
  },
  8: { meaning: 'fails: `name_mismatch`', outcome: 'name_mismatch' },
  9: { meaning: 'fails: `limit_exceeded`', outcome: 'limit_exceeded' },
  10: {
    meaning: 'the bank does not answer the name lookup; the payout completes',
    outcome: 'completed',
    lookup: 'unavailable',
  },
  11: {
    meaning:
      'screening holds the payout until a person of the operator’s decides; released, completes',
    outcome: 'completed',
    listed: true,
  },
}

const plain: Behaviour = { meaning: 'completes', outcome: 'completed' }

function magicOf(text: string): Behaviour {
  const number = /^0*([1-9]\d?)$/.exec(text)?.[1]
  return number === undefined ? plain : (magic[Number(number)] ?? plain)
}

/** The sanctions list of test keys. */
export const sandboxScreen: Screen = {
  name: 'sandbox',
  async ask({ address, accountNumber }) {
    const value = accountNumber ?? address
    if (value === undefined || !magicOf(value.replace(/^0x/i, '')).listed) return []
    return [
      {
        list: 'sandbox',
        matched: accountNumber === undefined ? 'address' : 'account',
        value,
        reason: null,
      },
    ]
  },
}

function behaviourOf(destination: Destination): Behaviour {
  if (destination.type === 'charge') return plain
  const found = magicOf(
    destination.type === 'crypto' ? destination.address.slice(2) : destination.account_number,
  )
  return destination.type === 'crypto' && found.outcome === 'bank_unavailable'
    ? { ...found, outcome: 'network_error' }
    : found
}

/** The time of the next query of an order that needs a simulation. */
const dayMs = 86_400_000

type OrderRow = {
  outcome: string
  taken: boolean
  settles_at: Date | null
  returned: string | null
}

type Key = { business_id: string; id: string }
type NewOrder = Key & { outcome: string; taken: boolean; settles_at: Date | null }
const newOrders = batchOf<NewOrder>(
  'business_id text, id text, outcome text, taken boolean, settles_at timestamptz',
)
const recordOrders = sqlOfMany<OrderRow & Key>(
  'sandbox.record_orders',
  `insert into sandbox_orders as known (business_id, id, outcome, taken, settles_at) ${newOrders.rows()}
   on conflict (business_id, id) do update
     set taken = true, settles_at = case when known.taken then known.settles_at else excluded.settles_at end
   returning business_id, id, outcome, taken, settles_at, returned`,
)

type AskedOrder = Key & { at: Date }
const askedOrders = batchOf<AskedOrder>('business_id text, id text, at timestamptz')
/**
 * An order that the bank reported as settled stays settled, even if a person decides it for an
 * earlier time.
 */
const settleOrders = replanned(
  sqlOfMany<OrderRow & Key>(
    'sandbox.settle_orders',
    `with asked as materialized ${askedOrders.rows()},
          settled as (
            update sandbox_orders o set settles_at = 'epoch' from asked
             where o.business_id = asked.business_id and o.id = asked.id and o.taken and o.settles_at <= asked.at
             returning o.business_id, o.id, o.outcome, o.taken, o.settles_at, o.returned)
     select * from settled
      union all
     select o.business_id, o.id, o.outcome, o.taken, o.settles_at, o.returned from asked join sandbox_orders o using (business_id, id)
      where not exists (select from settled where (settled.business_id, settled.id) = (o.business_id, o.id))`,
  ),
)

/** Concurrent orders share a commit. */
const byBusiness = { groupOf: (order: Key) => order.business_id }
const record = gathered(
  async (db, orders: NewOrder[]) =>
    answersOf(orders, await db.rows(recordOrders, newOrders.arrays(orders))),
  byBusiness,
)
const settle = gathered(
  async (db, orders: AskedOrder[]) =>
    answersOf(orders, await db.rows(settleOrders, askedOrders.arrays(orders))),
  byBusiness,
)

function answersOf(orders: Key[], rows: (OrderRow & Key)[]): { answer: OrderRow | null }[] {
  const name = ({ business_id, id }: Key): string => `${business_id} ${id}`
  const found = new Map(rows.map((row) => [name(row), row]))
  return orders.map((order) => ({ answer: found.get(name(order)) ?? null }))
}

const selectOrder = sqlOfMany<OrderRow>(
  'sandbox.select_order',
  'select outcome, taken, settles_at, returned from sandbox_orders where business_id = $1 and id = $2',
)
/** An order decided by hand settles at any time; a decided or settled order stays so. */
const decideOrder = sqlOfMany(
  'sandbox.decide_order',
  `insert into sandbox_orders as known (business_id, id, outcome, taken, settles_at) values ($1, $2, $3, true, 'epoch')
   on conflict (business_id, id)
     do update set outcome = excluded.outcome, taken = true, settles_at = excluded.settles_at
     where not known.taken or known.settles_at is null or known.settles_at > $4`,
)
/** Only an arrived payout can be returned, and only once. */
const returnOrder = sqlOfMany(
  'sandbox.return_order',
  `update sandbox_orders set returned = $3
    where business_id = $1 and id = $2 and outcome = 'completed' and taken and settles_at <= $4 and returned is null`,
)

const selectRefundOutcome = sqlOfMany<{ refund_outcome: string }>(
  'sandbox.select_refund_outcome',
  'select refund_outcome from sandbox_charges where business_id = $1 and id = $2',
)

/** A made-up holder name, always the same for an account number. */
function sandboxHolder(accountNumber: string): string {
  const first = ['Ada', 'Bola', 'Chidi', 'Dayo', 'Efe', 'Funmi', 'Gozie', 'Halima', 'Ife', 'Jumoke']
  const last = [
    'Okafor',
    'Adeyemi',
    'Bello',
    'Eze',
    'Ibrahim',
    'Lawal',
    'Nwosu',
    'Okoro',
    'Sani',
    'Uche',
  ]
  const digest = sha256(accountNumber)
  return `${first[(digest[0] as number) % 10]} ${last[(digest[1] as number) % 10]}`
}

function stateOf(order: PayoutOrder, row: OrderRow): OrderState {
  const providerReference = `sbx_${order.id}`
  if (row.settles_at === null || row.settles_at > order.at)
    return {
      state: 'processing',
      providerReference,
      askAgainInMs: row.settles_at === null ? dayMs : row.settles_at.getTime() - order.at.getTime(),
    }
  if (row.outcome !== 'completed')
    return { state: 'failed', reason: row.outcome as FailureReason, providerReference }
  if (row.returned !== null)
    return { state: 'returned', reason: row.returned as FailureReason, providerReference }
  const txHash =
    order.destination.type === 'crypto' ? `0x${sha256(order.id).toString('hex')}` : null
  return { state: 'completed', providerReference, txHash }
}

/** The charged test card determines the end of its refund. */
async function refundBehaviour(db: Database, order: PayoutOrder): Promise<Partial<Behaviour>> {
  if (order.destination.type !== 'charge') return {}
  const charge = await db.row(selectRefundOutcome, [order.businessId, order.destination.charge.id])
  return { outcome: (charge?.refund_outcome ?? 'rejected') as Behaviour['outcome'] }
}

/**
 * Returns the sandbox rail.
 * @param delayMs how long each of its steps takes, in the business's test time
 */
export function sandboxRail(db: Database, delayMs: number): SimulatedRail {
  const ask = async (order: PayoutOrder): Promise<OrderState> => {
    const row = await settle(db, { business_id: order.businessId, id: order.id, at: order.at })
    return row?.taken ? stateOf(order, row) : { state: 'not_found' }
  }

  return {
    name: 'sandbox',
    holdMs: delayMs,
    arrivalMs: 2 * delayMs,
    orderLifeMs: 0,

    async send(order) {
      const behaviour = { ...behaviourOf(order.destination), ...(await refundBehaviour(db, order)) }
      const settlesAt = behaviour.stuck ? null : later(order.at, delayMs)
      const lostBefore =
        behaviour.lost === 'before' &&
        (await db.row(selectOrder, [order.businessId, order.id])) === null
      const row = await record(db, {
        business_id: order.businessId,
        id: order.id,
        outcome: behaviour.outcome,
        taken: !lostBefore,
        settles_at: settlesAt,
      })
      if (lostBefore || behaviour.lost === 'after')
        return { state: 'unknown', askAgainInMs: delayMs }
      return row?.settles_at && row.settles_at <= order.at
        ? ask(order)
        : stateOf(order, row as OrderRow)
    },

    ask,

    async decide(order, outcome, reason) {
      await db.rows(outcome === 'returned' ? returnOrder : decideOrder, [
        order.businessId,
        order.id,
        outcome === 'completed' ? outcome : (reason ?? 'unknown'),
        order.at,
      ])
    },
  }
}

/** The name lookups of the sandbox's banks. */
export const sandboxLookups: LookupRail = {
  name: 'sandbox',
  async lookup(_bankCode, accountNumber) {
    const { lookup } = behaviourOf({
      type: 'ng_bank',
      bank_code: '',
      account_number: accountNumber,
      account_name: null,
    })
    if (lookup === 'not_found') return { found: false }
    if (lookup === 'unavailable') return { found: 'unavailable' }
    return { found: true, accountName: sandboxHolder(accountNumber) }
  },
}
