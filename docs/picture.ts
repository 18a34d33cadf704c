/**
 * Makes `docs/picture.png` of a server with demo data: the dashboard at a desk, and the checkout on a
 * phone. `npm run docs:picture`, with Chromium.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { chromiumAt, type DemoServer, root, startDemo } from '../bench/demo-server.ts'

const desk = { width: 840, height: 610 }
const phone = { width: 298, height: 550 }

const dir = mkdtempSync(join(tmpdir(), 'bursar-picture-'))
const server = await startDemo(root, join(dir, 'data'))
try {
  const browser = await chromium.launch({ executablePath: chromiumAt, args: ['--no-sandbox'] })
  await draw(browser, server)
  await browser.close()
} finally {
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}

/** A page as it looks in a frame, as an address of its picture. @param zoom less than 1 shows more */
async function look(
  browser: Browser,
  url: string,
  { width, height }: typeof desk,
  zoom: number,
): Promise<string> {
  const context = await browser.newContext({
    storageState: server.signedIn,
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    colorScheme: 'light',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'networkidle' })
  const picture = await page.screenshot()
  await context.close()
  return `data:image/png;base64,${picture.toString('base64')}`
}

async function draw(browser: Browser, { dashboard, ask }: DemoServer): Promise<void> {
  const order = { amount: 1_250_000, currency: 'ngn', description: 'Running shoes' }
  const { checkout_url } = await ask('/payments', order)
  const home = await look(browser, dashboard, desk, 0.82)
  const checkout = await look(browser, checkout_url, phone, 0.85)
  const page = await browser.newPage({ viewport: { width: 1200, height: 640 } })
  await page.setContent(`<style>
  body { margin: 0; background: #e8edf6 }
  img { position: absolute; outline: 1px solid #cdd5e2 }
</style>
<img src="${home}" style="left: 30px; top: 30px; border-radius: 14px 14px 0 0">
<img src="${checkout}" style="left: 872px; top: 60px; border-radius: 18px">`)
  await page.screenshot({ path: join(root, 'docs/picture.png') })
}
