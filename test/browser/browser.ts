/**
 * Payers at real browsers. A payer records everything that a page must not do (an error, a broken
 * policy, a request to a stranger), and checks each state by the rules of accessibility: on a phone
 * in light colours, at a desk in dark ones.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import type { RuleObject, RunOptions } from 'axe-core'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { type Merchant, newBusiness, newMerchant } from '../support/actors.ts'
import { patience, shareServer, startServer, type TestServer } from '../support/harness.ts'

const screenshots = join(import.meta.dirname, 'screenshots')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** More than this is a wait on a slow network. */
const mostBytes = 60_000

export const screens = {
  phone: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 900 } },
} as const
export type Screen = keyof typeof screens

/** The first is the same engine without windows, which takes two fifths less of the processor. */
const places = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/** Where Chromium is. @throws {Error} when it is not there */
export function findChromium(): string {
  const { CHROMIUM: named } = process.env
  const path = (named === undefined ? places : [named]).find((place) => existsSync(place))
  if (path === undefined)
    throw new Error(
      `There is no Chromium at ${named ?? places.join(' or ')}: install it, or set CHROMIUM to the path of one.`,
    )
  return path
}

/**
 * The browsers of this process, by the hosts that they map: the files of a process share them, each
 * payer with a context of their own.
 */
const browsers = new Map<string, Promise<Browser>>()

after(async () => {
  for (const browser of browsers.values()) await (await browser).close()
})

/** @param hosts where hosts are that are not in any DNS: `name` to `address:port` */
function shareBrowser(hosts: Record<string, string>): Promise<Browser> {
  const key = JSON.stringify(hosts)
  const browser = browsers.get(key) ?? startBrowser(hosts)
  browsers.set(key, browser)
  return browser
}

