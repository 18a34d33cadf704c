/**
 * The page of a payment: what it costs, how to pay it, and how it ended.
 */

import { type Html, html, webAddress } from '../../../lib/html.ts'
import { confirmingSection } from './crypto.ts'
import { endedSection, leadsTo, trouble } from './ended.ts'
import { methodSection } from './methods.ts'
import type { Method, Money, PaymentPage } from './model.ts'
import {
  bigAmount,
  documentLink,
  fact,
  form,
  icons,
  longText,
  notice,
  reach,
  referenceFact,
  toggle,
} from './parts.ts'
import { shell } from './shell.ts'
import { type Strings, stringsFor } from './strings.ts'

/** Time that is not worth a thought yet, as of an invoice, is not shown. */
const calmSeconds = 7 * 86_400

/** More lines than these are folded away. */
const linesShown = 4

/** The whole page. */
export function paymentPage(page: PaymentPage): string {
  const t = stringsFor(page.language)
  const { language, business, brand, livemode } = page
  return shell(
    t,
    {
      language,
      title: title(t, page),
      business,
      brand,
      livemode,
      here: here(page),
      data: data(t, page),
      head: refreshes(page),
    },
    page.status === 'pending' ? pendingMain(t, page) : endedSection(t, page),
  )
}

/** Where the page is that shows the selected method. */
const here = ({ path, method }: PaymentPage): string =>
  method === null ? path : `${path}?method=${method}`

function title(t: Strings, page: PaymentPage): string {
  const { status, business, due, method, card } = page
  if (status !== 'pending') return t.titled(t.done[status], business)
  if (isSettled(page)) return t.titled(t.beingConfirmed, business)
  const text = `${t.payTo(business)} – ${due.formatted}`
  const isOpen = ['form', 'leave', 'away'].includes(card.state)
  return method === 'card' && isOpen && isRefused(card) ? t.wrong(text) : text
}

/** Whether the last card was not taken, or its fields are wrong. */
const isRefused = ({ failure, faults }: PaymentPage['card']): boolean =>
  failure !== null || faults.length > 0

/**
 * What keeps the page up to date, and leads back to the shop, where there is no script to do so.
 */
function refreshes(page: PaymentPage): Html | false {
  const shop = leadsTo(page)
  if (shop) return html`<noscript><meta http-equiv="refresh" content="5;url=${shop}"></noscript>`
  if (page.status !== 'pending') return false
  const seconds = waitSeconds(page)
  return (
    seconds !== null && html`<noscript><meta http-equiv="refresh" content="${seconds}"></noscript>`
  )
}

/** How often a page without a script looks how a card stands, in seconds. */
const waitsFor = ({ state }: PaymentPage['card']): number | null =>
  state === 'processing' || state === 'starting'
    ? 2
    : state === 'away' || state === 'confirming'
      ? 5
      : null

function waitSeconds({ method, card, transfer, transferNews, crypto }: PaymentPage): number | null {
  if (method === 'card') return waitsFor(card)
  if (method === 'bank_transfer') return transferNews === 'opening' ? 2 : transfer && 5
  return method === 'crypto' && crypto.chosen ? 5 : null
}

/**
 * What the script needs to know: where to look for news, what it shows now, which form this is
 * (what was typed is kept while it is the same), and what to say to a screen reader when it shows
 * this page in place of an earlier one.
 */
function data(t: Strings, page: PaymentPage): Html {
  const leave = leadsTo(page)
  // Money can still come after the end, and the payer must be told that it was too late.
  const open = page.status !== 'completed'
  const shown = [page.status, page.method, page.card.state, page.confirming !== null].join(' ')
  return html` data-version="${page.version}" data-url="${here(page)}" data-form="${shown}" data-say="${said(t, page)}"${
    open && html` data-live="${page.path}"`
  }${leave && html` data-leave="${leave}"`}`
}

