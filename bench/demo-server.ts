/**
 * A server with a month of demo data, whose owner is signed in: for what is seen in a browser.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { run } from './processes.ts'

/** This checkout. */
export const root = resolve(import.meta.dirname, '..')

/** Where Chromium is. Not `findChromium`, whose module is one of tests. */
const places = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
export const chromiumAt = places.find((place) => place && existsSync(place)) ?? 'chromium'

// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Data = any

export type DemoServer = {
  url: string
  /** The owner's pages in test mode. */
  dashboard: string
  /** What a browser context of the owner starts with. */
  signedIn: NonNullable<BrowserContextOptions['storageState']>
  /** Asks the API: by POST with a body, else by GET. @returns the `data` of the answer */
  ask(path: string, body?: object): Promise<Data>
  stop(): Promise<void>
}

/**
 * Starts the server of a checkout.
 * @param data an empty folder
 */
export async function startDemo(tree: string, data: string): Promise<DemoServer> {
  const env = {
    ...process.env,
    DATA_DIR: data,
    PORT: '0',
    RATE_LIMIT_MAX: '0',
    LOG_LEVEL: 'error',
  }
  const bin = join(tree, 'bin/bursar.js')
  const child = spawn(process.execPath, [bin, 'serve'], { cwd: tree, env })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const find = async (what: RegExp): Promise<string> => {
    for (;;) {
      const found = what.exec(said)?.[1]
      if (found) return found
      if (child.exitCode !== null) throw new Error(`${tree} ended: ${said}`)
      await new Promise((again) => setTimeout(again, 50))
    }
  }
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    const url = await find(/listening on (\S+)/)
    const business = await find(/business .*\(([0-9a-f]{24})\)/)
    const key = await find(/test key (sk_test_\w+)/)
    const signedIn = await becomeOwner(await find(/owner +(\S+)/))
    await run(process.execPath, [bin, 'demo-data', business], env)
    const ask: DemoServer['ask'] = async (path, body) => {
      const response = await fetch(url + path, {
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
        headers: {
          authorization: `Bearer ${key}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
      })
      return ((await response.json()) as { data: Data }).data
    }
    return { url, dashboard: `${url}/dashboard/${business}/test`, signedIn, ask, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Becomes the owner by the link that a first start prints. */
async function becomeOwner(invite: string): Promise<DemoServer['signedIn']> {
  const form = { email: 'ada@shop.example', name: 'Ada', password: 'correct horse battery 7' }
  const body = new URLSearchParams(form)
  const joined = await fetch(invite, { method: 'POST', body, redirect: 'manual' })
  const cookies = joined.headers.getSetCookie().map((cookie) => {
    const [name = '', value = ''] = (cookie.split(';')[0] as string).split('=')
    const rest = { domain: 'localhost', path: '/', expires: -1, httpOnly: true, secure: false }
    return { name, value, ...rest, sameSite: 'Lax' as const }
  })
  if (cookies.length === 0) throw new Error(`nobody is signed in: ${await joined.text()}`)
  return { cookies, origins: [] }
}
