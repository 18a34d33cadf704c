/** Lists the modules, in the order of the reference page, and joins what they declare. */

import { explanations } from '../api/explain/module.ts'
import { installation } from '../api/installation/module.ts'
import { bankStatements } from '../books/bank-statements/module.ts'
import { businesses } from '../books/businesses/module.ts'
import { exchange } from '../books/exchange/module.ts'
import { journals } from '../books/journals/module.ts'
import { ledger } from '../books/ledger/module.ts'
import { pricing } from '../books/pricing/module.ts'
import { profiles } from '../books/profiles/module.ts'
import { proofs } from '../books/proofs/module.ts'
import { receipts } from '../books/receipts/module.ts'
import { statements } from '../books/statements/module.ts'
import { transactions } from '../books/transactions/module.ts'
import { wallets } from '../books/wallets/module.ts'
import { collections } from '../collecting/collections/module.ts'
import { crypto } from '../collecting/crypto/module.ts'
import { customers } from '../collecting/customers/module.ts'
import { deposits } from '../collecting/deposits/module.ts'
import { disputes } from '../collecting/disputes/module.ts'
import { payments } from '../collecting/payments/module.ts'
import { refunds } from '../collecting/refunds/module.ts'
import { returns } from '../collecting/returns/module.ts'
import { virtualAccounts } from '../collecting/virtual-accounts/module.ts'
import type { App } from '../core/app.ts'
import type { Check, EventDeclarations, Module } from '../core/module.ts'
import { countChecks } from '../db/lists/count-checks.ts'
import { general, type RefusalCodes } from '../lib/errors.ts'
import type { PeriodicTask } from '../lib/periodic.ts'
import { batches } from '../paying-out/batches/module.ts'
import { beneficiaries } from '../paying-out/beneficiaries/module.ts'
import { conversions } from '../paying-out/conversions/module.ts'
import { limits } from '../paying-out/limits/module.ts'
import { payoutSchedules } from '../paying-out/payout-schedules/module.ts'
import { payouts } from '../paying-out/payouts/module.ts'
import { clock } from '../platform/clock/module.ts'
import { customerKeys } from '../platform/customer-keys/module.ts'
import { destinations } from '../platform/destinations/module.ts'
import { emptying } from '../platform/emptying/module.ts'
import { inbound } from '../platform/inbound/module.ts'
import { incidents } from '../platform/incidents/module.ts'
import { lookups } from '../platform/lookups/module.ts'
import { mail } from '../platform/mail/module.ts'
import { operator } from '../platform/operator/module.ts'
import { requests } from '../platform/requests/module.ts'
import { screening } from '../platform/screening/module.ts'
import { team } from '../platform/team/module.ts'
import { webhooks } from '../platform/webhooks/module.ts'
import { creditNotes } from '../selling/credit-notes/module.ts'
import { distributions } from '../selling/distributions/module.ts'
import { invoices } from '../selling/invoices/module.ts'
import { products } from '../selling/products/module.ts'
import { checkout } from '../web/checkout/module.ts'

const business = [
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
  journals,
  bankStatements,
  proofs,
  crypto,
  lookups,
  profiles,
  businesses,
  pricing,
] as const satisfies Module[]

/**
 * One record of what several declare. @throws {Error} when two declare the same: each type and each
 * code has one module
 */
function joined<T>(parts: (Readonly<Record<string, T>> | undefined)[]): Record<string, T> {
  const all: Record<string, T> = {}
  for (const part of parts)
    for (const [name, declared] of Object.entries(part ?? {})) {
      if (name in all) throw new Error(`two modules declare '${name}'`)
      all[name] = declared
    }
  return all
}

/** The catalogue of event types. */
export const events: EventDeclarations = joined(business.map((module: Module) => module.events))

const platform = [
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
] as const satisfies Module[]

const timelines = [...business, ...platform].flatMap((module: Module) => module.timelines ?? [])

const all = [...business, explanations(timelines), ...platform, installation] as const

export const modules: Module[] = [...all]

type RoutesOf<M> = M extends
  | { routes: infer Declared }
  | { ofPeople: infer Declared }
  | { ofOperator: infer Declared }
  ? Declared
  : never
type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  part: infer Whole extends object,
) => void
  ? Whole
  : never

declare module '../core/operations.ts' {
  interface OperationRoutes extends Intersection<RoutesOf<(typeof all)[number]>> {}
}

/** The catalogue of refusals. */
export const refusals: RefusalCodes = joined([
  general,
  ...modules.map((module) => module.refusals?.own),
])

export const routes = modules.flatMap((module) => Object.values(module.routes ?? {}))
export const ofOperator = modules.flatMap((module) => Object.values(module.ofOperator ?? {}))
export const ofPeople = modules.flatMap((module) => Object.values(module.ofPeople ?? {}))

export const tasks = joined(modules.map((module) => module.tasks))
export const slowTasks = joined(modules.map((module) => module.slowTasks))
export const periodicTasks = (app: App): PeriodicTask[] =>
  modules.flatMap((module) => module.periodic?.(app) ?? [])
/** All that `bursar ledger verify` looks at. */
export const checks: readonly Check[] = [
  ...modules.flatMap((module) => module.checks ?? []),
  ...countChecks,
]
export const sealed = modules.flatMap((module) => module.sealed ?? [])

/** What is kept of customers as people. */
export const personal = modules.flatMap((module) => module.personal ?? [])

export const openOrders = modules.flatMap((module) => module.openOrders ?? [])
