/**
 * The account of the person who is signed in: name, password and open sessions. `factors.ts` has the
 * other ways to sign in.
 */
import type { App } from '../../../core/app.ts'
import type { PageAnswer, PageRequest } from '../../../core/route.ts'
import { Refusal } from '../../../lib/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import {
  changePassword,
  endOtherSessions,
  endSession,
  listSessions,
  renamePerson,
  type Session,
  waysOf,
} from '../../../platform/team/team.ts'
import { barePage } from '../view/layout.ts'
import { badge, type Field, fact, facts, field, form, notice } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'
import { isUnproved } from '../visit.ts'
import { accountPath, type Handler, timeOf } from './account-page.ts'
import { agentOf, accountWords as words } from './account-words.ts'
import { browserOf } from './browser.ts'
import { noticeSection } from './notices.ts'
import { passkeySection } from './passkey-parts.ts'
import { words as usual } from './words.ts'

/** The error of a form, and the typed text. */
type Wrong = {
  of: 'name' | 'password'
  field: string
  message: string
  status: number
  typed?: string
}

const fieldOf: Record<string, string> = { password_wrong: 'current', too_many_tries: 'current' }

/** What the sections of the page show. */
type Shown = {
  session: Session
  ways: Awaited<ReturnType<typeof waysOf>>
  wrong: Wrong | null
}

async function accountOf(
  app: App,
  request: PageRequest,
  session: Session,
  wrong: Wrong | null = null,
): Promise<PageAnswer> {
  const [ways, sessions, passkeys, mails] = await Promise.all([
    waysOf(app, session.person.id),
    listSessions(app, session.person.id),
    passkeySection(app, session),
    noticeSection(app, session),
  ])
  const shown: Shown = { session, ways, wrong }
  const sendsMail = app.config.SMTP_URL !== null
  const done = words.done[request.query.done as keyof typeof words.done]
  const sections = [
    personSection(shown, sendsMail),
    passwordSection(shown),
    passkeys,
    authenticatorSection(shown),
    recoverySection(shown),
    mails,
    sessionsSection(session, sessions),
  ]
  const { title } = words
  const main = html`<h1>${title}</h1>${done !== undefined && notice('good', done)}${wrong && notice('bad', en.mend)}${sections}`
  return {
    html: barePage({ title: wrong ? en.wrong(title) : title, main, session, wide: true }),
    status: wrong?.status ?? 200,
  }
}

const act = ({ csrf }: Session, path: string, content: Html): Html =>
  form(csrf, `${accountPath}/${path}`, content)

const inputOf = (of: Field, wrong: Wrong | null, value = ''): Html =>
  field(of, value, wrong?.field === of.name ? wrong.message : null)

const nameField: Field = {
  name: 'name',
  label: usual.name,
  kind: 'text',
  required: true,
  autocomplete: 'name',
  maxLength: 100,
}

function personSection({ session, ways, wrong }: Shown, sendsMail: boolean): Html {
  const { person, memberships, barred } = session
  const businesses = [...memberships, ...barred].map((one) =>
    fact(html`<bdi>${one.name}</bdi>`, wordOf(one.role)),
  )
  const input = inputOf(nameField, wrong, wrong?.of === 'name' ? wrong.typed : person.name)
  const unproven =
    !ways.emailProven &&
    sendsMail &&
    notice('warn', html`${words.unproven} <a href="/dashboard/reset">${usual.resetButton}</a>`)
  return html`<section class="sheet"><h2>${words.you}</h2>${facts([
    fact(usual.email, html`<bdi>${person.email}</bdi>`),
    ...businesses,
  ])}${act(session, 'name', html`${input}<button class="second">${words.saveName}</button>`)}${unproven}</section>`
}

const currentField: Field = {
  name: 'current',
  label: words.current,
  kind: 'password',
  required: true,
  autocomplete: 'current-password',
}
const passwordField: Field = {
  name: 'password',
  label: usual.newPassword,
  kind: 'password',
  hint: usual.passwordHint,
  required: true,
  autocomplete: 'new-password',
}

