/**
 * The books held against a provider: what it lists against the receipts, what it owes against the
 * clearing accounts. What is in order is completed (fees, settlements); what is not is an incident,
 * and nothing is booked by guessing.
 */

import { operator } from '../../books/ledger/ledger.ts'
import {
  bookSettlement,
  isStarted,
  type KnownReceipt,
  markSettled,
  owedBy,
  receiptsOf,
  recordReceipt,
  settleFee,
} from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { type Id, newId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import type { RailAccount } from '../../rails/ports/routes.ts'
import type { Movement, ProviderStatement, StatementRail } from '../../rails/ports/statement.ts'
import { findOwner, queryRecord } from '../inbound/inbound.ts'
import { closedBefore, openIncident } from '../incidents/incidents.ts'
import { bookedWith, type Comparison, compare, type FindingKind, recordsOf } from './comparing.ts'
import * as statements from './sql.ts'

export type { Run } from './sql.ts'

const dayMs = 86_400_000
/** How far back is looked unless somebody says: settlements and reversals come days later. */
const usualDays = 14
/**
 * A movement is listed by when it began, and booked when it ended: so much earlier is listed too.
 */
const overlapMs = 4 * dayMs
/** How long what a provider lists may be on its way into the books. */
const graceMs = 30 * 60_000
const keptMs = 400 * dayMs

/**
 * A change of an account's balance at its provider that is no payment, payout, refund, settlement
 * or top-up; amount in minor units.
 */
export type AccountChange = OfAccount & {
  currency: WalletCurrency
  providerId: string
  /** The provider's id of what it is about, such as a dispute. */
  of: string | null
  amount: bigint
  at: Date
}
type OfAccount = { livemode: boolean; rail: string }

declare module '../../core/app.ts' {
  interface Strategies {
    /** What books such changes, once each. @returns whether it is booked */
    accountChanges: readonly ((app: App, change: AccountChange) => Promise<boolean>)[]
  }
}

export type ReconciledAccount = { livemode: boolean; rail: string; statement: StatementRail }

/** An account that can be reconciled, or null. */
export function reconciled(
  app: Pick<App, 'rails'>,
  livemode: boolean,
  rail: string,
): ReconciledAccount | null {
  const accounts: Record<string, RailAccount> = app.rails[modeOf(livemode)].accounts
  const statement = Object.hasOwn(accounts, rail) ? accounts[rail]?.statement : undefined
  return statement ? { livemode, rail, statement } : null
}

/**
 * @property difference what the provider owes by it beyond what is booked; of what is accepted a
 * person has closed the incident before
 */
export type Finding = {
  kind: FindingKind | 'balance_differs'
  subject: string
  difference: bigint
  detail: Record<string, unknown>
  accepted: boolean
}

/**
 * Of a kind of movement: how many the provider lists, and how many of them are booked as it says.
 */
export type Line = {
  kind: Movement['kind']
  listed: number
  agreed: number
  waiting: number
  amount: bigint
  fees: bigint
}

/**
 * Amounts in minor units. `onTheWay`: what is taken or given there and not booked here, as it is
 * not over.
 */
export type Report = {
  livemode: boolean
  rail: string
  currency: WalletCurrency
  from: Date
  to: Date
  lines: Line[]
  settlements: number
  topUps: number
  opening: bigint | null
  available: bigint
  unsettled: bigint
  onTheWay: bigint
  owed: bigint
  booked: bigint
  difference: bigint
  findings: Finding[]
}

/**
 * Since when, and whether what the provider owed before the books began is booked as such. `onRead`
 * is told how many rows the provider has listed.
 */
export type Asked = {
  from?: Date | undefined
  to?: Date | undefined
  opening?: boolean
  onRead?(rows: number): void
}

/**
 * Holds the books of an account against its provider. Can be run any time, twice, and by several at
 * once.
 * @throws {Error} a sentence, when the provider did not say all that it was asked for
 */
export async function reconcile(
  app: App,
  account: ReconciledAccount,
  asked: Asked = {},
): Promise<Report> {
  const first = await attempt(app, account, asked)
  // Something may have moved between what was read there and here.
  const again = first.findings.some(({ kind }) => kind === 'balance_differs')
  const report = again ? await attempt(app, account, asked) : first
  await keepFindings(app, account, report)
  await keepRun(app, report)
  return report
}

async function attempt(app: App, account: ReconciledAccount, asked: Asked): Promise<Report> {
  const { livemode, rail } = account
  const now = app.clock.now()
  const known = await app.db.row(statements.selectFirstSeen, [livemode, rail])
  const usual = later(now, -usualDays * dayMs)
  const begun = known?.first_seen_at ?? now
  const from = asked.from ?? (begun > usual ? begun : usual)
  const to = asked.to ?? now
  const said = await account.statement.read(later(from, -overlapMs), asked.onRead)
  const booked = await bookSettled(app, account, said, from)
  const compared = await compareAll(app, account, said, { from, to, now })
  const clearing = await owedBy(app.db, { livemode, rail, currency: said.currency })
  const owed = said.available + said.unsettled - compared.onTheWay
  const explained = compared.findings.reduce((sum, { difference }) => sum + difference, 0n)
  let opening: bigint | null = null
  const unexplained = owed - clearing.owed - explained
  if (unexplained > 0n && (asked.opening || !(compared.findings.length > 0 || booked.before)))
    opening = (await bookOpening(app, account, said.currency, unexplained)) ? unexplained : null
  const total = clearing.owed + (opening ?? 0n)
  const rest = unexplained - (opening ?? 0n)
  return {
    livemode,
    rail,
    currency: said.currency,
    from,
    to,
    lines: compared.lines,
    opening,
    settlements: booked.settlements,
    topUps: booked.topUps,
    available: said.available,
    unsettled: said.unsettled,
    onTheWay: compared.onTheWay,
    owed,
    booked: total,
    difference: owed - total,
    findings:
      rest === 0n ? compared.findings : [...compared.findings, balanceFinding(owed, total, rest)],
  }
}

const balanceFinding = (owed: bigint, booked: bigint, difference: bigint): Finding => ({
  kind: 'balance_differs',
  subject: '',
  difference,
  accepted: false,
  detail: { owed, booked, unexplained: difference },
})

const operatorOf = async (app: App, livemode: boolean) =>
  outside(app, await scopeOf(app, operator, livemode))

/**
 * Books what came to the bank or left it, and keeps which payments are settled. `before`: whether
 * anything was booked before.
 */
async function bookSettled(
  app: App,
  { livemode, rail }: ReconciledAccount,
  said: ProviderStatement,
  from: Date,
) {
  const before = await isStarted(app.db, { livemode, rail })
  const ctx = await operatorOf(app, livemode)
  const { currency } = said
  let [settlements, topUps] = [0, 0]
  for (const { providerId, amount, to, at, payments } of said.settlements)
    await ctx.write(async (work) => {
      await markSettled(work, { rail, settlement: providerId, at, payments })
      if (to === 'balance' || at < from) return
      if (
        await bookSettlement(work, { rail, kind: 'settlement', providerId, currency, amount, at })
      )
        settlements++
    })
  for (const { providerId, amount, at } of said.topUps.filter((one) => one.at >= from))
    await ctx.write(async (work) => {
      if (await bookSettlement(work, { rail, kind: 'top_up', providerId, currency, amount, at }))
        topUps++
    })
  return { before, settlements, topUps }
}

/** Once for each account. */
async function bookOpening(
  app: App,
  { livemode, rail }: ReconciledAccount,
  currency: WalletCurrency,
  amount: bigint,
): Promise<boolean> {
  const ctx = await operatorOf(app, livemode)
  return ctx.write((work) =>
    bookSettlement(work, {
      rail,
      kind: 'top_up',
      providerId: 'opening',
      currency,
      amount,
      at: work.scope.now,
    }),
  )
}

type Window = { from: Date; to: Date; now: Date }
type Compared = { lines: Line[]; findings: Finding[]; onTheWay: bigint }

async function compareAll(
  app: App,
  account: ReconciledAccount,
  said: ProviderStatement,
  window: Window,
): Promise<Compared> {
  const { livemode, rail } = account
  const { from, to, now } = window
  const namesOf = ({ providerId, reference }: Movement) => [
    providerId,
    ...(reference === null ? [] : [reference]),
  ]
  const ids = said.movements.flatMap(namesOf)
  const receipts = Map.groupBy(
    await receiptsOf(app.db, { livemode, rail, ids, from }),
    (one) => one.provider_id,
  )
  const receiptsFor = (movement: Movement): KnownReceipt[] =>
    namesOf(movement).flatMap((name) => receipts.get(name) ?? [])
  const lines = (['payment', 'payout', 'refund'] as const).map(
    (kind): Line => ({ kind, listed: 0, agreed: 0, waiting: 0, amount: 0n, fees: 0n }),
  )
  const findings: Finding[] = []
  let onTheWay = 0n
  for (const movement of said.movements) {
    let of = receiptsFor(movement)
    // What was before is looked at where it is booked here.
    if (movement.at < from && of.length === 0) continue
    let comparison = compare(movement, of)
    const young = later(movement.at, graceMs) > now
    if (comparison.unbooked && !young && (await askAbout(app, account, movement))) {
      const names = namesOf(movement)
      const known = await receiptsOf(app.db, {
        livemode,
        rail,
        ids: names,
        from: later(now, dayMs),
      })
      // What a test clock has booked in days to come is among them.
      of = known.filter(({ provider_id }) => names.includes(provider_id))
      comparison = compare(movement, of)
    }
    const waits = movement.state === 'open' || (comparison.unbooked && young)
    const { finding } = comparison
    if (!waits && finding === null)
      await complete(app, account, { movement, comparison, currency: said.currency })
    // What is later than was asked for is not judged.
    if (waits || (finding !== null && movement.at > to))
      onTheWay += movement.effect - bookedWith(comparison)
    if (movement.at > to) continue
    const line = lines.find(({ kind }) => kind === movement.kind) as Line
    line.listed++
    line.amount += movement.amount
    line.fees += movement.fee ?? 0n
    if (waits) line.waiting++
    else if (finding === null) line.agreed++
    else findings.push(findingOf(movement, comparison, of))
  }
  const listed = new Set(ids)
  for (const receipt of [...receipts.values()].flat())
    if (!listed.has(receipt.provider_id) && isMissed(receipt, window))
      findings.push(missingThere(receipt))
  for (const { providerId, amount, what, of, at } of said.others.filter((one) => one.at >= from))
    if (at > to) onTheWay += amount
    else if (
      await bookElsewhere(app, {
        livemode,
        rail,
        currency: said.currency,
        providerId,
        of,
        amount,
        at,
      })
    )
      continue
    else
      findings.push({
        kind: 'missing_here',
        subject: `balance ${providerId}`,
        difference: amount,
        accepted: false,
        detail: { what, of, amount },
      })
  return { lines, findings, onTheWay }
}

/**
 * It is old enough to be listed, and young enough not to be cut off. One whose amount is nothing
 * stands for a fee; what came back is listed with what went, which may be long ago.
 */
const isMissed = ({ kind, created_at, amount }: KnownReceipt, { from, to, now }: Window): boolean =>
  amount > 0n &&
  !kind.endsWith('_return') &&
  created_at >= from &&
  created_at <= to &&
  later(created_at, graceMs) <= now

function findingOf(movement: Movement, comparison: Comparison, receipts: KnownReceipt[]): Finding {
  const { kind, providerId, reference, amount, fee, effect, state } = movement
  const owner = receipts[0]
  return {
    kind: comparison.finding as FindingKind,
    subject: `${kind} ${providerId}`,
    accepted: false,
    difference: effect - comparison.booked,
    detail: {
      reference,
      state,
      amount,
      fee,
      ...(owner
        ? { business: owner.business_id, booked: owner.amount, booked_fee: owner.fee }
        : {}),
    },
  }
}

function missingThere(receipt: KnownReceipt): Finding {
  const { kind, provider_id, amount, fee, business_id, subject } = receipt
  const comes = kind === 'charge' || kind === 'deposit'
  return {
    kind: 'missing_there',
    subject: `${kind} ${provider_id}`,
    accepted: false,
    difference: (comes ? -amount : amount) + (fee ?? 0n),
    detail: { business: business_id, record: subject, booked: amount, booked_fee: fee },
  }
}

/** Asks about the record that is known by a movement's names. @returns whether there is one */
async function askAbout(
  app: App,
  { livemode, rail }: ReconciledAccount,
  movement: Movement,
): Promise<boolean> {
  for (const kind of recordsOf[movement.kind]) {
    const about = {
      kind,
      reference: movement.reference,
      providerId: movement.providerId,
      rail,
      livemode,
    }
    try {
      if ((await queryRecord(app, about)) !== 'unknown_subject') return true
    } catch (error) {
      app.log.error(
        { err: error, ...about },
        'a record that a provider lists could not be asked about',
      )
    }
  }
  return false
}

/** What else changed an account's balance is a module's, which books it, or a finding. */
async function bookElsewhere(app: App, change: AccountChange): Promise<boolean> {
  for (const book of app.strategies.accountChanges) if (await book(app, change)) return true
  return false
}

type Agreed = { movement: Movement; comparison: Comparison; currency: WalletCurrency }

/**
 * Whether a record here is known by a movement's names, whosever it is: then asking about it books
 * it.
 */
export async function isClaimed(
  app: App,
  { livemode, rail }: ReconciledAccount,
  movement: Movement,
): Promise<boolean> {
  const { reference, providerId } = movement
  const owners = recordsOf[movement.kind].map((kind) =>
    findOwner(app, { kind, reference, providerId, rail, livemode }),
  )
  return (await Promise.all(owners)).some((owner) => owner !== null)
}

/** What is in order has its fees booked, once they are known. */
async function complete(
  app: App,
  { livemode, rail }: ReconciledAccount,
  { movement, comparison, currency }: Agreed,
) {
  const { fees, kept } = comparison
  for (const { receipt, fee } of fees) {
    const ctx = outside(app, await scopeOf(app, receipt.business_id as Id, livemode))
    await ctx.write((work) =>
      settleFee(work, { rail, kind: receipt.kind, providerId: receipt.provider_id, fee }),
    )
  }
  if (kept <= 0n || movement.kind === 'payment') return
  // Nothing came of it, and the provider keeps its fee: that is nobody's but the operator's.
  const { kind, reference, providerId } = movement
  const about = {
    kind: recordsOf[kind][0] as 'payout' | 'refund',
    reference,
    providerId,
    rail,
    livemode,
  }
  const owner = await findOwner(app, about)
  const subject = owner === null || owner === 'again' ? undefined : owner.subject
  const ctx = await operatorOf(app, livemode)
  await ctx.write((work) =>
    recordReceipt(work, {
      rail,
      kind,
      providerId,
      amount: 0n,
      fee: kept,
      currency,
      availableAt: null,
      subject: subject ?? newId(work.scope.now),
      transaction: newId(work.scope.now),
    }),
  )
}

/**
 * Each finding is an incident until a person closes it; what was closed before is accepted, but for
 * the balance as a whole.
 */
async function keepFindings(
  app: App,
  { livemode, rail }: ReconciledAccount,
  { findings }: Report,
): Promise<void> {
  const closed = await closedBefore(
    app.db,
    livemode,
    rail,
    findings.map(({ subject }) => subject),
  )
  for (const finding of findings) {
    const { kind, subject, detail, difference } = finding
    finding.accepted =
      subject !== '' && closed.some((one) => one.kind === kind && one.subject === subject)
    if (finding.accepted) continue
    await openIncident(app.db, {
      livemode,
      rail,
      kind,
      subject,
      detail: { ...detail, difference },
      at: app.clock.now(),
    })
  }
}

async function keepRun(app: App, report: Report): Promise<void> {
  const { livemode, rail, currency, from, to, owed, booked, findings } = report
  const now = app.clock.now()
  const of = [newId(now), livemode, rail, currency, from, to, owed, booked, findings.length, now]
  await app.db.rows(statements.insertRun, of)
  await app.db.rows(statements.deleteOld, [livemode, rail, later(now, -keptMs)])
}

/** The last of each account. */
export const lastRuns = ({ db }: Pick<App, 'db'>): Promise<statements.Run[]> =>
  db.rows(statements.selectLast)

/** How often each account is reconciled by itself, and how long after a start at the earliest. */
const nightlyMs = dayMs
const notBeforeMs = 10 * 60_000

/** Reconciles each account once a day. */
export function reconciliationTask(app: App): PeriodicTask {
  const startedAt = app.clock.now()
  return {
    name: 'reconcile accounts at providers',
    everyMs: notBeforeMs,
    async run() {
      const now = app.clock.now()
      if (now < later(startedAt, notBeforeMs)) return
      const runs = await lastRuns(app)
      for (const livemode of [true, false])
        for (const rail of Object.keys(app.rails[modeOf(livemode)].accounts)) {
          const last = runs.find((run) => run.livemode === livemode && run.rail === rail)
          const account = reconciled(app, livemode, rail)
          if (account === null || (last && later(last.ended_at, nightlyMs) > now)) continue
          await reconcile(app, account).catch((error: unknown) =>
            app.log.warn(
              { err: error, rail, livemode },
              'an account could not be reconciled, and will be again',
            ),
          )
        }
    },
  }
}
