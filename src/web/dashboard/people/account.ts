/**
 * The account of who is signed in: name, password, and where else it is signed in. How else to sign
 * in stands in `factors.ts`.
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

/** What was wrong with a form, and what was typed. */
type Wrong = {
  of: 'name' | 'password'
  field: string
  message: string
  status: number
  typed?: string
}

const fieldOf: Record<string, string> = { password_wrong: 'current', too_many_tries: 'current' }

async function accountOf(
  app: App,
  request: PageRequest,
  session: Session,
  wrong: Wrong | null = null,
): Promise<PageAnswer> {
  const { person, memberships, barred } = session
  const [ways, sessions, passkeys, mails] = await Promise.all([
    waysOf(app, person.id),
    listSessions(app, person.id),
    passkeySection(app, session),
    noticeSection(app, session),
  ])
  const errorOf = (name: string): string | null => (wrong?.field === name ? wrong.message : null)
  const inputOf = (of: Field, value = ''): Html => field(of, value, errorOf(of.name))
  const act = (path: string, content: Html): Html =>
    form(session.csrf, `${accountPath}/${path}`, content)
  const done = words.done[request.query.done as keyof typeof words.done]

  const name: Field = {
    name: 'name',
    label: usual.name,
    kind: 'text',
    required: true,
    autocomplete: 'name',
    maxLength: 100,
  }
  const you = html`<section class="sheet"><h2>${words.you}</h2>${facts([
    fact(usual.email, html`<bdi>${person.email}</bdi>`),
    ...[...memberships, ...barred].map((one) =>
      fact(html`<bdi>${one.name}</bdi>`, wordOf(one.role)),
    ),
  ])}${act('name', html`${inputOf(name, wrong?.of === 'name' ? wrong.typed : person.name)}<button class="second">${words.saveName}</button>`)}${!ways.emailProven && app.config.SMTP_URL !== null && notice('warn', html`${words.unproven} <a href="/dashboard/reset">${usual.resetButton}</a>`)}</section>`

  const current: Field = {
    name: 'current',
    label: words.current,
    kind: 'password',
    required: true,
    autocomplete: 'current-password',
  }
  const next: Field = {
    name: 'password',
    label: usual.newPassword,
    kind: 'password',
    hint: usual.passwordHint,
    required: true,
    autocomplete: 'new-password',
  }
  const password = html`<section class="sheet"><h2>${usual.password}</h2>${!ways.password && html`<p>${words.noPassword}</p>`}${act(
    'password',
    html`<input type="email" name="username" autocomplete="username" value="${person.email}" readonly hidden>${
      ways.password && inputOf(current)
    }${inputOf(next)}<p class="hint">${words.passwordEnds}</p><button class="second">${words.savePassword}</button>`,
  )}</section>`

  const { authenticator, recoveryCodes } = ways
  const codes =
    session.secondFactor.exists &&
    html`<section class="sheet"><h2>${words.codes}</h2><p>${words.codesLeft(recoveryCodes)}</p>${act('recovery-codes', html`<button class="second">${words.renewCodes}</button>`)}</section>`
  const second = html`<section class="sheet"><h2>${words.second}</h2>${
    barred.length > 0 && notice('warn', words.barred(barred.map((one) => one.name).join(', ')))
  }${
    authenticator
      ? html`<p>${badge('active', 'good', words.on)} ${words.since} ${timeOf(authenticator)}</p>
<p><a class="button second" href="${accountPath}/authenticator/remove">${words.removeApp}</a></p>`
      : html`<p>${words.secondMeans}</p>${act('authenticator', html`<button class="second">${words.setUpApp}</button>`)}`
  }</section>`

  const where = html`<section class="sheet"><h2>${words.sessions}</h2><ul class="rows">${sessions.map(
    (
      one,
    ) => html`<li><div><strong>${agentOf(one.device)}</strong> ${one.id === session.id && badge('this', 'good', words.thisOne)}
<p class="hint">${one.address} · ${words.methods[one.method]} · ${words.signedIn} ${timeOf(one.signed_in_at)} · ${words.lastUsed} ${timeOf(one.last_used_at)}</p></div>${
      one.id !== session.id &&
      act(
        'sessions/end',
        html`<input type="hidden" name="session" value="${one.id}"><button class="quiet" aria-label="${words.endOf(agentOf(one.device))}">${words.end}</button>`,
      )
    }</li>`,
  )}</ul>${sessions.length > 1 && act('sessions/end-others', html`<button class="second">${words.endOthers}</button>`)}</section>`

  const title = words.title
  const main = html`<h1>${title}</h1>${done !== undefined && notice('good', done)}${wrong && notice('bad', en.mend)}${[you, password, passkeys, second, codes, mails, where]}`
  return {
    html: barePage({ title: wrong ? en.wrong(title) : title, main, session, wide: true }),
    status: wrong?.status ?? 200,
  }
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
