/**
 * Browsers without scripts, which keep the cookies that they are given: for what happens before
 * anybody is signed in.
 */
import { randomText } from '../../src/lib/secrets.ts'
import { type PageText, shown } from './dashboard.ts'

export type Browser = {
  get(path: string): Promise<PageText>
  post(
    path: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<PageText>
  /** The text of a page that must be there. */
  page(path: string): Promise<string>
  cookies(): Record<string, string>
}

let count = 0

/** Opens one. `at`: its address, as a proxy says it; left out, one of its own. */
export function newBrowser(
  url: string,
  at = `10.0.${++count >> 8}.${count & 255}`,
  kept = {},
): Browser {
  const jar = new Map<string, string>(Object.entries(kept))
  const ask = async (path: string, init: RequestInit = {}): Promise<PageText> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'x-forwarded-for': at, ...(init.headers as Record<string, string>) }
    const response = await fetch(url + path, { ...init, redirect: 'manual', headers })
    for (const text of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(text) as unknown as [string, string, string]
      if (/Max-Age=0(?:;|$)/.test(text)) jar.delete(name)
      else jar.set(name, value)
    }
    const html = await response.text()
    // The answer to a form: a browser goes there by itself.
    const answer = response.headers.get('location')
    if (init.method === 'POST' && answer?.includes('?answer=')) return ask(answer)
    return {
      status: response.status,
      html,
      location: response.headers.get('location'),
      headers: response.headers,
    }
  }
  return {
    get: (path) => ask(path),
    post: (path, fields = {}, headers = {}) =>
      ask(path, { method: 'POST', body: new URLSearchParams(fields), headers }),
    page: (path) => shown(ask(path)),
    cookies: () => Object.fromEntries(jar),
  }
}

/** An address that no other test has. */
export const addressed = (name: string): string =>
  `${name}-${randomText(8).toLowerCase()}@shop.example`
