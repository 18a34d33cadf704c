/**
 * What links lead to: joining a team, and a new password. To look at one changes nothing: mail is
 * read by machines, too.
 */
import type { App } from '../../../core/app.ts'
import type { PageAnswer, PageRequest } from '../../../core/route.ts'
import { Refusal } from '../../../lib/errors.ts'
import { html } from '../../../lib/html.ts'
import {
  acceptAs,
  acceptAsNewcomer,
  askForReset,
  findInvitation,
  findReset,
  type Invitation,
  resetPassword,
  roleTable,
  type Session,
} from '../../../platform/team/team.ts'
import { barePage } from '../view/layout.ts'
import { messagePage, signInAt } from '../view/message.ts'
import { type Field, field, form } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'
import { isOwnForm } from '../visit.ts'
import { browserOf, cookiesOf, home } from './browser.ts'
import { formPage, secondAt } from './signing-in.ts'
import { words } from './words.ts'

/** The page of a link that is over, where that is what was refused. */
async function ofLink(
  session: Session | null,
  work: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'link_over') throw error
    const main = html`<div class="message"><h1>${words.linkOver}</h1><p>${error.message}</p>
<p><a class="button" href="${home}">${en.toHome}</a></p></div>`
    return { html: barePage({ title: words.linkOver, main, session }), status: error.status }
  }
}

/**
 * What stands in a form again, and what was wrong with it: said at its field, or above the form.
 */
type Typed = { form: Record<string, string>; refusal: Refusal }

const fieldOf: Record<string, string> = {
  email_invalid: 'email',
  name_invalid: 'name',
  password_refused: 'password',
}

const wrongWith = (typed: Typed | null, name: string): string | null =>
  typed && fieldOf[typed.refusal.code] === name ? typed.refusal.message : null

const generalOf = (typed: Typed | null): string | null =>
  typed && fieldOf[typed.refusal.code] === undefined ? typed.refusal.message : null

const newPassword = (label: string): Field => ({
  name: 'password',
  label,
  kind: 'password',
  hint: words.passwordHint,
  required: true,
  autocomplete: 'new-password',
})

/** Whose password it is, for what keeps passwords. */
const usernameOf = (email: string) =>
  html`<input type="email" name="username" autocomplete="username" value="${email}" readonly hidden>`

const invitationAt = ({ params }: PageRequest): string => `/dashboard/invite/${params.token}`

const titleOf = ({ business }: Invitation): string =>
  business === null ? words.firstOwner : words.join(business)

const about = ({ business, role }: Invitation): string =>
  business === null
    ? words.firstOwnerText
    : words.joinAs(wordOf(role).toLowerCase(), roleTable[role].meaning)

/** For who has no account yet. */
function newcomerPage(
  request: PageRequest,
  invitation: Invitation,
  typed: Typed | null = null,
): PageAnswer {
  const { email } = invitation
  const emailField: Field = {
    name: 'email',
    label: words.email,
    kind: 'email',
    required: true,
    autocomplete: 'username',
  }
  const nameField: Field = {
    name: 'name',
    label: words.name,
    kind: 'text',
    required: true,
    autocomplete: 'name',
    maxLength: 100,
  }
  const fields = [
    email === null
      ? field(emailField, typed?.form.email, wrongWith(typed, 'email'))
      : usernameOf(email),
    field(nameField, typed?.form.name, wrongWith(typed, 'name')),
    field(newPassword(words.password), '', wrongWith(typed, 'password')),
  ]
  const before = html`<p>${about(invitation)}</p>${email !== null && html`<p>${words.accountOf(email)}</p>`}`
  const after =
    (email === null || typed?.refusal.code === 'sign_in_first') &&
    html`<p><a href="${signInAt(invitationAt(request))}">${words.haveAccountAlready}</a></p>`
  const shown = {
    action: invitationAt(request),
    fields,
    button: words.joinButton,
    before,
    after,
    error: generalOf(typed),
  }
  return formPage(titleOf(invitation), shown, typed?.refusal.status)
}