function startBrowser(hosts: Record<string, string>): Promise<Browser> {
  const rules = Object.entries(hosts).map(([name, at]) => `MAP ${name} ${at}`)
  return chromium.launch({
    executablePath: findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      // A page lives too short for its scripts to earn what optimising them takes of the processor.
      '--js-flags=--no-turbofan --no-maglev',
      ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join(', ')}`] : []),
      // Each window would start two more processes for pages of the browser's own.
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess',
    ],
  })
}

export type Scheme = 'light' | 'dark'

/** In which colours each screen is checked: states are shown on both. */
const schemeOf: Record<Screen, Scheme> = { phone: 'light', desktop: 'dark' }

export type Payer = {
  page: Page
  /** Presses as this screen's people do: with a finger, or with a mouse. */
  press(what: Locator): Promise<void>
  /** Types key by key. */
  type(label: string | RegExp, text: string): Promise<void>
  /**
   * Checks the state that the page shows now. `schemes`: the colours to check it in, in the first
   * by all rules; left out, those of the screen.
   */
  look(state: string, options?: { schemes?: readonly Scheme[] }): Promise<void>
  /** Checks how the same page fits a window of another screen's size, and that screen's colours. */
  lookAt(other: Screen, state: string): Promise<void>
  /** Errors that belong to what is tried. */
  expectErrors(pattern: RegExp): void
  /** Leaves, and fails when a page did what it must not. */
  leave(): Promise<void>
}

/**
 * `selfSigned`: whether certificates count that nobody has signed. `hosts`: where hosts are that
 * are not in any DNS.
 */
export type PayerOptions = {
  script?: boolean
  selfSigned?: boolean
  hosts?: Record<string, string>
}

/**
 * Opens a browser window of a new payer.
 * @param options `friends`: the origins that pages may speak to
 */
export async function newPayer(
  screen: Screen,
  { script = true, selfSigned = false, hosts = {}, friends }: PayerOptions & { friends: string[] },
): Promise<Payer> {
  const browser = await shareBrowser(hosts)
  const context = await browser.newContext({
    ...screens[screen],
    // Sharp pictures for people, and less to draw for machines.
    deviceScaleFactor: process.env.SCREENSHOTS === '2' ? 2 : 1,
    javaScriptEnabled: script,
    ignoreHTTPSErrors: selfSigned,
    permissions: ['clipboard-read', 'clipboard-write'],
    // What moves is not what is looked at.
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  // Without its script a page shows what is new when it loads itself again.
  page.setDefaultTimeout((script ? 15_000 : 40_000) * patience)
  // The rules of accessibility are a script themselves, so a page without one is looked at in a
  // copy.
  const copy = script ? null : await (await browser.newContext(screens[screen])).newPage()
  const complaints: string[] = []
  const expected: RegExp[] = []
  if (script)
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`)
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (!friends.includes(origin)) complaints.push(`stranger: ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 500) complaints.push(`status ${response.status()}: ${response.url()}`)
  })
  const quiet = (): void => {
    const unexpected = complaints.filter((text) => !expected.some((pattern) => pattern.test(text)))
    assert.deepEqual(unexpected, [])
  }

  const lookOn = async (
    shownOn: Screen,
    state: string,
    schemes: readonly Scheme[],
  ): Promise<void> => {
    quiet()
    await readOf(page, () => fits(page, state))
    await readOf(page, () => isSmall(page, state))
    const shown = copy ?? page
    if (copy)
      await copy.setContent(
        (await readOf(page, () => page.content())).replace(/<script>[\s\S]*?<\/script>/, ''),
      )
    for (const scheme of schemes) {
      await shown.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      // Colours are all that differs.
      await isAccessible(shown, `${state}, ${scheme}`, shownOn !== screen || scheme !== schemes[0])
      if (process.env.SCREENSHOTS) {
        mkdirSync(screenshots, { recursive: true })
        await shown.screenshot({
          path: join(screenshots, `${state}-${shownOn}-${scheme}.png`),
          fullPage: true,
        })
      }
    }
    await shown.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    quiet()
  }

  return {
    page,
    press: (what) => (screen === 'phone' ? what.tap() : what.click()),
    async type(label, text) {
      const field = page.getByLabel(label, { exact: true })
      await (screen === 'phone' ? field.tap() : field.click())
      await field.pressSequentially(text)
    },
    look: (state, { schemes = [schemeOf[screen]] } = {}) => lookOn(screen, state, schemes),
    async lookAt(other, state) {
      await page.setViewportSize(screens[other].viewport)
      await lookOn(other, state, [schemeOf[other]])
      await page.setViewportSize(screens[screen].viewport)
    },
    expectErrors: (pattern) => void expected.push(pattern),
    async leave() {
      quiet()
      await Promise.all([context.close(), copy?.context().close()])
    },
  }
}

/** What is read of a page; one that loads itself anew just then is read once it is there. */
async function readOf<T>(page: Page, read: () => Promise<T>): Promise<T> {
  for (let i = 0; ; i++)
    try {
      return await read()
    } catch (error) {
      if (i === 5 || !/page is navigating|Execution context was destroyed/.test(String(error)))
        throw error
      await page.waitForLoadState()
    }
}

/**
 * A server that works by itself, as in production: pages wait for its work, and no test drives it.
 */
export const startWorkingServer = (env: Record<string, string> = {}): Promise<TestServer> =>
  startServer(env, undefined, undefined, 'workers')

/** The same, shared as `shareServer` says. */
export const shareWorkingServer = (env: Record<string, string> = {}): Promise<TestServer> =>
  shareServer(env, 'workers')

/** A merchant whose clock and money are its own. */
export const newBookshop = async (server: TestServer): Promise<Merchant> =>
  newMerchant(server, { call: await newBusiness(server, 'Zuma Books'), price: 500_000 })

/** Waits for a heading of the page. */
export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { name }).waitFor()

/** Fills the form of a card as a browser does that knows it. */
export async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number', { exact: true }).fill(number)
  await page.getByLabel(/^Expiry/).fill('12/2034')
  await page.getByLabel('Security code', { exact: true }).fill('123')
}

/** Nothing has to be scrolled sideways. */
async function fits(page: Page, state: string): Promise<void> {
  const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  assert.ok(wider <= 0, `${state}: ${wider} pixels too wide`)
}

/** What has to come before the page can be seen, and each piece of news that it fetched since. */
async function isSmall(page: Page, state: string): Promise<void> {
  const loads = await page.evaluate<
    { fetched: boolean; bytes: number }[]
  >(`['navigation', 'resource']
    .flatMap((type) => performance.getEntriesByType(type))
    .map((entry) => ({ fetched: entry.initiatorType === 'fetch', bytes: entry.transferSize }))`)
  const first = loads.filter(({ fetched }) => !fetched).reduce((sum, { bytes }) => sum + bytes, 0)
  const most = Math.max(first, ...loads.map(({ bytes }) => bytes))
  assert.ok(first > 0 && most < mostBytes, `${state}: ${most} bytes`)
}

type Violation = { id: string; help: string; impact: string; nodes: { html: string }[] }

/** Rules whose violations are moderate at most, which no page fails for. */
const moderateRules = [
  'region',
  'heading-order',
  'landmark-one-main',
  'landmark-unique',
  'page-has-heading-one',
]
const rules: RuleObject = {
  'target-size': { enabled: true },
  ...Object.fromEntries(moderateRules.map((rule) => [rule, { enabled: false }])),
}

/** @param onlyColours whether all that is checked is the contrast of texts */
async function isAccessible(page: Page, state: string, onlyColours: boolean): Promise<void> {
  // The policy of the page forbids a script element; what the browser's own tools evaluate is not
  // held to it.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe)
  const options: RunOptions = {
    preload: false,
    resultTypes: ['violations'],
    ...(onlyColours ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : { rules }),
  }
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  )
  const found = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' ')}`)
  assert.deepEqual(found, [], state)
}

export type Shop = { url: string; stop(): Promise<void> }

/** A merchant's shop, which payers are sent back to. */
export async function startShop(): Promise<Shop> {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><html lang="en"><title>Shop</title><h1>Thank you</h1></html>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
