/**
 * A payer's browser, as far as a server can tell: what it opens, the forms that a page has, and
 * what it sends of them. Nothing that is lost on its way is sent again by itself.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import { asksAgain, type Cut, cuts, once, patience } from './requests.ts'

/** What the tabs of a browser share: its cookie, empty before the first page. */
export type Browser = { cookie: string }

export type Form = {
  /** Where it is sent to. */
  action: string
  /** What it does: the last part of that. */
  name: string
  hidden: Record<string, string>
  /** Its buttons that say something. */
  buttons: [name: string, value: string][]
}

export type Page = {
  /** Where it was opened, with its query. */
  path: string
  /** The one that it was made for: its forms are good with that alone. */
  cookie: string
  /** What it says of its payment; null where it is about none. */
  status: string | null
  /** Where it leads away to at once; null where it stays. */
  onward: string | null
  /** Addresses of the ways to pay. */
  ways: string[]
  forms: Form[]
}

function read(path: string, html: string, cookie: string): Page {
  const all = (text: string, expression: RegExp): string[][] =>
    [...text.matchAll(expression)].map((found) => found)
  const pairs = (text: string, expression: RegExp): [string, string][] =>
    all(text, expression).map(([, name = '', value = '']) => [name, value])
  return {
    path,
    cookie,
    onward: /http-equiv="refresh" content="0;url=([^"]+)"/.exec(html)?.[1] ?? null,
    status: /data-form="(\w+)/.exec(html)?.[1] ?? null,
    ways: all(html, /<li><a href="([^"&]+\?method=\w+)"/g).map(([, href = '']) => href),
    forms: all(html, /<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs).map(
      ([, action = '', inside = '']) => ({
        action,
        name: action.split('/').at(-1) ?? '',
        hidden: Object.fromEntries(
          pairs(inside, /<input type="hidden" name="([^"]+)" value="([^"]*)"/g),
        ),
        buttons: pairs(inside, /<button[^>]* name="([^"]+)" value="([^"]*)"/g),
      }),
    ),
  }
}

const titleOf = (html: string): string => /<title>(.*?)<\/title>/s.exec(html)?.[1] ?? ''

/**
 * Asks once. @returns null: no answer came, or one that says to ask again; whoever asked knows
 * nothing
 */
async function ask(
  client: Client,
  browser: Browser,
  method: string,
  path: string,
  form: string | null,
  cut: Cut | null,
) {
  const { by, tally, apis, cutShare } = client.asking
  const fault = by.happens(cutShare()) ? by.one(form === null ? cuts.slice(1) : cuts) : null
  if (cut === null && fault !== null) tally.fault(fault)
  const headers = {
    'sec-fetch-site': 'same-origin',
    ...(form === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(browser.cookie === '' ? {} : { cookie: browser.cookie }),
  }
  try {
    const answer = await once(
      by.one(apis()) + path,
      method,
      headers,
      form,
      cut ?? fault,
      by.below(25),
    )
    const given = answer.headers['set-cookie']?.[0]?.split(';')[0]
    if (given !== undefined) browser.cookie = given
    const cookie = given ?? headers.cookie ?? ''
    if (asksAgain.has(answer.status)) return null
    if (answer.status >= 500) tally.finding('server error', `${method} ${path}: ${answer.status}`)
    return { ...answer, cookie }
  } catch {
    return null
  }
}

/**
 * Opens a page, and again until it is there. @throws {Error} when nobody has answered for two
 * minutes
 */
export async function open(client: Client, browser: Browser, path: string): Promise<Page> {
  const deadline = performance.now() + patience
  for (let to = path; performance.now() < deadline; ) {
    const answer = await ask(client, browser, 'GET', to, null, null)
    if (answer?.status === 200) return read(to, answer.text, answer.cookie)
    if (answer?.status === 303) to = answer.headers.location ?? path
    else {
      if (answer !== null && answer.status < 500)
        client.tally.finding('page', `GET ${to}: ${answer.status}`)
      await sleep(50 + client.by.below(400))
    }
  }
  throw new Error(`GET ${path} was not answered for ${patience / 1000} s`)
}

/**
 * Sends a form of a page once.
 * @param cut where the payer goes away from it
 * @returns where its answer leads; null: nobody knows whether it was taken
 */
export async function send(
  client: Client,
  browser: Browser,
  { cookie, path }: Page,
  { action, hidden }: Form,
  typed: Record<string, string>,
  cut: Cut | null = null,
): Promise<string | null> {
  const form = new URLSearchParams({ ...hidden, ...typed }).toString()
  const answer = await ask(client, browser, 'POST', action, form, cut)
  if (answer === null) return null
  if (answer.status === 303) return answer.headers.location ?? path
  // Another tab was given a cookie since: nothing is done, and the page says to open it again.
  if (answer.status === 400 && cookie !== answer.cookie) return path.split('?', 1)[0] as string
  if (answer.status < 500)
    client.tally.finding('page', `POST ${action}: ${answer.status} ${titleOf(answer.text)}`)
  return null
}
