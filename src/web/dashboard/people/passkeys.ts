/**
 * Passkeys: to sign in by one, and those of who is signed in. The script asks the browser; without
 * one, or without https, there is the password.
 */
import type { App } from '../../../core/app.ts'
import type { PageAnswer, PageRequest } from '../../../core/route.ts'
import { Refusal } from '../../../lib/errors.ts'
import { html } from '../../../lib/html.ts'
import {
  addPasskey,
  askForNewPasskey,
  askForPasskey,
  challengeCookie,
  challengeCookieAge,
  listPasskeys,
  passkeyHost,
  removePasskey,
  renamePasskey,
  type Session,
  signInByPasskey,
} from '../../../platform/team/team.ts'
import { assets } from '../assets.ts'
import { field, form, notice } from '../view/parts.ts'
import { en } from '../view/strings.ts'
import { accountPage, accountPath } from './account-page.ts'
import { agentOf } from './account-words.ts'
import { browserOf, cookiesOf, nextOf } from './browser.ts'
import { codesPage } from './factors.ts'
import { answering, asking, passkeysPath as path } from './passkey-parts.ts'
import { passkeyWords as words } from './passkey-words.ts'
import { signInPage } from './signing-in.ts'

/**
 * A challenge for whoever wants to sign in, and a cookie that says to which browser it was given.
 */
export async function giveChallenge(app: App): Promise<PageAnswer> {
  const { options, bound } = askForPasskey(app)
  return {
    json: options,
    cookies: [{ name: challengeCookie, value: bound, maxAge: challengeCookieAge }],
  }
}

export async function takePasskey(app: App, request: PageRequest): Promise<PageAnswer> {
  const { form, cookies } = request
  const next = nextOf(form.next)
  const end = await signInByPasskey(
    app,
    form.answer ?? '',
    cookies[challengeCookie] ?? '',
    browserOf(request),
  )
  const over = { name: challengeCookie, value: '', maxAge: 0 }
  if (end.state === 'signed_in') return { redirect: next, cookies: [...cookiesOf(end), over] }
  const [error, status] =
    end.state === 'limited' ? [words.limited(end.seconds), 429] : [words.wrong, 422]
  return { ...signInPage(app, next, { error, status }), cookies: [over] }
}

const nameField = {
  name: 'name',
  label: words.name,
  kind: 'text',
  required: true,
  maxLength: 100,
} as const

function newPage(
  app: App,
  request: PageRequest,
  session: Session,
  wrong: Refusal | null = null,
): PageAnswer {
  const host = passkeyHost(app)
  if (!host) return { redirect: accountPath }
  const isName = wrong?.code === 'name_invalid'
  const called = request.form.name ?? agentOf(request.agent)
  const content = html`${field(nameField, called, isName ? wrong.message : null)}<p class="hint">${words.othersEnd}</p>${answering(host)}<button>${words.make}</button>`
  const main = html`${wrong && notice('bad', isName ? en.mend : wrong.message)}<p>${words.newMeans}</p>
<p class="hint" data-unknown>${words.unknown}</p>
${form(session.csrf, path, content, asking('create', `${path}/challenge`, host))}`
  return accountPage(words.add, session, main, wrong?.status, assets.passkeys.path)
}

export async function showNew(
  app: App,
  request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  // Who has to sign in again is told before the device is asked.
  if (passkeyHost(app)) await askForNewPasskey(app, session)
  return newPage(app, request, session)
}

export const giveNewChallenge = async (
  app: App,
  _request: PageRequest,
  session: Session,
): Promise<PageAnswer> => ({
  json: await askForNewPasskey(app, session),
})

export async function takeNew(
  app: App,
  request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  const { answer = '', name = '' } = request.form
  try {
    const codes = await addPasskey(app, session, { answer, name }, browserOf(request))
    return codes.length > 0
      ? codesPage(session, codes, false, 'passkey')
      : { redirect: `${accountPath}?done=passkey` }
  } catch (error) {
    if (error instanceof Refusal && ['passkey_refused', 'name_invalid'].includes(error.code))
      return newPage(app, request, session, error)
    throw error
  }
}

async function onePage(
  app: App,
  request: PageRequest,
  session: Session,
  wrong: Refusal | null = null,
): Promise<PageAnswer> {
  const { id = '' } = request.params
  const one = (await listPasskeys(app, session.person.id)).find((passkey) => passkey.id === id)
  if (!one) return { redirect: accountPath }
  const main = html`${wrong && notice('bad', en.mend)}
${form(session.csrf, `${path}/${id}/name`, html`${field(nameField, request.form.name ?? one.name, wrong?.message ?? null)}<button class="second">${words.saveName}</button>`)}
<h2>${words.remove}</h2><p>${words.removeMeans}</p>
${form(session.csrf, `${path}/${id}/remove`, html`<button class="danger">${words.removeButton}</button>`)}`
  return accountPage(one.name, session, main, wrong?.status)
}

export const showOne = (app: App, request: PageRequest, session: Session): Promise<PageAnswer> =>
  onePage(app, request, session)

export async function takeName(
  app: App,
  request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  try {
    await renamePasskey(app, session, request.params.id ?? '', request.form.name ?? '')
    return { redirect: `${accountPath}?done=passkeyNamed` }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'name_invalid')
      return onePage(app, request, session, error)
    throw error
  }
}

export async function takeRemove(
  app: App,
  request: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  await removePasskey(app, session, request.params.id ?? '', browserOf(request))
  return { redirect: `${accountPath}?done=passkeyRemoved` }
}
