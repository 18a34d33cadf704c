/**
 * Plans of prices, made as the module makes them, for tests of what is priced by them.
 */
import { addVersion, assignPlan, createPlan, type Plan } from '../../src/books/pricing/pricing.ts'
import type { App } from '../../src/core/app.ts'
import { outside } from '../../src/core/outside.ts'
import type { PricingTable } from '../../src/core/pricing.ts'
import type { Id } from '../../src/lib/ids.ts'

type Prices = Partial<PricingTable>

const operatorId = '000000000000000000000001' as Id
const scopeOf = (app: App, businessId: Id) => ({ businessId, livemode: true, now: app.clock.now() })

/** Payouts from a wallet in naira to a bank that cost so much, whatever their amount. */
export const payoutsFor = (fee: number): Prices => ({
  platform: { 'bank_transfer.ngn': { flat: fee, bps: 0, min: 0, max: null } },
  provider: {},
})

let count = 0

export const makePlan = (app: App, prices: Prices, name = `Plan ${++count}`): Promise<Plan> =>
  outside(app, scopeOf(app, operatorId)).write((work) =>
    createPlan(work, { clock: app.clock, name, prices }),
  )

export const changePlan = (app: App, plan: Id, prices: Prices, holdsFrom?: Date): Promise<Plan> =>
  outside(app, scopeOf(app, operatorId)).write((work) =>
    addVersion(work, { clock: app.clock, plan, prices, holdsFrom }),
  )

export const givePlan = (app: App, businessId: Id, plan: Id | null, holdsFrom?: Date) =>
  outside(app, scopeOf(app, businessId)).write((work) =>
    assignPlan(work, { clock: app.clock, plan, holdsFrom }),
  )