function passwordSection({ session, ways, wrong }: Shown): Html {
  return html`<section class="sheet"><h2>${usual.password}</h2>${!ways.password && html`<p>${words.noPassword}</p>`}${act(
    session,
    'password',
    html`<input type="email" name="username" autocomplete="username" value="${session.person.email}" readonly hidden>${
      ways.password && inputOf(currentField, wrong)
    }${inputOf(passwordField, wrong)}<p class="hint">${words.passwordEnds}</p><button class="second">${words.savePassword}</button>`,
  )}</section>`
}

function authenticatorSection({ session, ways: { authenticator } }: Shown): Html {
  const { barred } = session
  return html`<section class="sheet"><h2>${words.second}</h2>${
    barred.length > 0 && notice('warn', words.barred(barred.map((one) => one.name).join(', ')))
  }${
    authenticator
      ? html`<p>${badge('active', 'good', words.on)} ${words.since} ${timeOf(authenticator)}</p>
<p><a class="button second" href="${accountPath}/authenticator/remove">${words.removeApp}</a></p>`
      : html`<p>${words.secondMeans}</p>${act(session, 'authenticator', html`<button class="second">${words.setUpApp}</button>`)}`
  }</section>`
}

const recoverySection = ({ session, ways }: Shown): Html | false =>
  session.secondFactor.exists &&
  html`<section class="sheet"><h2>${words.codes}</h2><p>${words.codesLeft(ways.recoveryCodes)}</p>${act(session, 'recovery-codes', html`<button class="second">${words.renewCodes}</button>`)}</section>`

type OpenSession = Awaited<ReturnType<typeof listSessions>>[number]

function sessionsSection(session: Session, sessions: OpenSession[]): Html {
  const rowOf = (one: OpenSession): Html => {
    const isThis = one.id === session.id
    const agent = agentOf(one.device)
    return html`<li><div><strong>${agent}</strong> ${isThis && badge('this', 'good', words.thisOne)}
<p class="hint">${one.address} · ${words.methods[one.method]} · ${words.signedIn} ${timeOf(one.signed_in_at)} · ${words.lastUsed} ${timeOf(one.last_used_at)}</p></div>${
      !isThis &&
      act(
        session,
        'sessions/end',
        html`<input type="hidden" name="session" value="${one.id}"><button class="quiet" aria-label="${words.endOf(agent)}">${words.end}</button>`,
      )
    }</li>`
  }
  return html`<section class="sheet"><h2>${words.sessions}</h2><ul class="rows">${sessions.map(rowOf)}</ul>${sessions.length > 1 && act(session, 'sessions/end-others', html`<button class="second">${words.endOthers}</button>`)}</section>`
}

const doneAt = (what: keyof typeof words.done): PageAnswer => ({
  redirect: `${accountPath}?done=${what}`,
})

export const showAccount: Handler = (app, request, session) => accountOf(app, request, session)

export const takeName: Handler = async (app, request, session) => {
  const { name = '' } = request.form
  try {
    await renamePerson(app, session.person.id, name)
    return doneAt('name')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { message, status } = error
    return accountOf(app, request, session, {
      of: 'name',
      field: 'name',
      typed: name,
      message,
      status,
    })
  }
}

export const takePassword: Handler = async (app, request, session) => {
  const { current = '', password = '' } = request.form
  try {
    await changePassword(app, session, { current, next: password }, browserOf(request))
    return doneAt('password')
  } catch (error) {
    if (!(error instanceof Refusal) || isUnproved(error)) throw error
    const { message, status, code } = error
    return accountOf(app, request, session, {
      of: 'password',
      field: fieldOf[code] ?? 'password',
      message,
      status,
    })
  }
}

export const takeEndSession: Handler = async (app, { form: { session: id = '' } }, session) => {
  if (/^[0-9a-f]{24}$/.test(id) && id !== session.id) await endSession(app, session.person.id, id)
  return doneAt('session')
}

export const takeEndOthers: Handler = async (app, _request, session) => {
  await endOtherSessions(app, session)
  return doneAt('sessions')
}
