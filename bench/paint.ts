/**
 * How soon a browser paints the pages that people open most: of this tree, and in turn with it of an
 * older one. Each tree runs its own server over its own `bursar demo-data`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { chromiumAt, type DemoServer, root, startDemo } from './demo-server.ts'

const { values } = parseArgs({
  options: {
    /** A checkout of an older revision, after its own `npm ci`. */
    against: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    /** How often each page is opened in a round. */
    loads: { type: 'string', default: '5' },
  },
})
const trees = [...(values.against ? [resolve(values.against)] : []), root]
/** No page may be slower than this times the older tree. */
const mostRatio = 1.1

type Named = { name: string; url: string }
type Tree = { server: DemoServer; pages: Named[] }

const dir = mkdtempSync(join(tmpdir(), 'bursar-paint-'))
const ready: Tree[] = []
let browser: Browser | undefined
try {
  for (const [i, tree] of trees.entries()) ready.push(await start(tree, join(dir, String(i))))
  browser = await chromium.launch({
    executablePath: chromiumAt,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  await measure(browser, ready)
} finally {
  await browser?.close()
  await Promise.all(ready.map(({ server }) => server.stop()))
  rmSync(dir, { recursive: true, force: true })
}

/** Starts a tree's server, and says where its pages are. */
async function start(tree: string, data: string): Promise<Tree> {
  const server = await startDemo(tree, data)
  const { url, dashboard, ask } = server
  const { docs, totalDocs } = await ask('/payments?status=completed&limit=1')
  const shown = { amount: 1_250_000, currency: 'ngn', description: 'Running shoes' }
  const { checkout_url } = await ask('/payments', { ...shown, methods: ['card'] })
  console.log(`${tree}: ${totalDocs} completed payments`)
  const pages: Named[] = [
    { name: 'Home', url: dashboard },
    { name: 'Payments', url: `${dashboard}/payments` },
    { name: 'A payment', url: `${dashboard}/payments/${docs[0].id}` },
    { name: 'Payouts', url: `${dashboard}/payouts` },
    { name: 'Invoices', url: `${dashboard}/invoices` },
    { name: 'Reports', url: `${dashboard}/reports` },
    { name: 'Checkout, card', url: checkout_url },
    { name: 'Docs', url: `${url}/docs` },
  ]
  return { server, pages }
}

/** Opens a page as on a first visit. @returns when it was first painted, and what it loaded */
async function paint(browser: Browser, { server }: Tree, { name, url }: Named) {
  const context = await browser.newContext({
    storageState: server.signedIn,
    viewport: { width: 1280, height: 900 },
  })
  try {
    const page = await context.newPage()
    const response = await page.goto(url, { waitUntil: 'load' })
    if (response?.status() !== 200 || page.url().includes('sign-in'))
      throw new Error(`${name} is ${response?.status()} at ${page.url()}`)
    return await page.evaluate(
      () =>
        new Promise<number>((found) => {
          new PerformanceObserver((list) => {
            const [entry] = list.getEntriesByName('first-contentful-paint')
            if (entry) found(entry.startTime)
          }).observe({ type: 'paint' as never, buffered: true })
        }),
    )
  } finally {
    await context.close()
  }
}

async function measure(browser: Browser, ready: Tree[]): Promise<void> {
  const before = loadavg()[0] as number
  const names = ready[0]?.pages.map(({ name }) => name) ?? []
  const times = ready.map(() => names.map((): number[] => []))
  // The first round warms servers and browser, and is not counted.
  for (let round = -1; round < Number(values.rounds); round++)
    for (const [page] of names.entries())
      for (let load = 0; load < (round < 0 ? 1 : Number(values.loads)); load++)
        for (const turn of ready.keys()) {
          // Each tree is first as often as the other.
          const i = load % 2 === 0 ? turn : ready.length - 1 - turn
          const tree = ready[i] as Tree
          const ms = await paint(browser, tree, tree.pages[page] as Named)
          if (round >= 0) times[i]?.[page]?.push(ms)
        }
  console.log(
    `first contentful paint, median of ${values.rounds} rounds of ${values.loads}; load ${before.toFixed(1)} before, ${(loadavg()[0] as number).toFixed(1)} after\n`,
  )
  const isCompared = ready.length > 1
  console.log(
    `| Page |${isCompared ? ' before, ms |' : ''} now, ms |${isCompared ? ' ratio | fastest |' : ''}`,
  )
  console.log(`|---|---|${isCompared ? '---|---|---|' : ''}`)
  for (const [page, name] of names.entries()) {
    const all = times.map((of) => of[page] ?? [])
    const medians = all.map(median)
    const ratioOf = ([before = 0, now = before]: number[]): number => now / before
    const [ratio, fastest] = [medians, all.map((ms) => Math.min(...ms))].map(ratioOf)
    const compared = isCompared ? ` ${ratio?.toFixed(2)} | ${fastest?.toFixed(2)} |` : ''
    console.log(`| ${name} | ${medians.map((ms) => ms.toFixed(0)).join(' | ')} |${compared}`)
    if (ratio && ratio > mostRatio) process.exitCode = 1
  }
}

function median(of: number[]): number {
  return of.toSorted((a, b) => a - b)[of.length >> 1] ?? 0
}
