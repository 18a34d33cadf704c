/**
 * The marks of card brands: drawings of our own, plain enough to load with the page. The script
 * dims those that a number does not begin as.
 */
import { type Html, html, raw } from '../../../lib/html.ts'
import type { CardBrand, PaymentPage } from './model.ts'
import { icons } from './parts.ts'
import { brands, type Strings } from './strings.ts'

const word = (text: string, color: string, size: number, more = ''): string =>
  `<text x="18" y="${11.5 + size / 3}" text-anchor="middle" font-family="Arial, Helvetica, sans-serif" font-weight="700" font-size="${size}" fill="${color}"${more}>${text}</text>`

const plate = (color: string): string => `<rect width="36" height="23" rx="3" fill="${color}"/>`

/** `begins`: how its numbers begin, by as few digits as show it. */
const marks: Record<CardBrand, { begins: string; drawing: string }> = {
  visa: {
    begins: '^4',
    drawing: plate('#fff') + word('VISA', '#1a1f71', 12, ' font-style="italic"'),
  },
  mastercard: {
    begins: '^(5[1-5]|2[2-7])',
    drawing: `${plate('#fff')}<circle cx="14" cy="11.5" r="7" fill="#eb001b"/><circle cx="22" cy="11.5" r="7" fill="#f79e1b"/><path d="M18 5.76a7 7 0 0 1 0 11.48a7 7 0 0 1 0-11.48z" fill="#ff5f00"/>`,
  },
  verve: {
    begins: '^(50|65)',
    drawing: plate('#00425f') + word('Verve', '#fff', 10, ' font-style="italic"'),
  },
  amex: { begins: '^3[47]', drawing: plate('#016fd0') + word('AMEX', '#fff', 10) },
}

/** The cards that are taken, each by a mark that has its name. */
export function brandMarks(t: Strings, { card }: PaymentPage): Html | false {
  return (
    card.brands.length > 0 &&
    html`<ul class="brands" aria-label="${t.card.brands}">${card.brands.map(
      (
        brand,
      ) => html`<li data-brand="${marks[brand].begins}"><svg width="36" height="23" viewBox="0 0 36 23" role="img"
aria-label="${brands[brand]}">${raw(marks[brand].drawing)}</svg></li>`,
    )}</ul>`
  )
}

/** Whether what is typed goes out encrypted: a lock stands only where it does. */
export function connection(t: Strings, { secure }: PaymentPage): Html {
  return secure
    ? html`<p class="secure">${icons.lock}${t.card.secure}</p>`
    : html`<p class="secure open">${icons.smallWarning}${t.card.insecure}</p>`
}