function said(t: Strings, page: PaymentPage): string {
  if (page.status !== 'pending')
    return [t.done[page.status], trouble(t, page)].filter(Boolean).join('. ')
  if (page.confirming) return t.crypto.seen(page.confirming.formatted)
  if (page.method === 'card' && page.card.state === 'processing') return t.card.processing
  if (page.method === 'card' && page.card.state === 'challenge') return t.card.challenge
  if (page.method === 'card' && page.card.state === 'starting') return t.leave.starting
  if (page.method === 'card' && page.card.state === 'confirming') return t.leave.away
  if (page.method === 'card' && isRefused(page.card)) return t.said.form
  if (page.kept !== null) return t.kept(page.kept.formatted, page.business)
  if (page.received !== null) return t.said.received(page.received.formatted, page.due.formatted)
  return t.said.pending
}

/** Whether all that is left to pay is being confirmed. */
const isSettled = ({ confirming }: PaymentPage): boolean => confirming?.covers === true

function pendingMain(t: Strings, page: PaymentPage): Html {
  // Money that is under way is not to be left for another way to pay.
  const charging =
    page.method === 'card' &&
    ['processing', 'challenge', 'starting', 'confirming'].includes(page.card.state)
  const settled = isSettled(page)
  const busy = charging || settled
  const shop = webAddress(page.cancelUrl)
  return html`${summary(t, page)}
${page.kept && notice('warning', 'kept', [t.kept(page.kept.formatted, page.business), reach(t, page.brand)])}
${!busy && ways(t, page)}
${confirmingSection(t, page)}
${!settled && page.method !== null && methodSection(t, page)}
${!page.livemode && testPanel(t, page, page.method)}
<div class="end"><dl class="facts">${referenceFact(t, page.reference)}</dl>
${documentLink(t, page.document)}
${shop && !busy && html`<a class="link" href="${shop}">${t.cancel}</a>`}</div>`
}

/** The amount that the page is about. One that is being confirmed is not asked for again. */
function headline(t: Strings, { received, due, confirming }: PaymentPage): [string, Money] {
  if (confirming?.covers) return [t.beingConfirmed, confirming]
  return [received || confirming ? t.stillToPay : t.amountToPay, due]
}

function summary(t: Strings, page: PaymentPage): Html {
  const { received, due, secondsLeft } = page
  const [label, amount] = headline(t, page)
  return html`<section class="summary" aria-labelledby="pay">
<div class="top"><p>${label}</p>
${!isSettled(page) && secondsLeft <= calmSeconds && clock(t, secondsLeft)}</div>
<h1 id="pay">${!isSettled(page) && html`<span class="unseen">${t.payTo(page.business)} </span>`}${bigAmount(amount.formatted)}</h1>
${page.description !== null && page.description !== '' && longText(t, page.description)}
${received && !page.fee && !page.confirming && notice('info', 'partly', t.partly(received.formatted, page.price.formatted, due.formatted))}
${lines(t, page)}${invoiceFacts(t, page)}${figures(t, page)}</section>`
}

/** Counted down by the script, which takes its words from here. */
function clock(t: Strings, secondsLeft: number): Html {
  const { days, hours, hour, minutes } = t.countdown
  return html`<p class="clock" role="timer" data-seconds="${Math.max(0, Math.floor(secondsLeft))}" data-days="${days}"
data-hours="${hours}" data-hour="${hour}" data-minutes="${minutes}"
data-soon="${t.oneMinuteLeft}">${icons.clock}<span>${t.left(secondsLeft)}</span></p>`
}

function lines(t: Strings, page: PaymentPage): Html | null {
  if (page.lines.length === 0) return null
  const list = html`<ul class="lines">${page.lines.map(({ name, quantity, unit, total, tax }) => {
    const each = quantity !== 1 && html`<small>${t.each(quantity, unit)}</small>`
    const taxed = tax && html`<small>${t.taxed(tax.rate, tax.inclusive)}</small>`
    return html`<li><span><bdi>${name}</bdi>${each}${taxed}</span><b>${total}</b></li>`
  })}</ul>`
  if (page.lines.length <= linesShown) return list
  return html`<details class="fold" id="lines">
<summary><span class="toggle plain">${t.items(page.lines.length)}</span> ${toggle(t)}</summary>${list}</details>`
}

