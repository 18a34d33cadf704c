/**
 * What things cost, and what currencies are worth in each other: by tables, which plans have, which
 * businesses have.
 */
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
