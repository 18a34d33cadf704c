/**
 * How a payment ended, and the way back to the shop.
 */
import { type Html, html, type Part, webAddress } from '../../../lib/html.ts'
import type { PaymentPage, Status } from './model.ts'
import { documentLink, fact, icons, notice, reach, referenceFact } from './parts.ts'
import { brandName, momentText, type Strings } from './strings.ts'

type Ended = Exclude<Status, 'pending'>

const signs: Record<Ended, { icon: Html; kind: string }> = {
  completed: { icon: icons.check, kind: 'good' },
  failed: { icon: icons.cross, kind: 'bad' },
  expired: { icon: icons.late, kind: 'warn' },
  canceled: { icon: icons.stop, kind: '' },
}

/** A sign, a heading and a sentence: the top of every page that says how something ended. */
export function outcome(sign: { icon: Html; kind: string }, title: string, text: Part): Html {
  return html`<div class="outcome"><span class="sign ${sign.kind}">${sign.icon}</span>
<h1>${title}</h1><p>${text}</p></div>`
}

/** The page of a payment that has ended: a receipt, or why nothing can be paid any more. */
export function endedSection(t: Strings, page: PaymentPage): Html {
  const status = page.status as Ended
  const words = t.done
  const { business, received, surplus } = page
  const completed = status === 'completed'
  const paid = (received ?? page.price).formatted
  const means = {
    completed: () => words.completedMeans(paid, business),
    failed: () => words.failedMeans(business),
    // What is to be asked about the money stands below.
    expired: () => [
      words.expiredMeans(business),
      trouble(t, page) === null && reach(t, page.brand),
    ],
    canceled: () => words.canceledMeans(business),
  }[status]()
  const warning = trouble(t, page)
  return html`${outcome(signs[status], words[status], means)}
<dl class="facts">${fact(words.amount, completed ? paid : page.price.formatted)}
${received && !completed && fact(words.received, received.formatted)}
${surplus && fact(words.surplus, surplus.formatted)}
${completed && page.method && fact(words.paidBy, paidBy(t, page))}
${page.paidAt && fact(words.date, html`<time datetime="${page.paidAt}">${momentText(t, page.paidAt, page.timeZone)}</time>`)}
${referenceFact(t, page.reference)}</dl>
${warning && notice('warning', 'trouble', [warning, reach(t, page.brand)])}
${onward(t, page)}`
}

function paidBy(t: Strings, { method, card }: PaymentPage): string {
  if (method === 'card' && card.last4 !== null)
    return t.card.ending(brandName(t, card.brand), card.last4)
  return method === null ? '' : t.methods[method]
}

/** Money that is not where the payer meant it to be. */
export function trouble(
  t: Strings,
  { status, business, received, surplus, late }: PaymentPage,
): string | null {
  if (late) return t.done.lateMeans(business)
  if (surplus) return t.done.surplusMeans(surplus.formatted, business)
  return status !== 'completed' && received ? t.done.keptMeans(received.formatted, business) : null
}

/**
 * Where a payer is taken without being asked: back to the shop, unless there is something to be
 * read here first.
 */
export function leadsTo({ status, returnUrl, surplus, late }: PaymentPage): string | null {
  return status === 'completed' && !surplus && !late ? webAddress(returnUrl) : null
}

/** The receipt, to be downloaded, of what was paid. */
const receiptLink = (t: Strings, { status, path, language }: PaymentPage): Html | false =>
  status === 'completed' &&
  html`<a class="link" href="${path}/receipt.pdf?lang=${language}">${icons.file}${t.receipt.link}</a>`

function onward(t: Strings, page: PaymentPage): Html {
  const shop = webAddress(page.returnUrl)
  const document = [receiptLink(t, page), documentLink(t, page.document)]
  if (!shop)
    return html`<div class="onward">${document}<p class="small center">${t.done.close}</p></div>`
  return html`<div class="onward">${document}<a class="button" href="${shop}">${t.done.returnTo(page.business)}</a>
${leadsTo(page) && html`<p class="small center">${t.done.takenBack}</p>`}</div>`
}
