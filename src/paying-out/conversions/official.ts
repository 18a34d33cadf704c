/**
 * Fetches the Central Bank of Nigeria's exchange rates by the API of Frankfurter
 * (https://frankfurter.dev, v2: `Rate` has `date`, `base`, `quote` and `rate`), which operators can
 * host. Answers are compared with the request, and stored as written.
 */
import { recordOperatorChange } from '../../books/audit/audit.ts'
import { operator } from '../../books/ledger/ledger.ts'
import {
  decideOfficial,
  keepFetched,
  type OfficialPair,
  type OfficialRow,
  officialPairs,
} from '../../books/pricing/pricing.ts'
import type { App } from '../../core/app.ts'
import type { Work } from '../../core/inside.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { openIncident } from '../../platform/incidents/incidents.ts'
import { openExchange } from '../../rails/http/exchange.ts'
import { objectInJson } from '../../rails/http/values.ts'
import { refuse } from './refusals.ts'

const everyMs = 3_600_000
const dayMs = 86_400_000

export type Found = { pair: OfficialPair; row: OfficialRow } | { pair: OfficialPair; error: string }

/**
 * Fetches each pair once. Safe at any time and concurrently. Never throws because of the source.
 */
export async function fetchOfficial(app: App): Promise<Found[]> {
  const { EXCHANGE_RATES_URL: host, EXCHANGE_RATES_MAX_MOVE: mostPercent } = app.config
  if (host === null) return []
  const exchange = openExchange({ host, connectMs: 5_000, wholeMs: 15_000 })
  const found: Found[] = []
  for (const pair of officialPairs) {
    const [base = '', quote = ''] = pair.split('_')
    const url = new URL(`${host}/v2/providers/cbn/rate/${base}/${quote}`)
    const { status, body, error } = await exchange({ url, method: 'GET', headers: {}, body: null })
    const said =
      error ??
      (status === 200
        ? rateIn(body, { base, quote, now: app.clock.now() })
        : `it answers ${status}`)
    if (typeof said === 'string') {
      app.log.warn({ pair, why: said }, 'an official exchange rate could not be fetched')
      found.push({ pair, error: said })
      continue
    }
    const { row, waits } = await keepFetched(
      app.db,
      { pair, ...said, at: app.clock.now() },
      mostPercent,
    )
    if (waits)
      await openIncident(app.db, {
        livemode: true,
        rail: 'exchange-rates',
        kind: 'rate_moved',
        subject: row.id,
        at: app.clock.now(),
        detail: { pair, rate: row.rate, published_on: row.published_on },
      })
    found.push({ pair, row })
  }
  await app.prices.refresh()
  return found
}

type Asked = { base: string; quote: string; now: Date }

/**
 * Parses an answer, or returns why it is invalid. The rate is read as text, because a JSON number
 * would be a float.
 */
export function rateIn(
  body: string,
  { base, quote, now }: Asked,
): { rate: string; publishedOn: string } | string {
  const said = objectInJson(body)
  if (said === null) return 'it answers with something else than an object of JSON'
  if (String(said.base).toLowerCase() !== base || String(said.quote).toLowerCase() !== quote)
    return 'it answers of another pair'
  const texts = [...body.matchAll(/"rate"\s*:\s*([^\s,}]+)/g)].map(([, text]) => text as string)
  const [rate = ''] = texts
  if (texts.length !== 1 || !/^\d{1,9}(\.\d{1,12})?$/.test(rate) || Number(said.rate) <= 0)
    return 'it names no rate'
  const publishedOn =
    typeof said.date === 'string' && /^\d{4}-\d\d-\d\d$/.test(said.date) ? said.date : null
  const at = Date.parse(`${publishedOn}T00:00:00Z`)
  // An impossible date would otherwise be read as one of the next month.
  if (
    publishedOn === null ||
    Number.isNaN(at) ||
    !new Date(at).toISOString().startsWith(publishedOn)
  )
    return 'it names no day'
  return at > now.getTime() + dayMs ? 'its day is to come' : { rate, publishedOn }
}

/**
 * Accepts or refuses a rate that has moved far.
 * @throws {Refusal} `not_found` when no rate of this id waits for a decision
 */
export async function decideRate(work: Work, id: string, to: 'good' | 'refused'): Promise<void> {
  const { actor } = work.scope
  const by = actor?.type === 'person' ? actor.id : 'operator'
  const row = await decideOfficial(work.tx, { id, to, by })
  if (row === null) return refuse('not_found', `No rate '${id}' waits for a person.`)
  await recordOperatorChange(work, {
    action: 'exchange_rate.decided',
    subject: operator,
    before: { rate: row.rate, status: 'suspect' },
    after: { rate: row.rate, status: to },
  })
  work.tx.afterCommit(() => void work.prices.refresh())
}

/** Once an hour, if a source is configured. */
export const officialTask = (app: App): PeriodicTask[] =>
  app.config.EXCHANGE_RATES_URL === null
    ? []
    : [
        {
          name: 'fetch official exchange rates',
          everyMs,
          run: async () => void (await fetchOfficial(app)),
        },
      ]
