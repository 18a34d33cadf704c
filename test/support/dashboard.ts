/**
 * People at the dashboard, over HTTP: without a browser, as one without scripts would be.
 */
import assert from 'node:assert/strict'
import { randomText } from '../../src/lib/secrets.ts'
import {
  addMember,
  createPerson,
  findSession,
  openSession,
  type PersonRole,
  sessionCookie,
} from '../../src/platform/team/team.ts'
import type { TestServer } from './harness.ts'
import { type Sent, send } from './http.ts'
import { signIn, withSecondFactor } from './people.ts'

export type PageText = { status: number; html: string; location: string | null; headers: Headers }

export type Visitor = {
  /** Where the pages of the business are. */
  base: string
  cookie: string
  csrf: string
  get(path: string): Promise<PageText>
  /** Sends a form with files, and follows to the page that answers it. */
  send(path: string, body: FormData): Promise<PageText>
  /** Sends a form, with the session's text in it. */
  post(
    path: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<PageText>
}

/**
 * A person of the business's team who has just signed in with a second factor. Paths that do not
 * begin with `/dashboard` stand below the mode.
 * @param of.secondFactor false: by the password alone, as who has no second factor
 */
export async function signedIn(
  { app, url, businessId }: Pick<TestServer, 'app' | 'url' | 'businessId'>,
  role: PersonRole = 'owner',
  mode: 'test' | 'live' = 'test',
  { name = 'Ada Okafor', secondFactor = true }: { name?: string; secondFactor?: boolean } = {},
): Promise<Visitor> {
  const person = await createPerson(app, {
    email: `${role}.${randomText(8)}@shop.example`,
    name,
    isEmailProven: true,
  })
  await addMember(app, businessId, person.id, role)
  const token = await openSession(app, person.id, { address: '127.0.0.1', device: 'test' })
  if (secondFactor) await withSecondFactor({ app }, person.id)
  const session = await findSession(app, token)
  return visitor(
    url,
    `/dashboard/${businessId}/${mode}`,
    `${sessionCookie}=${token}`,
    session?.csrf,
  )
}

/** Who looks after the installation, at the pages of that. */
export async function signedInOperator(server: TestServer): Promise<Visitor & { email: string }> {
  const { email, token, headers } = await signIn(server, 'owner', { installationOwner: true })
  const session = await findSession(server.app, token)
  return { email, ...visitor(server.url, '/dashboard/operator', headers.cookie, session?.csrf) }
}

/** Whoever has this cookie. */
export function visitor(url: string, base: string, cookie: string, csrf = ''): Visitor {
  const ask = async (path: string, sent: Sent = {}): Promise<PageText> => {
    const { status, headers, text } = await send(
      url + (path.startsWith('/dashboard') ? path : base + path),
      { ...sent, headers: { cookie, ...sent.headers } },
    )
    const location = headers.get('location')
    // The answer to a form: a browser goes there by itself.
    if (sent.method === 'POST' && location?.includes('?answer=')) return ask(location)
    return { status, html: text, location, headers }
  }
  return {
    base,
    cookie,
    csrf,
    get: (path) => ask(path),
    send: (path, body) => ask(path, { method: 'POST', body }),
    post: (path, fields = {}, headers = {}) =>
      ask(path, { method: 'POST', body: new URLSearchParams({ csrf, ...fields }), headers }),
  }
}

/** The page, which must be there. */
export async function shown(answer: Promise<PageText>): Promise<string> {
  const { status, html } = await answer
  assert.equal(status, 200, html.slice(0, 2_000))
  return html
}

/** The hidden fields of a page's forms, by their names. */
export function hiddenOf(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
      ([, name, value = '']) => [name, unescaped(value)],
    ),
  )
}

/** All that a page's forms hold as they stand, as a browser would send it, but checkboxes. */
export function valuesOf(html: string): Record<string, string> {
  const values = hiddenOf(html)
  for (const [tag] of html.matchAll(/<input type="(?!hidden|checkbox|file)[^>]*>/g))
    values[nameIn(tag)] = unescaped(/ value="([^"]*)"/.exec(tag)?.[1] ?? '')
  for (const [tag, text = ''] of html.matchAll(/<textarea[^>]*>([^<]*)/g))
    values[nameIn(tag)] = unescaped(text)
  for (const [tag] of html.matchAll(/<select[^>]*>.*?<\/select>/gs))
    values[nameIn(tag)] = unescaped(/value="([^"]*)" selected/.exec(tag)?.[1] ?? '')
  return values
}

const nameIn = (tag: string): string => / name="([^"]*)"/.exec(tag)?.[1] ?? ''

const characters = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: keyof typeof characters) => characters[name])
