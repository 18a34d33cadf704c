/**
 * Beneficiaries: where a business pays to, saved. They are changed with the business's wallets
 * locked, and payouts read them so: whom a payout is for is decided in the transaction that holds
 * its amount.
 */

import { recordChange } from '../../books/audit/audit.ts'
import { canPayAnybody } from '../../books/businesses/businesses.ts'
import { lockAccounts } from '../../books/ledger/ledger.ts'
import { walletAccounts } from '../../books/wallets/wallets.ts'
import type { Scope } from '../../core/app.ts'
import { insert, update as updateRow, type View, type Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import type { PayoutMethod } from '../../core/pricing.ts'
import type { Tx } from '../../db/db.ts'
import { listPage, mapPage, type PageOf } from '../../db/lists/list.ts'
import { later } from '../../lib/clock.ts'
import { refuse as refuseGenerally } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { walletCurrencies } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import {
  type DestinationInput,
  describeDestination,
  readDestination,
  resolveHolder,
  type StoredDestination,
} from '../../platform/destinations/destinations.ts'
import { payoutTerms } from '../../rails/accounts/choice.ts'
import { payeeRulesOf } from '../limits/limits.ts'
import { refuse } from './refusals.ts'
import type {
  BeneficiaryIn,
  BeneficiaryQuery,
  BeneficiaryRecord,
  BeneficiaryUpdate,
} from './schema.ts'
import {
  type BeneficiaryRow,
  beneficiaries,
  lockBeneficiary,
  matches,
  selectBeneficiary,
  selectPayees,
  selectSome,
} from './sql.ts'

export { beneficiaryRefusals, ownCodes, payeeCodes } from './refusals.ts'
export type { BeneficiaryRow } from './sql.ts'
export type Beneficiary = Static<typeof BeneficiaryRecord>

/** Where money is to go, looked up. */
type Payee = Pick<BeneficiaryRow, 'method' | 'destination' | 'warnings'>

/**
 * Reads where a beneficiary is paid, and asks the bank who holds it.
 * @throws {Refusal} those of `readDestination` and `resolveHolder`; `rail_not_configured`
 */
async function lookUp(ctx: Ctx, method: PayoutMethod, input: DestinationInput): Promise<Payee> {
  const read = readDestination(ctx, method, input, true)
  payoutTerms(ctx, read)
  return { method, ...(await resolveHolder(ctx, read)) }
}

/** The account or the address alone, in one spelling: two destinations that share it are one. */
function keyOf({
  chain,
  address,
  currency,
  country,
  bank_code,
  routing_number,
  account_number,
}: StoredDestination) {
  if (chain !== undefined) return `${currency} ${chain} ${address?.toLowerCase()}`
  return `${country} ${bank_code ?? routing_number} ${account_number}`
}

/** @throws {Refusal} those of `lookUp` */
export async function prepareNew(ctx: Ctx, input: Static<typeof BeneficiaryIn>) {
  return { input, payee: await lookUp(ctx, input.method, input.destination) }
}

/**
 * Saves a beneficiary, which cools off before payouts can name it.
 * @throws {Refusal} `beneficiaries_not_by_payer`
 */
export async function create(
  work: Work,
  { input, payee }: Awaited<ReturnType<typeof prepareNew>>,
): Promise<Beneficiary> {
  const { now } = work.scope
  const coolingOffMs = await lockPayees(work)
  const row = await insert(work, beneficiaries, {
    ...payee,
    id: newId(now),
    label: input.label,
    destination_key: keyOf(payee.destination),
    own: input.own ?? false,
    usable_from: later(now, coolingOffMs),
    metadata: input.metadata ?? {},
    created_at: now,
    updated_at: now,
  })
  if (!row) throw new Error('the beneficiary was not stored')
  await recordChange(work, {
    action: 'beneficiary.created',
    subject: row.id,
    before: null,
    after: audited(row),
  })
  return toBeneficiary(work, row)
}

/** @throws {Refusal} `not_found`, those of `lookUp` */
export async function prepareChange(ctx: Ctx, id: string, input: Static<typeof BeneficiaryUpdate>) {
  const { method, destination } = input
  const { method: known } = await find(ctx, id)
  if (destination !== undefined)
    return { id, input, payee: await lookUp(ctx, method ?? known, destination) }
  if (method !== undefined && method !== known)
    refuse(
      'invalid_destination',
      `It is paid by ${known}: for another method, give the destination as well.`,
    )
  return { id, input, payee: null }
}

/**
 * Changes a beneficiary. One that is paid elsewhere from now on cools off anew, and is not
 * confirmed any more.
 * @throws {Refusal} `not_found`, `beneficiaries_not_by_payer`
 */
export async function change(
  work: Work,
  { id, input, payee }: Awaited<ReturnType<typeof prepareChange>>,
): Promise<Beneficiary> {
  const { now } = work.scope
  const coolingOffMs = await lockPayees(work)
  const before = (await work.row(lockBeneficiary, [id])) ?? unknown(id)
  const key = payee ? keyOf(payee.destination) : before.destination_key
  const moves = payee !== null && !isSame(before, payee)
  const after = await updateRow(work, beneficiaries, before.id, {
    label: input.label ?? before.label,
    method: payee?.method ?? before.method,
    destination: payee?.destination ?? before.destination,
    destination_key: key,
    warnings: payee?.warnings ?? before.warnings,
    revision: moves ? before.revision + 1 : before.revision,
    usable_from: moves ? later(now, coolingOffMs) : before.usable_from,
    confirmed_at: moves ? null : before.confirmed_at,
    confirmed_by: moves ? null : before.confirmed_by,
    metadata: input.metadata ?? before.metadata,
    updated_at: now,
  })
  const entry = { action: 'beneficiary.changed', subject: before.id } as const
  await recordChange(work, { ...entry, before: audited(before), after: audited(after) })
  return toBeneficiary(work, after)
}

/** Whether money goes to the same account and the same holder as before. */
function isSame({ destination: before }: BeneficiaryRow, { destination }: Payee): boolean {
  const fields = ['account_name', 'account_type', 'resolved_account_name'] as const
  return (
    keyOf(before) === keyOf(destination) &&
    fields.every((field) => before[field] === destination[field])
  )
}

/**
 * Deletes a beneficiary: it reads as not found from now on. Payouts that were made for it stay as
 * they are.
 * @returns the beneficiary as it was last
 * @throws {Refusal} `not_found`
 */
export async function remove(work: Work, id: string): Promise<Beneficiary> {
  await lockAccounts(work, walletCurrencies.flatMap(walletAccounts))
  const row = (await work.row(lockBeneficiary, [id])) ?? unknown(id)
  await updateRow(work, beneficiaries, row.id, { deleted_at: work.scope.now })
  await recordChange(work, {
    action: 'beneficiary.removed',
    subject: row.id,
    before: audited(row),
    after: null,
  })
  return toBeneficiary(work, row)
}

/**
 * Locks the wallets, whose payouts then wait.
 * @returns how long a beneficiary cools off, in milliseconds
 * @throws {Refusal} `beneficiaries_not_by_payer` when a key acts that could pay whom it adds,
 * though keys pay beneficiaries alone
 */
async function lockPayees(work: Work): Promise<number> {
  await lockAccounts(work, walletCurrencies.flatMap(walletAccounts))
  const { payoutsByKey, coolingOffMs } = await payeeRulesOf(work)
  const { actor } = work.scope
  if (payoutsByKey === 'beneficiaries' && actor?.type === 'key' && canPayAnybody(actor.scopes))
    refuse('beneficiaries_not_by_payer')
  return coolingOffMs
}

/** One beneficiary. @throws {Refusal} `not_found` */
export async function get(view: View, id: string): Promise<Beneficiary> {
  return toBeneficiary(view, await find(view, id))
}

async function find(view: View, id: string): Promise<BeneficiaryRow> {
  return (await view.row(selectBeneficiary, [id])) ?? unknown(id)
}

function unknown(id: string): never {
  refuseGenerally('not_found', `There is no beneficiary '${id}'.`)
}

export async function list(
  ctx: Ctx,
  query: Static<typeof BeneficiaryQuery>,
): Promise<PageOf<Beneficiary>> {
  const { status, method, own, search } = query
  const { now } = ctx.scope
  const page = await listPage<BeneficiaryRow>(ctx, beneficiaries, query, {
    where: 'deleted_at is null',
    filters: [
      ['usable_from <= ?', status === 'active' ? now : undefined],
      ['usable_from > ?', status === 'cooling_off' ? now : undefined],
      ['method = ?', method],
      ['own = ?', own],
      [matches, search?.trim()],
    ],
  })
  return mapPage(page, (row) => toBeneficiary(ctx, row))
}

/** The record as the API gives it. */
export function toBeneficiary({ scope }: View, row: BeneficiaryRow): Beneficiary {
  const { destination_key: _key, revision: _revision, deleted_at: _deleted, ...record } = row
  return {
    ...record,
    verified_name: row.destination.resolved_account_name ?? null,
    status: row.usable_from <= scope.now ? 'active' : 'cooling_off',
  }
}

/** What the audit log says of it. */
const audited = ({
  label,
  method,
  destination,
  own,
  usable_from,
  confirmed_at,
}: BeneficiaryRow) => ({
  label,
  method,
  destination,
  own,
  usable_from,
  confirmed_at,
})

/** The beneficiary that a request names. @throws {Refusal} `beneficiary_not_found` */
export async function requireBeneficiary(view: View, id: string): Promise<BeneficiaryRow> {
  return (await view.row(selectBeneficiary, [id])) ?? refuseUnknown(id)
}

/**
 * The account of the business's own that standing payouts go to.
 * @throws {Refusal} `beneficiary_not_found`, `beneficiary_not_own`, `beneficiary_not_confirmed`
 */
export async function requireOwn(view: View, id: string): Promise<BeneficiaryRow> {
  const row = await requireBeneficiary(view, id)
  if (!row.own)
    refuse(
      'beneficiary_not_own',
      'Standing payouts go to an account of your own alone: save it as one.',
    )
  if (row.confirmed_at === null)
    refuse(
      'beneficiary_not_confirmed',
      'Somebody of your team has to confirm at the dashboard, with a second factor, that the account is your own.',
    )
  return row
}

/** Some beneficiaries, by their ids; those that there are not are left out. */
export async function findBeneficiaries(view: View, ids: Id[]): Promise<Map<Id, BeneficiaryRow>> {
  const rows = ids.length > 0 ? await view.rows(selectSome, [ids]) : []
  return new Map(rows.map((row) => [row.id, row]))
}

function refuseUnknown(id: string): never {
  refuse('beneficiary_not_found', `There is no beneficiary '${id}'.`)
}

/**
 * A payout, as far as whom it is for. `listed`: it must be for a beneficiary, because a key makes
 * it.
 */
export type PayeeOf = {
  scope: Scope
  destination: StoredDestination
  /** What it names, as it was read before; null: where it goes was said. */
  beneficiary: { id: Id; revision: number } | null
  listed: boolean
}

/**
 * Reads whom some payouts are for, in one statement; in none where no payout asks for it. To be
 * called with the wallets locked.
 * @returns what refuses the payout at a place of the list: `beneficiary_not_found`,
 * `beneficiary_changed` (409),
 *   `beneficiary_cooling_off`, `destination_not_allowed`
 */
export async function openPayees(tx: Tx, payouts: PayeeOf[]): Promise<(place: number) => void> {
  const asked = payouts
    .map((_, place) => place)
    .filter((place) => isAsked(payouts[place] as PayeeOf))
  if (asked.length === 0) return () => undefined
  const wanted = asked.map((place) => payouts[place] as PayeeOf)
  const rows = await tx.rows(selectPayees, [
    wanted.map(({ scope }) => scope.businessId),
    wanted.map(({ scope }) => scope.livemode),
    wanted.map(({ beneficiary }) => beneficiary?.id ?? null),
    wanted.map(({ destination }) => keyOf(destination)),
  ])
  const found = new Map(rows.map((row) => [asked[Number(row.position) - 1], row]))
  return (place) => {
    const { scope, destination, beneficiary } = payouts[place] as PayeeOf
    if (!isAsked(payouts[place] as PayeeOf)) return
    const row = found.get(place)
    if (beneficiary === null && !row)
      refuse(
        'destination_not_allowed',
        `Keys of this business pay beneficiaries alone, and ${describeDestination(destination)} is none: add it first (POST /beneficiaries), or pay it by hand.`,
      )
    if (!row) refuseUnknown(beneficiary?.id as Id)
    if (beneficiary && row.revision !== beneficiary.revision)
      refuse(
        'beneficiary_changed',
        'The destination of the beneficiary was changed a moment ago: look at it first.',
      )
    if (row.usable_from > scope.now)
      refuse(
        'beneficiary_cooling_off',
        `The beneficiary is new, or its destination was changed: it can be paid from ${row.usable_from.toISOString()}.`,
      )
  }
}

const isAsked = ({ beneficiary, listed }: PayeeOf): boolean => beneficiary !== null || listed
