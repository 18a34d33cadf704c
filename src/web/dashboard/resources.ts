/**
 * The resources that have pages, in the order of the menu.
 */
import type { Resource } from './resource.ts'
import { cryptoWallets, virtualAccounts } from './resources/accounts.ts'
import { auditLog } from './resources/audit-log.ts'
import { batches } from './resources/batches.ts'
import { beneficiaries } from './resources/beneficiaries.ts'
import { collections } from './resources/collections.ts'
import { conversions } from './resources/conversions.ts'
import { creditNotes } from './resources/credit-notes.ts'
import { customers } from './resources/customers.ts'
import { deliveries, events } from './resources/deliveries.ts'
import { disputes } from './resources/disputes.ts'
import { distributions } from './resources/distributions.ts'
import { invoices } from './resources/invoices.ts'
import { keys } from './resources/keys.ts'
import { payments } from './resources/payments.ts'
import { payoutSchedules } from './resources/payout-schedules.ts'
import { payouts } from './resources/payouts.ts'
import { products } from './resources/products.ts'
import { refunds } from './resources/refunds.ts'
import { requests } from './resources/requests.ts'
import { transactions } from './resources/transactions.ts'
import { webhooks } from './resources/webhooks.ts'

export const resources: readonly Resource[] = [
  payments,
  refunds,
  disputes,
  customers,
  collections,
  virtualAccounts,
  cryptoWallets,
  payouts,
  batches,
  beneficiaries,
  payoutSchedules,
  conversions,
  invoices,
  creditNotes,
  products,
  distributions,
  transactions,
  webhooks,
  deliveries,
  events,
  keys,
  requests,
  auditLog,
]
