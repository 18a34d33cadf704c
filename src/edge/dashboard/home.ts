/**
 * The home page of a business: what it has.
 */
import { html } from '../../lib/html.ts'
import type { BusinessPage, Doc } from './place.ts'
import { page } from './view/layout.ts'
import { en, wordOf } from './view/strings.ts'

export const homePage: BusinessPage = {
  method: 'GET',
  path: '',
  async handler(visit) {
    const wallets: Doc[] = await visit.operate('listWallets')
    const { show } = visit
    const cards = wallets.map(
      ({ currency, available, pending }) => html`<section class="sheet"><h2>${wordOf(currency)}</h2>
<span class="figure">${show.money(available, currency)}</span>
<p class="dim">${en.pendingBalance(show.money(pending, currency))}</p></section>`,
    )
    const main = html`<div class="head"><h1>${en.home}</h1></div><div class="cards">${cards}</div>`
    return { html: page(visit, { title: en.home, main }) }
  },
}
