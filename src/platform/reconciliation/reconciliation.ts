/**
 * Reconciles the books of an account with its provider: lists against receipts, and the amount owed
 * against the clearing accounts. Completes what agrees, and opens an incident for what differs.
 */
import { owedBy } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { closedBefore, openIncident } from '../incidents/incidents.ts'
import { compareAll } from './findings.ts'
import {
  type Finding,
  findReconcilable,
  type ReconciledAccount,
  type ReconciliationReport,
} from './report.ts'
import { bookOpening, bookSettled } from './settlements.ts'
import * as statements from './sql.ts'

export { hasRecord } from './records.ts'
export {
  type BalanceChange,
  type Finding,
  findReconcilable,
  type ReconciledAccount,
  type ReconciliationReport,
  type ReportLine,
} from './report.ts'
export type { Run } from './sql.ts'

const dayMs = 86_400_000
/** Days that are compared by default: settlements and reversals come days later. */
const usualDays = 14
/** A movement is listed by its start and booked by its end, so earlier ones are read too. */
const overlapMs = 4 * dayMs
const keptMs = 400 * dayMs

/**
 * @property opening whether to book what the provider owed before the books began
 * @property onRead is called with the number of rows that the provider has listed
 */
export type ReconcileOptions = {
  from?: Date | undefined
  to?: Date | undefined
  opening?: boolean
  onRead?(rows: number): void
}

/**
 * Reconciles an account with its provider. Idempotent and safe to run concurrently.
 * @throws {Error} when the provider did not answer everything
 */
export async function reconcile(
  app: App,
  account: ReconciledAccount,
  asked: ReconcileOptions = {},
): Promise<ReconciliationReport> {
  const first = await compareOnce(app, account, asked)
  // Money may have moved between the two reads.
  const again = first.findings.some(({ kind }) => kind === 'balance_differs')
  const report = again ? await compareOnce(app, account, asked) : first
  await keepFindings(app, account, report)
  await keepRun(app, report)
  return report
}

async function compareOnce(
  app: App,
  account: ReconciledAccount,
  asked: ReconcileOptions,
): Promise<ReconciliationReport> {
  const { livemode, rail } = account
  const now = app.clock.now()
  const known = await app.db.row(statements.selectFirstSeen, [livemode, rail])
  const usual = later(now, -usualDays * dayMs)
  const firstSeenAt = known?.first_seen_at ?? now
  const from = asked.from ?? (firstSeenAt > usual ? firstSeenAt : usual)
  const to = asked.to ?? now
  const said = await account.statement.read(later(from, -overlapMs), asked.onRead)
  const booked = await bookSettled(app, account, said, from)
  const compared = await compareAll({
    app,
    account,
    statement: said,
    window: { from, to, now },
  })
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

/**
 * Opens an incident for each finding. One that a person has closed before is accepted, except a
 * difference of the balance as a whole.
 */
async function keepFindings(
  app: App,
  { livemode, rail }: ReconciledAccount,
  { findings }: ReconciliationReport,
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

async function keepRun(app: App, report: ReconciliationReport): Promise<void> {
  const { livemode, rail, currency, from, to, owed, booked, findings } = report
  const now = app.clock.now()
  const of = [newId(now), livemode, rail, currency, from, to, owed, booked, findings.length, now]
  await app.db.rows(statements.insertRun, of)
  await app.db.rows(statements.deleteOld, [livemode, rail, later(now, -keptMs)])
}

/** Returns the last run of each account. */
export const lastRuns = ({ db }: Pick<App, 'db'>): Promise<statements.Run[]> =>
  db.rows(statements.selectLast)

/** Interval between runs of an account, and the shortest time after a start. */
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
          const account = findReconcilable(app, livemode, rail)
          if (account === null || (last && later(last.ended_at, nightlyMs) > now)) continue
          await reconcile(app, account).catch((error: unknown) =>
            app.log.warn(
              { err: error, rail, livemode },
              'an account could not be reconciled; it is tried again',
            ),
          )
        }
    },
  }
}
