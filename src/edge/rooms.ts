/**
 * The rooms of the house, and what they come to together. The reference page lists them in this order.
 */
import { businesses } from '../books/businesses/room.ts'
import { exchange } from '../books/exchange/room.ts'
import { ledger } from '../books/ledger/room.ts'
import { pricing } from '../books/pricing/room.ts'
import { profiles } from '../books/profiles/room.ts'
import { proofs } from '../books/proofs/room.ts'
import { receipts } from '../books/receipts/room.ts'
import { statements } from '../books/statements/room.ts'
import { transactions } from '../books/transactions/room.ts'
import { wallets } from '../books/wallets/room.ts'
import { collections } from '../collecting/collections/room.ts'
import { crypto } from '../collecting/crypto/room.ts'
import { customers } from '../collecting/customers/room.ts'
import { deposits } from '../collecting/deposits/room.ts'
import { disputes } from '../collecting/disputes/room.ts'
import { payments } from '../collecting/payments/room.ts'
import { refunds } from '../collecting/refunds/room.ts'
import { returns } from '../collecting/returns/room.ts'
import { virtualAccounts } from '../collecting/virtual-accounts/room.ts'
import type { Check, EventDeclarations, Room } from '../core/room.ts'
import { countChecks } from '../db/count-checks.ts'
import { general, type RefusalCodes } from '../lib/errors.ts'
import { batches } from '../paying-out/batches/room.ts'
import { beneficiaries } from '../paying-out/beneficiaries/room.ts'
import { conversions } from '../paying-out/conversions/room.ts'
import { destinations } from '../paying-out/destinations/room.ts'
import { limits } from '../paying-out/limits/room.ts'
import { lookups } from '../paying-out/lookups/room.ts'
import { payoutSchedules } from '../paying-out/payout-schedules/room.ts'
import { payouts } from '../paying-out/payouts/room.ts'
import { clock } from '../platform/clock/room.ts'
import { customerKeys } from '../platform/customer-keys/room.ts'
import { emptying } from '../platform/emptying/room.ts'
import { inbound } from '../platform/inbound/room.ts'
import { incidents } from '../platform/incidents/room.ts'
import { mail } from '../platform/mail/room.ts'
import { operator } from '../platform/operator/room.ts'
import { requests } from '../platform/requests/room.ts'
import { screening } from '../platform/screening/room.ts'
import { team } from '../platform/team/room.ts'
import { webhooks } from '../platform/webhooks/room.ts'
import { creditNotes } from '../selling/credit-notes/room.ts'
import { distributions } from '../selling/distributions/room.ts'
import { invoices } from '../selling/invoices/room.ts'
import { products } from '../selling/products/room.ts'
import { checkout } from './checkout/room.ts'
import { explanations } from './explain/room.ts'
import { installation } from './installation/room.ts'

const business: Room[] = [
  ledger,
  receipts,
  wallets,
  virtualAccounts,
  deposits,
  payments,
  checkout,
  collections,
  refunds,
  returns,
  disputes,
  products,
  distributions,
  invoices,
  creditNotes,
  payouts,
  exchange,
  conversions,
  batches,
  payoutSchedules,
  limits,
  beneficiaries,
  destinations,
  customers,
  transactions,
  statements,
  proofs,
  crypto,
  lookups,
  profiles,
  businesses,
  pricing,
]

/** One record of what several declare. @throws {Error} when two declare the same: each type and each code has one room */
function joined<T>(parts: (Readonly<Record<string, T>> | undefined)[]): Record<string, T> {
  const all: Record<string, T> = {}
  for (const part of parts)
    for (const [name, declared] of Object.entries(part ?? {})) {
      if (name in all) throw new Error(`two rooms declare '${name}'`)
      all[name] = declared
    }
  return all
}

/** The catalogue of event types. */
export const events: EventDeclarations = joined(business.map((room) => room.events))

const platform: Room[] = [
  webhooks(events),
  inbound,
  incidents,
  mail,
  team,
  requests,
  clock,
  operator,
  screening,
  emptying,
  customerKeys,
]

const timelines = [...business, ...platform].flatMap((room) => room.timelines ?? [])

export const rooms: Room[] = [...business, explanations(timelines), ...platform, installation]

/** The catalogue of refusals. */
export const refusals: RefusalCodes = joined([general, ...rooms.map((room) => room.refusals?.own)])

export const routes = rooms.flatMap((room) => room.routes ?? [])
export const ofOperator = rooms.flatMap((room) => room.ofOperator ?? [])
export const ofPeople = rooms.flatMap((room) => room.ofPeople ?? [])

export const tasks = joined(rooms.map((room) => room.tasks))
export const slowTasks = joined(rooms.map((room) => room.slowTasks))
/** All that `bursar ledger verify` looks at. */
export const checks: readonly Check[] = [...rooms.flatMap((room) => room.checks ?? []), ...countChecks]
export const sealed = rooms.flatMap((room) => room.sealed ?? [])

/** What is kept of customers as people. */
export const personal = rooms.flatMap((room) => room.personal ?? [])

export const openOrders = rooms.flatMap((room) => room.openOrders ?? [])
