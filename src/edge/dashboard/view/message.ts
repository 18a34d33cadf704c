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
  refused: 400,
  out_of_date: 400,
  too_many: 429,
  unavailable: 503,
  error: 500,
}

/**
 * @param place where it happened, whose page stands around it
 * @param said a sentence that says more than the kind does
 */
export function messagePage(kind: MessageKind, session: Session | null, place: Place | null = null, said?: string) {
  const { title, text } = en.messages[kind]
  const home = kind === 'barred' ? '/dashboard/account' : place ? place.base : '/dashboard'
  const main = html`<div class="message"><h1>${title}</h1><p>${said ?? text}</p>
<p><a class="button" href="${home}">${kind === 'barred' ? en.account : en.toHome}</a></p></div>`
  const content = place ? page(place, { title, main }) : barePage({ title, main, session })
  return { html: content, status: statuses[kind] }
}
