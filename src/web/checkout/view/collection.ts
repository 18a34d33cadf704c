/**
 * The page of a collection: a link by which anyone can start to pay a business.
 */

import { type Html, html } from '../../../lib/html.ts'
import { outcome } from './ended.ts'
import type { CollectionPage } from './model.ts'
import { bigAmount, field, form, icons, longText, notice, reach } from './parts.ts'
import { shell } from './shell.ts'
import { type Strings, stringsFor, symbols, wordFor } from './strings.ts'

/** The whole page. */
export function collectionPage(page: CollectionPage): string {
  const t = stringsFor(page.language)
  const { language, business, brand, livemode, path: here } = page
  const name = t.titled(page.name, business)
  const title = page.error === null || page.state !== 'open' ? name : t.wrong(name)
  return shell(
    t,
    { language, title, business, brand, livemode, here },
    page.state === 'open' ? open(t, page) : closed(t, page),
  )
}

function closed(t: Strings, { state, name, business, brand, path }: CollectionPage): Html {
  const words = t.collection
  const said = {
    busy: () => outcome({ icon: icons.late, kind: 'warn' }, words.busy, words.busyMeans),
    full: () =>
      outcome({ icon: icons.check, kind: 'good' }, words.full, [
        words.fullMeans(business),
        reach(t, brand),
      ]),
    ended: () =>
      outcome({ icon: icons.stop, kind: '' }, words.ended, [
        words.endedMeans(business),
        reach(t, brand),
      ]),
  }[state as Exclude<CollectionPage['state'], 'open'>]()
  return html`<p class="small center"><bdi>${name}</bdi></p>
${said}
${state === 'busy' && html`<div class="onward"><a class="button" href="${path}">${words.again}</a></div>`}`
}

function open(t: Strings, page: CollectionPage): Html {
  const words = t.collection
  const { name, description, amount, error } = page
  const atField =
    error === 'invalid_email' || (amount === null && error?.startsWith('amount_') === true)
  const alert =
    error !== null &&
    !atField &&
    notice('error', 'form-error', wordFor(words.errors, error) ?? words.error)
  return html`<section class="summary" aria-labelledby="name"><h1 id="name"><bdi>${name}</bdi></h1>
${description !== null && description !== '' && longText(t, description)}</section>
${amount && html`<p><span class="top">${words.amountToPay}</span>${bigAmount(amount.formatted)}</p>`}
${alert}
${form(
  `${page.path}/start`,
  page.token,
  html`${amount === null && amountField(t, page)}${emailField(t, page)}
<button data-busy="${words.proceeding}">${words.proceed}</button>`,
  alert && html` aria-describedby="form-error"`,
)}`
}

function amountField(
  t: Strings,
  { currency, min, max, error, readings, values }: CollectionPage,
): Html {
  const words = t.collection
  const wrong = error?.startsWith('amount_') === true
  const hint =
    min && max
      ? words.between(min.formatted, max.formatted)
      : min
        ? words.atLeast(min.formatted)
        : max && words.atMost(max.formatted)
  return field({
    name: 'amount',
    label: words.amountIn(currency.toUpperCase()),
    hint,
    error: readings
      ? words.twofold(...readings)
      : wrong
        ? (wordFor(words.errors, error) ?? words.error)
        : null,
    attributes: html`inputmode="decimal" autocomplete="off" required maxlength="24" value="${values.amount}"`,
    prefix: symbols[currency],
    focus: wrong,
  })
}

function emailField(t: Strings, { business, error, values }: CollectionPage): Html {
  const words = t.collection
  const wrong = error === 'invalid_email'
  return field({
    name: 'email',
    label: html`${words.email} <small>(${words.optional})</small>`,
    hint: words.emailHint(business),
    error: wrong ? (wordFor(words.errors, error) ?? words.error) : null,
    attributes: html`type="email" autocomplete="email" maxlength="254" value="${values.email}"`,
    focus: wrong,
  })
}
