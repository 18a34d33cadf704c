/**
 * Small pieces that several pages share.
 */
import { type Html, html, type Part, raw } from '../../../lib/html.ts'
import type { Brand, Method, PaymentPage } from './model.ts'
import type { Strings } from './strings.ts'

const drawing = (shapes: string, size = 24, more = ''): Html =>
  raw(
    `<svg class="icon${more}" width="${size}" height="${size}" viewBox="0 0 24 24" aria-hidden="true">${shapes}</svg>`,
  )

const warningShapes = '<path d="M12 4 2.8 20h18.4z"/><path d="M12 10v4.5M12 17.4v.1"/>'

export const icons = {
  clock: drawing('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>', 16),
  check: drawing('<path d="m5 12.5 4.5 4.5L19 7.5"/>', 28),
  cross: drawing('<path d="m7 7 10 10M17 7 7 17"/>', 28),
  stop: drawing('<path d="M6 12h12"/>', 28),
  late: drawing('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>', 28),
  question: drawing('<path d="M9 9.2a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.1-1.5 2.2M12 17.4v.1"/>', 28),
  warning: drawing(warningShapes, 20),
  bigWarning: drawing(warningShapes, 28),
  smallWarning: drawing(warningShapes, 16),
  lock: drawing(
    '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
    16,
  ),
  next: drawing('<path d="m9 6 6 6-6 6"/>', 20, ' onwards'),
  file: drawing('<path d="M12 4v11m0 0 4-4m-4 4-4-4M5 20h14"/>', 18),
  methods: {
    card: drawing('<rect x="3" y="5.5" width="18" height="13" rx="2"/><path d="M3 10h18M7 15h3"/>'),
    bank_transfer: drawing(
      '<path d="m3 9.5 9-5.5 9 5.5zM5.5 10v7M10 10v7M14 10v7M18.5 10v7M3.5 20h17"/>',
    ),
    crypto: drawing('<path d="m12 3 8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9"/>'),
  } satisfies Record<Method, Html> as Record<Method, Html>,
}

/** A box that tells the payer something. An error is read out at once. */
export function notice(kind: 'error' | 'warning' | 'info', id: string, text: Part): Html {
  const role = kind === 'error' && html` role="alert"`
  return html`<div class="notice ${kind}" id="${id}"${role}>${icons.warning}<p>${text}</p></div>`
}

/** The ways to reach a business. */
export function waysTo({ email, phone }: Pick<Brand, 'email' | 'phone'>): Html[] {
  return [
    email !== null && html`<a href="mailto:${email}"><bdi>${email}</bdi></a>`,
    phone !== null && html`<a href="tel:${phone}"><bdi>${phone}</bdi></a>`,
  ].filter((way) => way !== false)
}

/** How to reach the business, after a sentence that says to ask it, which has its name. */
export function reach(t: Strings, brand: Brand): Html | null {
  const ways = waysTo(brand)
  return ways.length === 0
    ? null
    : html`<span class="reach">${t.reach} ${ways.map((way, i) => [i > 0 && ' · ', way])}</span>`
}

/** That the page waits, and says by itself what comes. */
export const waiting = (t: Strings, text: string): Html =>
  html`<div class="waiting"><span class="spin" aria-hidden="true"></span>
<p>${text}<small>${t.updatesItself}</small></p></div>`

/** One fact of a `<dl>`. */
export function fact(label: string, value: Part, kind = ''): Html {
  return html`<div${kind !== '' && html` class="${kind}"`}><dt>${label}</dt><dd>${value}</dd></div>`
}

/** A fact to be typed elsewhere, with a button that copies it where there is a script to do so. */
export function copyable(t: Strings, label: string, shown: Part, copied: string, kind = ''): Html {
  return html`<div class="copyable"><dt>${label}</dt><dd><span class="value ${kind}"><bdi>${shown}</bdi></span>
<button type="button" class="copy" data-js data-copy="${copied}" data-done="${t.copied}"
hidden>${t.copy}<span class="unseen"> ${label.toLowerCase()}</span></button></dd></div>`
}

/** The start of every form: where it posts, and the token without which it is refused. */
export function form(action: string, token: string, content: Part, attributes: Part = ''): Html {
  return html`<form method="post" action="${action}"${attributes}>
<input type="hidden" name="token" value="${token}">${content}</form>`
}

/** A field with its label, its hint and, when it is wrong, what is wrong with it. */
export function field(of: {
  name: string
  label: Part
  hint: string | null
  error: string | null
  /** The other attributes of the input. */
  attributes: Html
  /** What stands in front of the input, inside its frame. */
  prefix?: string
  focus?: boolean
}): Html {
  const { name, error, hint } = of
  const described = [error !== null && `${name}-error`, hint !== null && `${name}-hint`]
    .filter(Boolean)
    .join(' ')
  const state = html`${described !== '' && html` aria-describedby="${described}"`}${
    error !== null && html` aria-invalid="true"`
  }${of.focus === true && html` autofocus`}`
  return html`<div class="field">
<label for="${name}">${of.label}</label>
<div class="input${error !== null && ' bad'}" dir="ltr">${of.prefix && html`<span aria-hidden="true">${of.prefix}</span>`}
<input id="${name}" name="${name}" ${of.attributes}${state}></div>
${hint !== null && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${error !== null && html`<p class="wrong" id="${name}-error" role="alert">${error}</p>`}
</div>`
}

/** Text of any length, of which a lot is folded away, so that the way to pay stays in sight. */
export function longText(t: Strings, text: string): Html {
  if (text.length <= 160) return html`<p class="description"><bdi>${text}</bdi></p>`
  return html`<details class="fold" id="about">
<summary><span class="description"><bdi>${text}</bdi></span> ${toggle(t)}</summary></details>`
}

/** What says that a fold can be opened, or closed again. */
export function toggle(t: Strings): Html {
  return html`<span class="toggle"><span class="more">${t.showMore}</span><span class="less">${t.showLess}</span></span>`
}

/** An amount in large figures, the smaller the longer it is. */
export function bigAmount(formatted: string): Html {
  // Measured with a wide font, DejaVu Sans: on the smallest phone the amount must not break.
  const length = formatted.replaceAll(/\p{Cf}/gu, '').length
  const size = length > 17 ? ' longest' : length > 15 ? ' longer' : length > 13 && ' long'
  return html`<span class="amount${size}">${formatted}</span>`
}

/** The reference, which may be as long as a row. */
export function referenceFact(t: Strings, reference: string): Html {
  return fact(t.reference, html`<bdi>${reference}</bdi>`, 'reference')
}

/** The invoice, to be downloaded. */
export function documentLink(t: Strings, document: PaymentPage['document']): Html | null {
  return (
    document &&
    html`<a class="link" href="${document.href}">${icons.file}${t.invoicePdf(document.number)}</a>`
  )
}
