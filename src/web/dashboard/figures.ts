/**
 * The figures of a period beside those of the period before: what payers paid, how many of them
 * could, payouts, fees and disputes, by wallet.
 */
import { type Figures, getFigures, type Span, type Sum } from '../../books/statements/statements.ts'
import { sumOpened } from '../../collecting/disputes/disputes.ts'
import { countTried, mostTried, type Tried } from '../../collecting/payments/payments.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Visit } from './place.ts'
import { labeled } from './tables.ts'
import { en, many, wordOf } from './view/strings.ts'

const words = {
  volume: 'Paid by payers',
  success: 'Success rate',
  payouts: 'Paid out',
  fees: 'Fees',
  disputes: 'Disputes',
  method: 'Method',
  before: (shown: string) => `${shown} before`,
  noneBefore: 'No figures before',
  allNew: 'No figures for the period before.',
  same: 'As before',
  more: (change: string) => `${change} more than in the period before.`,
  less: (change: string) => `${change} less than in the period before.`,
  points: (points: string) => `${points} points`,
  count: (count: string) => many(count, 'dispute', 'disputes'),
  of: (paid: string, ended: string) => `${paid} of ${ended}`,
  cut: (count: string) => `Success rate: of the newest ${count} of a period only.`,
}

/** What the pages show of a wallet in a period. */
type Period = Omit<Figures, 'currency'> & { disputes: Sum; tried: readonly Tried[] }
type Compared = { now: Period; before: Period }
export type Comparison = { wallets: ReadonlyMap<WalletCurrency, Compared>; cut: boolean }

/** Returns the figures of a period and of the one before it, of wallets that have any. */
export async function compareFigures(
  { ctx }: Visit,
  spans: { now: Span; before: Span },
): Promise<Comparison> {
  const both = [spans.now, spans.before]
  const [figures, disputes, tried] = await Promise.all([
    getFigures(ctx, both),
    Promise.all(both.map((span) => sumOpened(ctx, span))),
    Promise.all(both.map((span) => countTried(ctx, span))),
  ])
  const periodOf = (at: number, { currency, ...rest }: Figures): Period => ({
    ...rest,
    disputes: disputes[at]?.find((one) => one.currency === currency) ?? { amount: 0n, count: 0n },
    tried: tried[at]?.tried.filter((one) => one.currency === currency) ?? [],
  })
  const wallets = new Map(
    (figures[0] ?? []).flatMap((now, i) => {
      const compared = { now: periodOf(0, now), before: periodOf(1, figures[1]?.[i] ?? now) }
      return hasAny(compared.now) || hasAny(compared.before) ? [[now.currency, compared]] : []
    }),
  )
  return { wallets, cut: tried.some(({ cut }) => cut) }
}

const hasAny = ({ volume, payouts, fees, disputes, tried }: Period): boolean =>
  volume.count + payouts.count + disputes.count > 0n || fees !== 0n || tried.length > 0

/** What stands below all figures, where it has to be said. */
export const cutNotice = ({ cut }: Comparison, { show }: Visit): Part =>
  cut && html`<p class="dim">${words.cut(show.number(mostTried))}</p>`

/** @param days the days of the period, as the query of reports */
export function figuresOf(
  visit: Visit,
  currency: WalletCurrency,
  { now, before }: Compared,
  days: { from: string; to: string },
): Html {
  const { base, show } = visit
  const query = new URLSearchParams(days).toString()
  const money = (amount: bigint): string => show.money(amount, currency)
  const amount = (name: string, path: string, of: (period: Period) => bigint, more: Part = null) =>
    figure(
      name,
      html`<a class="figure" href="${base}/${path}">${money(of(now))}</a>${more}`,
      hasAny(before) && changeOf(visit, of(now), of(before), money),
    )
  const rate = (period: Period) => rateOf(period.tried, null)
  const sent = `type=payout&currency=${currency}&completed_from=${days.from}&completed_to=${days.to}`
  const disputed =
    now.disputes.count > 0n &&
    html`<small>${words.count(show.number(Number(now.disputes.count)))}</small> `
  return html`<dl class="figures">${amount(words.volume, `reports/settlements?${query}`, ({ volume }) => volume.amount)}
${figure(words.success, html`<span class="figure">${rateText(visit, rate(now))}</span>`, hasAny(before) && pointsOf(visit, rate(now), rate(before)))}
${amount(words.payouts, `transactions?${sent}`, ({ payouts }) => payouts.amount)}
${amount(words.fees, `reports/fees?${query}`, ({ fees }) => fees)}
${amount(words.disputes, `disputes?${query}`, ({ disputes }) => disputes.amount, disputed)}</dl>
${!hasAny(before) && html`<p class="dim">${words.allNew}</p>`}`
}

