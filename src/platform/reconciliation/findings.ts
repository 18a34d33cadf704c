/** Compares a provider's statement with the books and finds what differs. */
import { type KnownReceipt, receiptsOf } from '../../books/receipts/receipts.ts'
import type { App } from '../../core/app.ts'
import { later } from '../../lib/clock.ts'
import type { Movement, ProviderStatement } from '../../rails/ports/statement.ts'
import { bookedWith, type Comparison, compare, type FindingKind } from './comparing.ts'
import { bookFees, queryRecordOf } from './records.ts'
import type { BalanceChange, Finding, ReconciledAccount, ReportLine } from './report.ts'

/** Longest time that a listed movement may take to be booked. */
const graceMs = 30 * 60_000

type Window = { from: Date; to: Date; now: Date }

/** What a comparer finds. `onTheWay`: moved at the provider and not booked, as it is not over. */
type Compared = { findings: Finding[]; onTheWay: bigint }

type Reconciling = {
  app: App
  account: ReconciledAccount
  statement: ProviderStatement
  window: Window
  /** By the provider's id, as they were at the start. */
  receipts: Map<string, KnownReceipt[]>
}

/** Compares a statement with the books of an account. Books the fees of what agrees. */
export async function compareAll(
  context: Omit<Reconciling, 'receipts'>,
): Promise<Compared & { lines: ReportLine[] }> {
  const {
    app,
    account: { livemode, rail },
    statement,
    window: { from },
  } = context
  const ids = statement.movements.flatMap(namesOf)
  const receipts = Map.groupBy(
    await receiptsOf(app.db, { livemode, rail, ids, from }),
    (one) => one.provider_id,
  )
  const reconciling = { ...context, receipts }
  const lines = (['payment', 'payout', 'refund'] as const).map(
    (kind): ReportLine => ({ kind, listed: 0, agreed: 0, waiting: 0, amount: 0n, fees: 0n }),
  )
  const compared = [
    await compareMovements(reconciling, lines),
    findUnlistedReceipts(reconciling),
    await findUnbookedChanges(reconciling),
  ]
  return {
    lines,
    findings: compared.flatMap(({ findings }) => findings),
    onTheWay: compared.reduce((sum, { onTheWay }) => sum + onTheWay, 0n),
  }
}

const namesOf = ({ providerId, reference }: Movement): string[] => [
  providerId,
  ...(reference === null ? [] : [reference]),
]

/** Compares each listed movement with its receipts, and counts it in the line of its kind. */
async function compareMovements(reconciling: Reconciling, lines: ReportLine[]): Promise<Compared> {
  const { app, account, statement, window, receipts } = reconciling
  const result: Compared = { findings: [], onTheWay: 0n }
  for (const movement of statement.movements) {
    const booked = namesOf(movement).flatMap((name) => receipts.get(name) ?? [])
    // A movement before the window counts only if it is booked.
    if (movement.at < window.from && booked.length === 0) continue
    const judged = await judgeMovement(reconciling, movement, booked)
    const { comparison, finding } = judged
    if (judged.state === 'agreed')
      await bookFees(app, account, { movement, comparison, currency: statement.currency })
    const isLater = movement.at > window.to
    if (judged.state === 'waiting' || (finding !== null && isLater))
      result.onTheWay += movement.effect - bookedWith(comparison)
    if (isLater) continue
    countMovement(lines, movement, judged.state)
    if (finding !== null) result.findings.push(finding)
  }
  return result
}

type Judgement = {
  state: 'waiting' | 'agreed' | 'differs'
  comparison: Comparison
  finding: Finding | null
}

/**
 * Judges a movement by its receipts. Queries the record of a movement that should be booked and is
 * not, and compares again.
 */
async function judgeMovement(
  reconciling: Reconciling,
  movement: Movement,
  receipts: KnownReceipt[],
): Promise<Judgement> {
  const { app, account, window } = reconciling
  let booked = receipts
  let comparison = compare(movement, booked)
  const isRecent = later(movement.at, graceMs) > window.now
  if (comparison.unbooked && !isRecent && (await queryRecordOf(app, account, movement))) {
    booked = await latestReceipts(reconciling, movement)
    comparison = compare(movement, booked)
  }
  if (movement.state === 'open' || (comparison.unbooked && isRecent))
    return { state: 'waiting', comparison, finding: null }
  if (comparison.finding === null) return { state: 'agreed', comparison, finding: null }
  const finding = findingOf(movement, { ...comparison, finding: comparison.finding }, booked)
  return { state: 'differs', comparison, finding }
}

/** Reads the receipts of a movement again. */
function latestReceipts(
  { app, account: { livemode, rail } }: Reconciling,
  movement: Movement,
): Promise<KnownReceipt[]> {
  return receiptsOf(app.db, { livemode, rail, ids: namesOf(movement), from: null })
}

function countMovement(
  lines: ReportLine[],
  { kind, amount, fee }: Movement,
  state: Judgement['state'],
): void {
  const line = lines.find((one) => one.kind === kind) as ReportLine
  line.listed++
  line.amount += amount
  line.fees += fee ?? 0n
  if (state === 'waiting') line.waiting++
  if (state === 'agreed') line.agreed++
}

/** Finds receipts of the window that the provider does not list. */
function findUnlistedReceipts({ statement, window, receipts }: Reconciling): Compared {
  const listed = new Set(statement.movements.flatMap(namesOf))
  const missed = [...receipts.values()]
    .flat()
    .filter((receipt) => !listed.has(receipt.provider_id) && isMissed(receipt, window))
  return { findings: missed.map(missingThere), onTheWay: 0n }
}

/** Finds other changes of the balance that no module books. */
async function findUnbookedChanges({
  app,
  account: { livemode, rail },
  statement: { others, currency },
  window: { from, to },
}: Reconciling): Promise<Compared> {
  const result: Compared = { findings: [], onTheWay: 0n }
  for (const { providerId, amount, what, of, at } of others.filter((one) => one.at >= from)) {
    if (at > to) result.onTheWay += amount
    else if (!(await bookChange(app, { livemode, rail, currency, providerId, of, amount, at })))
      result.findings.push({
        kind: 'missing_here',
        subject: `balance ${providerId}`,
        difference: amount,
        accepted: false,
        detail: { what, of, amount },
      })
  }
  return result
}

/** Has a module book a change of the balance. @returns whether one has booked it */
async function bookChange(app: App, change: BalanceChange): Promise<boolean> {
  for (const book of app.strategies.accountChanges) if (await book(app, change)) return true
  return false
}

/**
 * Whether a receipt should be in the window's list. A receipt without an amount stands for a fee. A
 * return is listed with the movement that it returns, which may be older than the window.
 */
const isMissed = ({ kind, created_at, amount }: KnownReceipt, { from, to, now }: Window): boolean =>
  amount > 0n &&
  !kind.endsWith('_return') &&
  created_at >= from &&
  created_at <= to &&
  later(created_at, graceMs) <= now

function findingOf(
  movement: Movement,
  comparison: Comparison & { finding: FindingKind },
  receipts: KnownReceipt[],
): Finding {
  const { kind, providerId, reference, amount, fee, effect, state } = movement
  const owner = receipts[0]
  return {
    kind: comparison.finding,
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
