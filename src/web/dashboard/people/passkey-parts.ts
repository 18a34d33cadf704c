/**
 * What other pages show of passkeys: the button to sign in by one, and those of who is signed in.
 */
import type { App } from '../../../core/app.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import {
  listPasskeys,
  type PasskeyHost,
  passkeyHost,
  type Session,
} from '../../../platform/team/team.ts'
import { assets } from '../assets.ts'
import { badge, notice } from '../view/parts.ts'
import { accountPath, timeOf } from './account-page.ts'
import { passkeyWords as words } from './passkey-words.ts'

export const passkeysPath = `${accountPath}/passkeys`

/** What the script needs of a form that sends an answer. */
export const asking = (kind: 'get' | 'create', challenge: string, { origin }: PasskeyHost): Part =>
  html` data-passkey="${kind}" data-challenge="${challenge}" data-origin="${origin}" hidden`

export const answering = (
  host: PasskeyHost,
): Html => html`<input type="hidden" name="answer" value="">
<p class="wrong" role="alert" data-failed hidden>${words.failed}</p>
<p class="hint" data-elsewhere hidden>${words.elsewhere} <a href="${host.origin}/dashboard">${host.origin}</a></p>`

/** The button to sign in by a passkey; nothing where browsers refuse passkeys. */
export function passkeyButton(app: App, next: string): { part: Part; script: string | undefined } {
  const host = passkeyHost(app)
  if (!host) return { part: null, script: undefined }
  const part = html`<form class="apart" method="post" action="/dashboard/sign-in/passkey"${asking('get', '/dashboard/sign-in/passkey/challenge', host)}>
<input type="hidden" name="next" value="${next}">${answering(host)}<button class="second">${words.signIn}</button></form>`
  return { part, script: assets.passkeys.path }
}

/** The passkeys of who is signed in, on the account page. */
export async function passkeySection(app: App, session: Session): Promise<Html> {
  const passkeys = await listPasskeys(app, session.person.id)
  const host = passkeyHost(app)
  const add = host
    ? html`<p><a class="button second" href="${passkeysPath}/new">${words.add}</a></p>`
    : notice('info', words.needHttps)
  const rows = passkeys.map(
    (
      one,
    ) => html`<li><div><strong><bdi>${one.name}</bdi></strong> ${one.backed_up && badge('kept', 'dim', words.backedUp)}
<p class="hint">${words.added} ${timeOf(one.created_at)} · ${one.last_used_at ? html`${words.lastUsed} ${timeOf(one.last_used_at)}` : words.unused}</p></div>
<a href="${passkeysPath}/${one.id}" aria-label="${words.changeOf(one.name)}">${words.change}</a></li>`,
  )
  return html`<section class="sheet"><h2>${words.passkeys}</h2><p>${words.meaning}</p>${
    rows.length > 0 && html`<ul class="rows">${rows}</ul>`
  }${add}</section>`
}
