/**
 * The authenticator app of who is signed in, and its recovery codes.
 */
import { renderSVG } from 'uqr'
import type { App } from '../../../core/app.ts'
import type { PageAnswer, PageRequest } from '../../../core/route.ts'
import { Refusal } from '../../../lib/errors.ts'
import { html, raw } from '../../../lib/html.ts'
import {
  confirmTotp,
  pendingTotp,
  removeTotp,
  renewRecoveryCodes,
  type Session,
  startTotp,
} from '../../../platform/team/team.ts'
import { code, type Field, field, form, notice } from '../view/parts.ts'
import { en } from '../view/strings.ts'
import { accountPage, accountPath } from './account-page.ts'
import { accountWords as words } from './account-words.ts'
import { browserOf } from './browser.ts'

const path = `${accountPath}/authenticator`

export async function takeStart(
  app: App,
  _request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  await startTotp(app, session)
  return { redirect: path }
}

async function setUpPage(
  app: App,
  session: Session,
  wrong: Refusal | null = null,
): Promise<PageAnswer> {
  const pending = await pendingTotp(app, session)
  if (!pending) return { redirect: accountPath }
  const { secret, uri } = pending
  const of: Field = {
    name: 'code',
    label: words.code,
    kind: 'number',
    required: true,
    autocomplete: 'one-time-code',
  }
  const main = html`${wrong && notice('bad', en.mend)}<p>${words.scan}</p>
<p class="qr" role="img" aria-label="${words.qr}">${raw(renderSVG(uri, { border: 2 }))}</p>
<p>${words.key}: ${code((secret.match(/.{1,4}/g) ?? []).join(' '))}</p>
${form(
  session.csrf,
  `${path}/confirm`,
  html`${field(of, '', wrong?.message ?? null)}<p class="hint">${words.othersEnd}</p><button>${words.confirm}</button>`,
)}`
  return accountPage(words.setUp, session, main, wrong?.status)
}

export const showSetUp = (app: App, _request: PageRequest, session: Session): Promise<PageAnswer> =>
  setUpPage(app, session)

/** The codes stand in this answer alone. `added`: what they come with. */
export function codesPage(
  session: Session,
  codes: readonly string[],
  replaced: boolean,
  added: 'app' | 'passkey' = 'app',
): PageAnswer {
  const main = html`<p>${words.codesMean}</p>${replaced && html`<p>${words.codesReplaced}</p>`}
<ul class="codes" data-posted="${accountPath}">${codes.map((one) => html`<li>${code(one)}</li>`)}</ul>
<div class="buttons"><button class="second" hidden data-copy="${codes.join('\n')}" data-done="${en.copied}">${words.copyCodes}</button>
<a class="button" href="${accountPath}?done=${replaced ? 'codes' : added}">${words.codesKept}</a></div>`
  return accountPage(words.codes, session, main)
}

export async function takeConfirm(
  app: App,
  request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  try {
    const codes = await confirmTotp(app, session, request.form.code ?? '', browserOf(request))
    return codes.length > 0
      ? codesPage(session, codes, false)
      : { redirect: `${accountPath}?done=app` }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'code_wrong')
      return setUpPage(app, session, error)
    throw error
  }
}

export async function takeRenew(
  app: App,
  _request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  return codesPage(session, await renewRecoveryCodes(app, session), true)
}

export async function showRemove(
  _app: App,
  _request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  const main = html`<p>${words.removeMeans}</p>${form(
    session.csrf,
    `${path}/remove`,
    html`<button class="danger">${words.removeApp}</button>`,
  )}`
  return accountPage(words.remove, session, main)
}

export async function takeRemove(
  app: App,
  request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  await removeTotp(app, session, browserOf(request))
  return { redirect: `${accountPath}?done=removed` }
}
