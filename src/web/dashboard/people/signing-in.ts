/**
 * Signing in by a password and a second factor, and signing out.
 */
import type { App } from '../../../core/app.ts'
import type { PageAnswer, PageRequest } from '../../../core/route.ts'
import { html, type Part } from '../../../lib/html.ts'
import {
  endSessionOf,
  pendingPerson,
  type Session,
  showSecondFactor,
  signIn,
} from '../../../platform/team/team.ts'
import { barePage } from '../view/layout.ts'
import { signInAt } from '../view/message.ts'
import { code, field, notice } from '../view/parts.ts'
import { en } from '../view/strings.ts'
import { browserOf, cookiesOf, nextOf, noSession } from './browser.ts'
import { passkeyButton } from './passkey-parts.ts'
import { words } from './words.ts'

const secondPath = '/dashboard/sign-in/second'

/**
 * A page with one form, of whoever is not signed in. Its form acts by what is typed into it, and
 * needs no text of a session.
 */
export function formPage(
  title: string,
  { action, fields, button, before, after, error = null, script, posted }: FormOf,
  status?: number,
): PageAnswer {
  const main = html`<h1>${title}</h1>${before}${error !== null && notice('bad', error)}
<form method="post" action="${action}"${posted !== undefined && html` data-posted="${posted}"`}>${fields}<button>${button}</button></form>${after}`
  const wrong = (status ?? 200) >= 400
  return {
    html: barePage({ title: wrong ? en.wrong(title) : title, main, script }),
    ...(status !== undefined && { status }),
  }
}

type FormOf = {
  action: string
  fields: Part
  button: string
  before?: Part
  after?: Part
  error?: string | null
  script?: string | undefined
  /** Where a reload leads that sends no form again. */
  posted?: string | undefined
}

const nextField = (next: string) => field({ name: 'next', label: '', kind: 'hidden' }, next)

type SignInShown = { email?: string; error?: string; status?: number }

export function signInPage(
  app: App,
  next: string,
  { email = '', error, status }: SignInShown = {},
): PageAnswer {
  const fields = [
    nextField(next),
    field(
      {
        name: 'email',
        label: words.email,
        kind: 'email',
        required: true,
        autocomplete: 'username',
      },
      email,
    ),
    field({
      name: 'password',
      label: words.password,
      kind: 'password',
      required: true,
      autocomplete: 'current-password',
    }),
  ]
  const { part, script } = passkeyButton(app, next)
  const after = html`${part}<p><a href="/dashboard/reset">${words.forgotten}</a></p>
<p class="hint">${words.newHere} ${code('npx bursar team invite')}</p>`
  const form = {
    action: '/dashboard/sign-in',
    fields,
    button: words.signIn,
    after,
    script,
    error: error ?? null,
    ...(status !== undefined && { posted: signInAt(next) }),
  }
  return formPage(words.signIn, form, status)
}

/** The page to sign in; who is signed in goes on, but `again` is asked for who it is once more. */
export async function showSignIn(
  app: App,
  { query }: PageRequest,
  session: Session | null,
): Promise<PageAnswer> {
  const next = nextOf(query.next)
  if (session && query.again === undefined) return { redirect: next }
  const why = words.ended[query.ended as keyof typeof words.ended]
  return signInPage(app, next, { email: session?.person.email ?? '', ...(why && { error: why }) })
}

export async function takeSignIn(app: App, request: PageRequest): Promise<PageAnswer> {
  const { email = '', password = '' } = request.form
  const next = nextOf(request.form.next)
  const end = await signIn(app, { email, password }, browserOf(request))
  switch (end.state) {
    case 'signed_in':
      return { redirect: next, cookies: cookiesOf(end) }
    case 'second_factor':
      return { redirect: secondAt(next), cookies: cookiesOf(end) }
    case 'limited':
      return signInPage(app, next, { email, error: words.limited(end.seconds), status: 429 })
    case 'wrong':
      return signInPage(app, next, { email, error: words.wrong, status: 422 })
  }
}

/** Where the second factor is asked for. */
export const secondAt = (next: string): string => `${secondPath}?next=${encodeURIComponent(next)}`

type SecondOf = NonNullable<Awaited<ReturnType<typeof pendingPerson>>>

function secondPage(
  app: App,
  next: string,
  person: SecondOf,
  error: string | null = null,
  status?: number,
): PageAnswer {
  const label = person.totp_confirmed_at ? words.code : words.recoveryCode
  const fields = [
    nextField(next),
    field({ name: 'code', label, kind: 'text', required: true, autocomplete: 'one-time-code' }),
  ]
  const { part, script } = person.has_passkey
    ? passkeyButton(app, next)
    : { part: null, script: undefined }
  const after = html`${part}<p><a href="${signInAt(next)}">${words.another}</a></p>`
  return formPage(
    words.second,
    {
      action: secondPath,
      fields,
      button: words.signIn,
      after,
      error,
      script,
      ...(status !== undefined && { posted: secondAt(next) }),
    },
    status,
  )
}

export async function showSecond(
  app: App,
  request: PageRequest,
  session: Session | null,
): Promise<PageAnswer> {
  const next = nextOf(request.query.next)
  if (session) return { redirect: next }
  const person = await pendingPerson(app, browserOf(request).session)
  return person ? secondPage(app, next, person) : { redirect: signInAt(next) }
}

export async function takeSecond(app: App, request: PageRequest): Promise<PageAnswer> {
  const next = nextOf(request.form.next)
  const browser = browserOf(request)
  const person = await pendingPerson(app, browser.session)
  const end = await showSecondFactor(app, request.form.code ?? '', browser)
  if (!person) return { redirect: signInAt(next) }
  switch (end.state) {
    case 'signed_in':
      return { redirect: next, cookies: cookiesOf(end) }
    case 'limited':
      return secondPage(app, next, person, words.limited(end.seconds), 429)
    case 'wrong':
      return secondPage(app, next, person, words.codeWrong, 422)
    default:
      return { redirect: signInAt(next) }
  }
}

export async function takeSignOut(app: App, request: PageRequest): Promise<PageAnswer> {
  await endSessionOf(app, browserOf(request).session ?? '')
  return { redirect: '/dashboard/sign-in', cookies: noSession }
}
