/** Prices and exchange rates, by tables that belong to plans of businesses. */
export { holdPrices } from './memory.ts'
export {
  decideOfficial,
  hasMoved,
  isOfficial,
  keepFetched,
  listOfficial,
  type OfficialPair,
  type OfficialRow,
  officialPairs,
  rateAt,
  validUntil,
} from './official.ts'
export {
  addVersion,
  assignPlan,
  createPlan,
  findPlan,
  getPlan,
  listPlans,
  minimumLeadMs,
  type Plan,
  type PlanOf,
  type PlanVersion,
  type PricesClock,
  plansOf,
} from './plans.ts'
export { priceRefusals } from './refusals.ts'
export {
  assertCreditable,
  defaultPricing,
  makePricing,
  readPricing,
  readTable,
} from './table.ts'