const figure = (name: string, value: Part, change: Part): Html =>
  html`<div><dt>${name}</dt><dd>${value}${change}</dd></div>`

/** The money and the success of each method, beside those of the period before. */
export function methodsOf(
  visit: Visit,
  currency: WalletCurrency,
  { now, before }: Compared,
): Html | false {
  const { show } = visit
  const methods = [
    ...new Set(
      [now, before].flatMap(({ byMethod, tried }) => [
        ...byMethod.keys(),
        ...tried.flatMap(({ method }) => method ?? []),
      ]),
    ),
  ].sort()
  if (methods.length === 0) return false
  const money = (amount: bigint): string => show.money(amount, currency)
  const sum = ({ byMethod }: Period, method: string): bigint => byMethod.get(method)?.amount ?? 0n
  const row = (method: string): Html => {
    const [paid, paidBefore] = [sum(now, method), sum(before, method)]
    const [rate, rateBefore] = [rateOf(now.tried, method), rateOf(before.tried, method)]
    return html`<tr><th scope="row">${wordOf(method)}</th>${labeled(words.volume, html`${money(paid)} ${hasAny(before) && changeOf(visit, paid, paidBefore, money)}`)}${labeled(words.success, html`${rateText(visit, rate)} ${hasAny(before) && pointsOf(visit, rate, rateBefore)}`)}</tr>`
  }
  return html`<div class="scroll stack compared" tabindex="0"><table><thead><tr><th scope="col">${words.method}</th>${[words.volume, words.success].map((title) => html`<th scope="col" class="right">${title}</th>`)}</tr></thead><tbody>${methods.map(row)}</tbody></table></div>`
}

type Rate = Pick<Tried, 'ended' | 'paid'> | null

const rateOf = (tried: readonly Tried[], method: string | null): Rate =>
  tried.find((one) => one.method === method) ?? null

const partOf = ({ paid, ended }: NonNullable<Rate>): number => Number(paid) / Number(ended)

const rateText = ({ show }: Visit, rate: Rate): Part =>
  rate === null
    ? en.none
    : html`${show.percent(partOf(rate))} <small>${words.of(show.number(Number(rate.paid)), show.number(Number(rate.ended)))}</small>`

/** How an amount has changed: an arrow for the eye, a sentence for who listens. */
function changeOf(
  { show }: Visit,
  now: bigint,
  before: bigint,
  shown: (amount: bigint) => string,
): Html {
  if (before === 0n) return html`<small class="past">${words.noneBefore}</small>`
  const past = html`<small class="past">${words.before(shown(before))}</small>`
  if (now === before) return html`<small class="past">${words.same}</small>`
  const part = Number(((now - before) * 10_000n) / (before < 0n ? -before : before)) / 10_000
  return html`${arrow(part, show.percent(Math.abs(part)))} ${past}`
}

function pointsOf({ show }: Visit, now: Rate, before: Rate): Part {
  if (before === null) return html`<small class="past">${words.noneBefore}</small>`
  if (now === null)
    return html`<small class="past">${words.before(show.percent(partOf(before)))}</small>`
  const points = Math.round((partOf(now) - partOf(before)) * 1_000) / 10
  if (points === 0) return html`<small class="past">${words.same}</small>`
  const change = words.points(new Intl.NumberFormat(show.locale).format(Math.abs(points)))
  return html`${arrow(points, change)} <small class="past">${words.before(show.percent(partOf(before)))}</small>`
}

const arrow = (change: number, text: string): Html =>
  html`<span class="change"><span aria-hidden="true">${change > 0 ? '↑' : '↓'} ${text}</span><span class="unseen">${change > 0 ? words.more(text) : words.less(text)}</span></span>`