/** Who an invoice is for, and its taxes by rate. */
function invoiceFacts(t: Strings, { billedTo, taxes }: PaymentPage): Html | null {
  if (billedTo === null && taxes === null) return null
  return html`<dl class="facts">${billedTo !== null && fact(t.billedTo, html`<bdi>${billedTo}</bdi>`)}
${taxes && fact(t.withoutTax, taxes.net)}
${taxes?.rates.map(({ rate, net, tax }) => fact(t.taxOf(rate, net), tax))}</dl>`
}

/** How the amount comes about, when a fee is part of it. */
function figures(t: Strings, page: PaymentPage): Html | null {
  const { price, fee, received, due, confirming } = page
  if (fee === null) return null
  return html`<dl class="facts">${fact(t.price, price.formatted)}
${fact(t.fee, fee.formatted)}
${received && fact(t.received, received.formatted)}
${confirming && fact(t.beingConfirmed, confirming.formatted)}
${!isSettled(page) && fact(received || confirming ? t.stillToPay : t.total, due.formatted, 'sum')}</dl>`
}

function ways(t: Strings, page: PaymentPage): Html | null {
  if (page.methods.length < 2) return null
  const choosing = page.method === null
  const link = (method: Method): Html => {
    const current = method === page.method && html` aria-current="true"`
    const hint = choosing && html`<small>${t.methodHints[method]}</small>`
    return html`<li><a href="${page.path}?method=${method}"${current}>${icons.methods[method]}
<span>${t.methods[method]}${hint}</span>${choosing && icons.next}</a></li>`
  }
  return html`<nav class="ways${!choosing && ' tiles'}" aria-label="${t.waysToPay}">
${choosing && html`<h2>${t.howToPay}</h2>`}<ul>${page.methods.map(link)}</ul></nav>`
}

type Outcome = keyof Strings['test']['outcomes']

/**
 * What can be made to happen: an amount can only be wrong where the payer is the one who sends it,
 * a card that is being charged cannot be given up, and one that waits for the payer cannot be
 * charged again.
 */
function outcomes(page: PaymentPage): Outcome[] {
  // An invoice stays open, whatever happens to a try.
  const ends = (outcome: Outcome): boolean =>
    page.document === null || !['failed', 'expired'].includes(outcome)
  return outcomesOfMethod(page).filter(ends)
}

function outcomesOfMethod(page: PaymentPage): Outcome[] {
  if (isSettled(page)) return []
  if (page.method === 'card') {
    if (page.card.state === 'processing') return []
    return page.card.state === 'form' ? ['completed', 'failed', 'expired'] : ['failed', 'expired']
  }
  const shown =
    page.method === 'bank_transfer' ? page.transfer : page.method === 'crypto' && page.crypto.chosen
  return shown ? ['completed', 'underpaid', 'overpaid', 'expired'] : ['expired']
}

function testPanel(t: Strings, page: PaymentPage, method: Method | null): Html | null {
  const possible = outcomes(page)
  if (possible.length === 0) return null
  const cards =
    method === 'card' &&
    page.card.state === 'form' &&
    html`<div><p>${t.test.cards}</p><ul>${t.test.numbers.map(
      ({ number, means }) =>
        html`<li><p><code><bdi>${number}</bdi></code>${means}</p>
<button type="button" data-js data-fill="${number}|12/34|123"
aria-label="${t.test.useThe(number)}" hidden>${t.test.use}</button></li>`,
    )}</ul></div>`
  const buttons = possible.map(
    (outcome) =>
      html`<button class="second" name="outcome" value="${outcome}">${t.test.outcomes[outcome]}</button>`,
  )
  return html`<aside class="lab" aria-labelledby="lab"><h2 id="lab">${t.test.title}</h2>${cards}
${form(
  `${page.path}/simulate`,
  page.token,
  html`${method !== null && html`<input type="hidden" name="method" value="${method}">`}
<p>${t.test.simulate}</p><div class="outcomes">${buttons}</div>`,
)}</aside>`
}
