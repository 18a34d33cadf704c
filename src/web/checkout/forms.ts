/**
 * What payers type: the token that makes a form good for one page, one browser and one attempt, and
 * the card.
 */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '../../core/app.ts'
import type { PageRequest } from '../../core/route.ts'
import { asciiEmail, isEmail, tidyEmail } from '../../lib/email.ts'
import { type Id, isId, newId } from '../../lib/ids.ts'
import { macsOf, randomText } from '../../lib/secrets.ts'
import { asciiDigits } from '../../lib/typed-money.ts'
import type { Card } from '../../rails/ports/cards.ts'
import { type CardFault, earliestMonth, faultsOf } from './view/cards.ts'

/** The cookie that ties forms to a browser. It holds nothing about the payer. */
export const cookieName = 'bursar_payer'

/** The browser's own text, and whether it has to be given to it. */
export function payerOf(request: PageRequest): { payer: string; fresh: boolean } {
  const known = request.cookies[cookieName]
  if (known !== undefined && /^[0-9A-Za-z]{24}$/.test(known)) return { payer: known, fresh: false }
  return { payer: randomText(24), fresh: true }
}

/** Under each key, that in use first. */
const formMacs = (app: App, slug: string, payer: string, attempt: string): string[] =>
  macsOf(app.secrets, 'checkout form', `${slug} ${payer} ${attempt}`)

/**
 * The hidden field of a form. It carries the id of the attempt that the form makes, so that sending
 * it is idempotent.
 */
export function formToken(app: App, slug: string, payer: string, now: Date): string {
  const attempt = newId(now)
  return `${attempt}.${formMacs(app, slug, payer, attempt)[0]}`
}

/**
 * The id of the attempt that a posted form makes, or null when the form is not one of ours for this
 * page and browser.
 */
export function attemptOf(app: App, slug: string, request: PageRequest): Id | null {
  if (request.site !== null && request.site !== 'same-origin') return null
  const { payer, fresh } = payerOf(request)
  const [attempt = '', mac = ''] = (request.form.token ?? '').split('.')
  if (fresh || !isId(attempt) || !/^[0-9a-f]{64}$/.test(mac)) return null
  const given = Buffer.from(mac, 'hex')
  const ours = formMacs(app, slug, payer, attempt).some((one) =>
    timingSafeEqual(given, Buffer.from(one, 'hex')),
  )
  return ours ? attempt : null
}

/**
 * Reads a card as it was typed. Expiry as `MM/YY`, `MM/YYYY` or without the slash.
 * @returns with faults, only the expiry of it, `MM/YY`, or '' where it cannot be read as one: the
 * number and the code are never shown again
 */
export function readCard(
  form: Record<string, string>,
  now: Date,
): { card: Card } | { faults: CardFault[]; expiry: string } {
  const typed = {
    number: asciiDigits(form.number ?? '').replaceAll(/[\s-]/g, ''),
    expiry: asciiDigits(form.expiry ?? '').trim(),
    cvc: asciiDigits(form.cvc ?? '').trim(),
  }
  const faults = faultsOf(typed, earliestMonth(now))
  const [, month = '', year = ''] = /^(\d\d?)\D*(?:20)?(\d\d)$/.exec(typed.expiry) ?? []
  if (faults.length > 0) {
    const isRead = !faults.includes('expiry')
    return { faults, expiry: isRead ? `${month.padStart(2, '0')}/${year}` : '' }
  }
  const { number, cvc } = typed
  return { card: { number, expiryMonth: Number(month), expiryYear: 2000 + Number(year), cvc } }
}

/**
 * The address of a form: null when the field is empty or not there. @returns `wrong` for what is
 * none
 */
export function readEmail(form: Record<string, string>): string | null | 'wrong' {
  const typed = (form.email ?? '').trim()
  if (typed === '') return null
  // A payer's address has a domain of two parts at least: `ada@localhost` is a slip.
  return isEmail(typed) && asciiEmail(typed).slice(typed.indexOf('@')).includes('.')
    ? tidyEmail(typed)
    : 'wrong'
}

/** An address as whoever has the link may see it: it may be another payer's. */
export function maskEmail(email: string): string {
  const [name = '', host = ''] = email.split('@')
  return `${[...name][0] ?? ''}•••@${host}`
}
