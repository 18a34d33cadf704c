/**
 * Beneficiaries: saved payout destinations. They change only with the business's wallets locked,
 * and payouts read them under that lock, so the recipient is fixed in the transaction that holds
 * the amount.
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

/** A validated destination with its holder. */
type Payee = Pick<BeneficiaryRow, 'method' | 'destination' | 'warnings'>

/**
 * Validates a beneficiary's destination, and queries the bank for its holder.
 * @throws {Refusal} those of `readDestination` and `resolveHolder`; `rail_not_configured`
 */
async function lookUp(ctx: Ctx, method: PayoutMethod, input: DestinationInput): Promise<Payee> {
  const read = readDestination(ctx, method, input, true)
  payoutTerms(ctx, read)
  return { method, ...(await resolveHolder(ctx, read)) }
}

/** The account or address in one canonical form: destinations with the same key are the same. */
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
 * Saves a beneficiary. Payouts can name it after its cooling-off time.
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
 * Changes a beneficiary. A new destination starts the cooling-off time again and removes the
 * confirmation.
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

/** Whether the destination has the same account and holder as before. */
function isSame({ destination: before }: BeneficiaryRow, { destination }: Payee): boolean {
  const fields = ['account_name', 'account_type', 'resolved_account_name'] as const
  return (
    keyOf(before) === keyOf(destination) &&
    fields.every((field) => before[field] === destination[field])
  )
}

/**
 * Deletes a beneficiary: from now on it is not found. Its payouts stay.
 * @returns its last state
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
 * Locks the wallets, so that payouts wait.
 * @returns the cooling-off time of beneficiaries, in milliseconds
 * @throws {Refusal} `beneficiaries_not_by_payer` when keys may pay only beneficiaries, and the
 * acting key could both add and pay one
 */
async function lockPayees(work: Work): Promise<number> {
  await lockAccounts(work, walletCurrencies.flatMap(walletAccounts))
  const { payoutsByKey, coolingOffMs } = await payeeRulesOf(work)
  const { actor } = work.scope
  if (payoutsByKey === 'beneficiaries' && actor?.type === 'key' && canPayAnybody(actor.scopes))
    refuse('beneficiaries_not_by_payer')
  return coolingOffMs
}

/** Returns a beneficiary. @throws {Refusal} `not_found` */
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

/** The record as in the API. */
export function toBeneficiary({ scope }: View, row: BeneficiaryRow): Beneficiary {
  const { destination_key: _key, revision: _revision, deleted_at: _deleted, ...record } = row
  return {
    ...record,
    verified_name: row.destination.resolved_account_name ?? null,
    status: row.usable_from <= scope.now ? 'active' : 'cooling_off',
  }
}

/** The beneficiary's fields in the audit log. */
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

/** Returns the beneficiary that a request names. @throws {Refusal} `beneficiary_not_found` */
export async function requireBeneficiary(view: View, id: string): Promise<BeneficiaryRow> {
  return (await view.row(selectBeneficiary, [id])) ?? refuseUnknown(id)
}

/**
 * Returns a confirmed own account, for payout schedules.
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
      'A person of your team must confirm at the dashboard, with a second factor, that the account is your own.',
    )
  return row
}

/** Returns beneficiaries by their ids, without unknown ones. */
export async function findBeneficiaries(view: View, ids: Id[]): Promise<Map<Id, BeneficiaryRow>> {
  const rows = ids.length > 0 ? await view.rows(selectSome, [ids]) : []
  return new Map(rows.map((row) => [row.id, row]))
}

function refuseUnknown(id: string): never {
  refuse('beneficiary_not_found', `There is no beneficiary '${id}'.`)
}

/**
 * The recipient of a payout. `listed`: it must be a beneficiary, because a key creates the payout.
 */
export type PayeeOf = {
  scope: Scope
  destination: StoredDestination
  /** The named beneficiary as read before; null: the request gave the destination. */
  beneficiary: { id: Id; revision: number } | null
  listed: boolean
}

/**
 * Reads the recipients of payouts in one statement; in none if no payout needs it. Call it with the
 * wallets locked.
 * @returns a function that refuses the payout at a position: `beneficiary_not_found`,
 * `beneficiary_changed` (409), `beneficiary_cooling_off`, `destination_not_allowed`
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
