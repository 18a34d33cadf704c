/**
 * The home page of a business: what it has, what needs somebody now, and what came and went.
 */
import {
  type DayMoved,
  movedByDay,
  type Pending,
  pendingByCurrency,
} from '../../books/transactions/transactions.ts'
import { dayAfter, dayOf, momentAfter, startOfDay } from '../../lib/days.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import { type Comparison, compareFigures, cutNotice, figuresOf, methodsOf } from './figures.ts'
import { goingLiveSection } from './going-live.ts'
import { dealtNotice, needsSection } from './needs-page.ts'
import type { BusinessPage, Visit } from './place.ts'
import { barsByDay } from './view/charts.ts'
import { page } from './view/layout.ts'
import { en, wordOf } from './view/strings.ts'

/** How many days the figures can be of, with how many of them a bar stands for. */
const usual = { days: 30, bar: 1, name: '30 days' }
const periods = [{ days: 7, bar: 1, name: '7 days' }, usual, { days: 91, bar: 7, name: '13 weeks' }]

export const homePage: BusinessPage = {
  method: 'GET',
  path: '',
  async handler(visit) {
    const [goingLive, balances, needs, moved] = await Promise.all([
      goingLiveSection(visit),
      balancesOf(visit),
      needsSection(visit),
      movedOf(visit),
    ])
    const fund = visit.mode === 'test' && visit.allowed('simulateFunding')
    const main = html`${dealtNotice(visit)}<div class="head"><h1>${en.home}</h1>${
      fund &&
      html`<div class="buttons"><a class="button second" href="${visit.base}/test-tools">${en.addTestMoney}</a></div>`
    }</div>${goingLive}${balances}
<div${needs.some && html` class="columns home"`}><div>${needs.content}</div><div>${moved}</div></div>`
    return { html: page(visit, { title: en.home, main }) }
  },
}

async function balancesOf(visit: Visit): Promise<Html | false> {
  const { allowed, api, show, base, ctx } = visit
  if (!allowed('listWallets')) return false
  const standing = allowed('listPayoutSchedules')
    ? api.listPayoutSchedules({ query: { status: 'active', limit: 100 } })
    : { docs: [] }
  const [wallets, { docs }, pending] = await Promise.all([
    api.listWallets(),
    standing,
    pendingByCurrency(ctx),
  ])
  const nextOf = (currency: string): Part => {
    const runs = docs.flatMap(({ id, currency: of, next_amount: amount, next_run_at: at }) =>
      of === currency && amount !== null && at !== null ? [{ id, amount, at }] : [],
    )
    const [next] = runs.sort((a, b) => (a.at < b.at ? -1 : 1))
    if (!next) return null
    const text = en.standing(show.money(next.amount, currency), show.time(next.at))
    return html`<p class="dim"><a href="${base}/payout-schedules/${next.id}">${text}</a></p>`
  }
  return html`<div class="cards">${wallets.map(
    ({ currency, available }) => html`<section class="sheet"><h2>${wordOf(currency)}</h2>
<a class="figure" href="${base}/transactions?currency=${currency}">${show.money(available, currency)}</a>
${pendingOf(visit, currency, pending.get(currency))}${nextOf(currency)}</section>`,
  )}</div>`
}

/** What cannot be spent, by why, with the movements that it is made of. */
function pendingOf({ show, base }: Visit, currency: string, pending: Pending | undefined): Part {
  const kinds = [
    ['leaving', 'direction=debit'],
    ['disputed', 'type=dispute'],
    ['held', 'direction=credit'],
    ['arriving', 'direction=credit'],
  ] as const
  return kinds.map(([kind, query]) => {
    const amount = pending?.[kind] ?? 0n
    const href = `${base}/transactions?currency=${currency}&status=pending&${query}`
    return (
      amount > 0n &&
      html`<p class="dim"><a href="${href}">${en.pending[kind](show.money(amount, currency))}</a></p>`
    )
  })
}