export function showInvitation(
  app: App,
  request: PageRequest,
  session: Session | null,
): Promise<PageAnswer> {
  return ofLink(session, async () => {
    const invitation = await findInvitation(app, request.params.token ?? '')
    const title = titleOf(invitation)
    const { email, known } = invitation
    if (!session && !known) return newcomerPage(request, invitation)
    const mine = session !== null && (email === null || email === session.person.email)
    const next = !session
      ? html`<p>${words.haveAccount}</p><p><a class="button" href="${signInAt(invitationAt(request))}">${words.signIn}</a></p>`
      : mine
        ? html`<p>${words.signedInAs(session.person.email)}</p>${form(
            session.csrf,
            invitationAt(request),
            html`<button>${words.joinButton}</button>`,
          )}`
        : html`<p>${words.signedInAs(session.person.email)} ${words.otherPerson(email ?? '')}</p>`
    const main = html`<h1>${title}</h1><p>${about(invitation)}</p>${next}`
    return { html: barePage({ title, main, session }) }
  })
}

export function takeInvitation(
  app: App,
  request: PageRequest,
  session: Session | null,
): Promise<PageAnswer> {
  return ofLink(session, async () => {
    const token = request.params.token ?? ''
    const browser = browserOf(request)
    if (session) {
      if (!isOwnForm(session, request)) return messagePage('out_of_date', session)
      try {
        await acceptAs(app, token, session, browser)
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'address_unproven') throw error
        const main = html`<h1>${words.unproven}</h1><p>${error.message}</p><p><a class="button" href="/dashboard/reset">${words.resetButton}</a></p>`
        return { html: barePage({ title: words.unproven, main, session }), status: error.status }
      }
      return { redirect: home }
    }
    const { email = '', name = '', password = '' } = request.form
    try {
      const end = await acceptAsNewcomer(app, token, { email, name, password }, browser)
      return { redirect: home, cookies: cookiesOf(end) }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'link_over') throw error
      return newcomerPage(request, await findInvitation(app, token), {
        form: request.form,
        refusal: error,
      })
    }
  })
}

function askPage(app: App, typed: Typed | null = null): PageAnswer {
  const back = html`<p><a href="/dashboard/sign-in">${words.back}</a></p>`
  if (app.config.SMTP_URL === null) {
    const main = html`<h1>${words.reset}</h1><p>${words.resetUnmailed}</p>${back}`
    return { html: barePage({ title: words.reset, main }) }
  }
  const of: Field = {
    name: 'email',
    label: words.email,
    kind: 'email',
    required: true,
    autocomplete: 'username',
  }
  const shown = {
    action: '/dashboard/reset',
    button: words.resetButton,
    after: back,
    before: html`<p>${words.resetText}</p>`,
    fields: field(of, typed?.form.email, wrongWith(typed, 'email')),
    error: generalOf(typed),
  }
  return formPage(words.reset, shown, typed?.refusal.status)
}

export async function showAsk(app: App): Promise<PageAnswer> {
  return askPage(app)
}

/** What is answered is the same, whether somebody has the address or not. */
export async function takeAsk(app: App, request: PageRequest): Promise<PageAnswer> {
  const { email = '' } = request.form
  try {
    await askForReset(app, email, browserOf(request))
  } catch (error) {
    if (error instanceof Refusal) return askPage(app, { form: request.form, refusal: error })
    throw error
  }
  const main = html`<h1>${words.resetMailed}</h1><p>${words.resetMailedText(email.trim())}</p>
<p><a href="/dashboard/sign-in">${words.back}</a></p>`
  return { html: barePage({ title: words.resetMailed, main }) }
}

async function resetPage(
  app: App,
  request: PageRequest,
  typed: Typed | null = null,
): Promise<PageAnswer> {
  const token = request.params.token ?? ''
  const { email } = await findReset(app, token)
  const shown = {
    action: `/dashboard/reset/${token}`,
    button: words.resetSave,
    error: generalOf(typed),
    fields: [
      usernameOf(email),
      field(newPassword(words.newPassword), '', wrongWith(typed, 'password')),
    ],
    before: html`<p>${words.resetOf(email)}</p>`,
  }
  return formPage(words.reset, shown, typed?.refusal.status)
}

export const showReset = (
  app: App,
  request: PageRequest,
  session: Session | null,
): Promise<PageAnswer> => ofLink(session, () => resetPage(app, request))

export function takeReset(
  app: App,
  request: PageRequest,
  session: Session | null,
): Promise<PageAnswer> {
  return ofLink(session, async () => {
    try {
      const end = await resetPassword(
        app,
        request.params.token ?? '',
        request.form.password ?? '',
        browserOf(request),
      )
      return {
        redirect: end.state === 'second_factor' ? secondAt(home) : home,
        cookies: cookiesOf(end),
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'link_over') throw error
      return resetPage(app, request, { form: request.form, refusal: error })
    }
  })
}
