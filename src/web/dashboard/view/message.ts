/**
 * Pages that say one thing: what is not there, not allowed, or went wrong.
 */
import { html } from '../../../lib/html.ts'
import type { Session } from '../../../platform/team/team.ts'
import type { Place } from '../place.ts'
import { barePage, page } from './layout.ts'
import { en } from './strings.ts'

export type MessageKind = keyof typeof en.messages

const statuses: Record<MessageKind, number> = {
  not_found: 404,
  not_allowed: 403,
  barred: 403,
  factor_first: 403,
  confirm: 403,
  refused: 400,
  out_of_date: 400,
  too_many: 429,
  unavailable: 503,
  error: 500,
}

/** Where to sign in, and come back from. */
export const signInAt = (path: string): string =>
  `/dashboard/sign-in?next=${encodeURIComponent(path)}`

/**
 * Returns where a person proves once more who it is, to go on at `path`: who has no second factor
 * sets one up first.
 * @param path of a page, which can be loaded
 */
export const proveAt = (
  { secondFactor }: Session,
  path: string,
): { href: string; label: string } =>
  secondFactor.exists
    ? { href: `${signInAt(path)}&again=1`, label: en.signIn }
    : { href: '/dashboard/account', label: en.account }

/**
 * @param place where it happened, whose page stands around it
 * @param said a sentence that says more than the kind does
 */
export function messagePage(
  kind: MessageKind,
  session: Session | null,
  place: Place | null = null,
  said?: string,
) {
  const { title, text } = en.messages[kind]
  const { href, label } = nextOf(kind, session, place)
  const main = html`<div class="message"><h1>${title}</h1><p>${said ?? text}</p>
<p><a class="button" href="${href}">${label}</a></p></div>`
  const content = place ? page(place, { title, main }) : barePage({ title, main, session })
  return { html: content, status: statuses[kind] }
}

function nextOf(
  kind: MessageKind,
  session: Session | null,
  place: Place | null,
): { href: string; label: string } {
  if (kind === 'barred') return { href: '/dashboard/account', label: en.account }
  if (session && (kind === 'factor_first' || kind === 'confirm'))
    return proveAt(session, place?.path ?? '/dashboard/operator')
  return { href: place ? place.base : '/dashboard', label: en.toHome }
}