async function movedOf(visit: Visit): Promise<Html | false> {
  if (!visit.allowed('listTransactions')) return false
  const { ctx, show, request } = visit
  const { days, bar, name } =
    periods.find((one) => String(one.days) === request.query.days) ?? usual
  const today = dayOf(ctx.scope.now, show.timeZone)
  const begins = (before: number): Date => startOfDay(today, show.timeZone, 1 - before)
  const comparison = await compareFigures(visit, {
    now: { from: begins(days), to: ctx.scope.now },
    before: { from: begins(2 * days), to: momentAfter(ctx.scope.now, -days, show.timeZone) },
  })
  const moved = new Map(
    (await movedByDay(ctx, days)).map((one) => [one.currency as WalletCurrency, one.days]),
  )
  const choice = html`<div class="head"><h2>${en.figures.title}</h2><nav class="views" aria-label="${en.figures.period}">${periods.map(
    (one) =>
      html`<a href="${visit.base}?days=${one.days}"${one.days === days && html` aria-current="page"`}>${one.name}</a>`,
  )}</nav></div>`
  const currencies = [...new Set([...comparison.wallets.keys(), ...moved.keys()])]
  if (currencies.length === 0)
    return html`${choice}<section class="sheet"><h2>${en.moved.nothing(name)}</h2><p class="dim">${en.moved.begin}</p></section>`
  const range = { from: dayAfter(today, 1 - days), to: today }
  return html`${choice}
${currencies.map((currency) => walletOf(visit, { currency, comparison, range, moved: barsOf(moved.get(currency) ?? [], bar) }))}
${cutNotice(comparison, visit)}<p class="dim">${en.figures.means(name)} ${en.moved.means(name, show.timeZone)}</p>`
}

/** Adds days up to bars of so many, each named by its first day. */
function barsOf(days: readonly DayMoved[], size: number): Bar[] {
  return Array.from({ length: Math.ceil(days.length / size) }, (_, i) =>
    days.slice(i * size, (i + 1) * size),
  ).map((own) => ({
    day: own[0]?.day ?? '',
    last: own.at(-1)?.day ?? '',
    came: own.reduce((sum, { came }) => sum + came, 0n),
    went: own.reduce((sum, { went }) => sum + went, 0n),
  }))
}

/** What came and went on days that follow each other. */
type Bar = DayMoved & { last: string }

type Wallet = {
  currency: WalletCurrency
  comparison: Comparison
  range: { from: string; to: string }
  moved: readonly Bar[]
}

function walletOf(visit: Visit, { currency, comparison, range, moved }: Wallet): Html {
  const compared = comparison.wallets.get(currency)
  const name = wordOf(currency)
  return html`<section class="sheet"><h3>${name}</h3>
${compared && figuresOf(visit, currency, compared, range)}
${compared && methodsOf(visit, currency, compared)}
${moved.length > 0 && movedPart(visit, currency, moved)}</section>`
}

function movedPart({ show, base }: Visit, currency: string, bars: readonly Bar[]): Html {
  const money = (amount: bigint): string => show.money(amount, currency)
  const sum = (side: 'came' | 'went'): string =>
    money(bars.reduce((total, bar) => total + bar[side], 0n))
  const name = wordOf(currency)
  const row = ({ day, last, came, went }: Bar): Html =>
    html`<tr><th scope="row"><a href="${base}/transactions?currency=${currency}&from=${day}&to=${last}">${show.date(day)}</a></th>${[
      came,
      went,
      came - went,
    ].map((amount) => html`<td class="right">${money(amount)}</td>`)}</tr>`
  const first = bars.every(({ day, last }) => day === last) ? en.moved.day : en.moved.week
  return html`<h4>${en.moved.title(name)}</h4>
${barsByDay(bars, currency, en.moved.picture(name, sum('came'), sum('went')), show)}
<details><summary>${en.moved.table}</summary><div class="scroll" tabindex="0"><table><thead><tr><th scope="col">${first}</th>${[
    en.moved.came,
    en.moved.went,
    en.moved.net,
  ].map((title) => html`<th scope="col" class="right">${title}</th>`)}</tr></thead><tbody>${bars
    .toReversed()
    .map(row)}</tbody></table></div></details>`
}
