/**
 * The home page of a business: what it has, what needs somebody now, and what came and went.
 */
import {
  type DayMoved,
  movedByDay,
  type Pending,
  pendingByCurrency,
} from '../../books/transactions/transactions.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { goingLiveSection } from './going-live.ts'
import { dealtNotice, needsSection } from './needs-page.ts'
import type { BusinessPage, Visit } from './place.ts'
import { barsByDay } from './view/charts.ts'
import { page } from './view/layout.ts'
import { en, wordOf } from './view/strings.ts'

const dayCount = 30

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
${needs}
${moved}`
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
  const wallets = await movedByDay(visit.ctx, dayCount)
  const days = visit.show.number(dayCount)
  if (wallets.length === 0)
    return html`<section class="sheet"><h2>${en.moved.nothing(days)}</h2><p class="dim">${en.moved.begin}</p></section>`
  return html`${wallets.map(({ currency, days: moved }) => movedSection(visit, currency, moved))}
<p class="dim">${en.moved.means(days, visit.show.timeZone)}</p>`
}

function movedSection({ show, base }: Visit, currency: string, days: readonly DayMoved[]): Html {
  const money = (amount: bigint): string => show.money(amount, currency)
  const sum = (side: 'came' | 'went'): string =>
    money(days.reduce((total, day) => total + day[side], 0n))
  const name = wordOf(currency)
  return html`<section class="sheet"><h2>${en.moved.title(name)}</h2>
${barsByDay(days, currency, en.moved.picture(name, sum('came'), sum('went')), show)}
<details><summary>${en.moved.table}</summary><div class="scroll" tabindex="0"><table><thead><tr><th scope="col">${en.moved.day}</th>${[
    en.moved.came,
    en.moved.went,
    en.moved.net,
  ].map((title) => html`<th scope="col" class="right">${title}</th>`)}</tr></thead><tbody>${days
    .toReversed()
    .map(
      ({ day, came, went }) =>
        html`<tr><th scope="row"><a href="${base}/transactions?currency=${currency}&from=${day}&to=${day}">${show.date(day)}</a></th>${[
          came,
          went,
          came - went,
        ].map((amount) => html`<td class="right">${money(amount)}</td>`)}</tr>`,
    )}</tbody></table></div></details></section>`
}
