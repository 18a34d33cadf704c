/**
 * Goal: no page of the dashboard keeps anybody out or breaks, whatever stands in it. Method: a
 * month of a shop, with one of each thing that it lacks; pages are found by following links from
 * the home page, so that a new page is in it by itself. One page of each shape is then looked at in
 * a real browser, on a phone in light and at a desk in dark. `SCREENSHOTS=1` keeps pictures of
 * them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { menu } from '../../src/web/dashboard/menu.ts'
import { resources } from '../../src/web/dashboard/resources.ts'
import { newMerchant } from '../support/actors.ts'
import { ownAccount } from '../support/approvers.ts'
import { command } from '../support/commands.ts'
import { hiddenOf, shown, signedIn, type Visitor } from '../support/dashboard.ts'
import { bankPayout, type TestServer, until } from '../support/harness.ts'
import { newPayer, startWorkingServer } from './browser.ts'

const mostBytes = 100_000
/**
 * Of a shape, so many pages are read for what they link to: a record in one state has actions that
 * another lacks.
 */
const mostOf = (shape: string): number =>
  shape.endsWith('{key}') ? 15 : shape.includes('{key}') ? 1 : 8

/** Pages alike: what names a record, or narrows a list, left out. */
const shapeOf = (path: string): string =>
  path
    .replace(/\?.*/, '')
    .replace(/^\/dashboard\/[0-9a-f]{24}/, '')
    .split('/')
    .map((part, i, all) =>
      all[i - 1] !== undefined && i === 3 && part !== '-' && !wordy.has(part) ? '{key}' : part,
    )
    .join('/')
const wordy = new Set(['fees', 'payouts', 'settlements', 'people', 'invite', 'invitations', 'new'])

const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*href="(\/dashboard[^"#]*)"/g)].map(([, href]) =>
    (href as string).replaceAll('&amp;', '&'),
  )

type Found = { pages: Map<string, string>; bytes: Map<string, number> }

/** One page of each shape, and how big the biggest was of all that were read. */
async function follow(who: Visitor): Promise<Found> {
  const pages = new Map<string, string>()
  const bytes = new Map<string, number>()
  const read = new Map<string, number>()
  const known = new Set<string>()
  const queue = [who.base, '/dashboard/account']
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const shape = shapeOf(path)
    const times = (read.get(shape) ?? 0) + 1
    if (
      known.has(path) ||
      times > mostOf(shape) ||
      /\/(export|pdf|csv|stream)\b|\/live(\/|$)/.test(path)
    )
      continue
    known.add(path)
    read.set(shape, times)
    const { status, html, headers } = await who.get(path)
    if (status >= 300 && status < 400) continue
    assert.equal(status, 200, `${path}: ${html.slice(0, 500)}`)
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    if (html.length > (bytes.get(shape) ?? 0)) {
      bytes.set(shape, html.length)
      pages.set(shape, path)
    }
    queue.push(...linksOf(html).filter((link) => !known.has(link)))
  }
  return { pages, bytes }
}

describe('every page of the dashboard', { concurrency: 2 }, () => {
  let server: TestServer
  let owner: Visitor
  let found: Found
  before(async () => {
    server = await startWorkingServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_RETRY_DELAYS: '1s',
    })
    const { code, err } = await command(['demo-data', '--json'], {
      DATABASE_URL: server.databaseUrl,
      SECRETS_KEY: 'ab'.repeat(32),
    })
    assert.equal(code, 0, err)
    await fillRest(server)
    owner = await signedIn(server)
    await payByHand(owner)
    found = await follow(owner)
  })
  after(() => server.stop())

  it('is found from the home page: each of the menu, each record, each action', () => {
    const shapes = [...found.pages.keys()]
    const wanted = [
      ...menu.flatMap(({ items }) => items.map(({ path }) => `/test${path}`)),
      ...resources.flatMap(({ path, actions, create }) => [
        `/test/${path}/{key}`,
        ...(create ? [`/test/${path}/-/${create.name}`] : []),
        ...actions.map(({ name }) => `/test/${path}/{key}/${name}`),
      ]),
    ]
    assert.deepEqual(
      wanted.filter((one) => !shapes.includes(one)),
      [],
    )
  })

  it('has less than 100 kB', () => {
    assert.deepEqual(
      [...found.bytes].filter(([, size]) => size >= mostBytes),
      [],
    )
  })

  // Half of the pages each: the two go beside each other.
  for (const half of [0, 1])
    it(`can be read by everybody, on a phone in light colours and at a desk in dark ones (${half + 1} of 2)`, () =>
      lookAtHalf(half))

  async function lookAtHalf(half: number): Promise<void> {
    const visitor = await newPayer('phone', { friends: [server.url] })
    const { page } = visitor
    // Sessions are limited in how many pages they see in a minute: each half has its own.
    const [name, value] = (await signedIn(server)).cookie.split('=') as [string, string]
    await page.context().addCookies([{ name, value, url: server.url }])
    const wrong: string[] = []
    for (const [i, [shape, path]] of [...found.pages].entries()) {
      if (i % 2 !== half) continue
      await page.goto(server.url + path)
      const state = `page${shape.replaceAll(/[^a-z-]+/g, '-')}`
      const complain = (error: Error): unknown => wrong.push(`${path}: ${error.message}`)
      await visitor.look(state).catch(complain)
      await visitor.lookAt('desktop', state).catch(complain)
    }
    await visitor.leave()
    assert.deepEqual(wrong, [])
  }
})

/** A payout that who looks made, and so cannot approve, but cancel. */
async function payByHand(who: Visitor): Promise<void> {
  const path = '/payouts/-/new'
  const typed = {
    reference: 'by-hand',
    amount: '2,000',
    currency: 'ngn',
    'destination.bank_code': '058',
    'destination.account_number': '0123456789',
  }
  const review = await shown(
    who.post(path, { ...hiddenOf(await shown(who.get(path))), ...typed, step: 'review' }),
  )
  assert.equal((await who.post(path, { ...hiddenOf(review), step: 'do' })).status, 303)
}

/** What the month does not have: what waits, rests or failed, and texts without a space. */
async function fillRest(server: TestServer): Promise<void> {
  const merchant = newMerchant(server)
  const { ask, create, addCustomer, openPayment } = merchant
  const long = 'x'.repeat(200)
  const metadata = { [long.slice(0, 40)]: long }
  const customer = await addCustomer({
    name: long,
    email: `${'e'.repeat(60)}@example.com`,
    metadata,
  })
  await openPayment({
    customer: customer.id,
    description: long,
    reference: 'r'.repeat(100),
    metadata,
  })
  const product = await create('/products', { name: long, amount: 100, currency: 'ngn' })
  await create('/invoices', {
    customer: customer.id,
    lines: [{ product: product.id, quantity: 1 }],
  })
  await merchant.creditedInvoice()
  const swap = { amount: 155_000, currency: 'ngn', destination_currency: 'usd' }
  await create('/conversions', {
    quote: (await create('/conversions/quote', swap)).id,
    reference: 'c'.repeat(100),
    metadata,
  })
  const disputed = await merchant.takePayment('bank_transfer')
  const dispute = await create(`/payments/${disputed.id}/simulate-dispute`, { reason: long })
  await ask('PUT', `/disputes/${dispute.id}/evidence`, { explanation: long })
  const old = await create('/products', { name: 'Old', amount: 100, currency: 'ngn' })
  await ask('PATCH', `/products/${old.id}/archive`)
  const resting = await create('/collections', { name: long, currency: 'ngn', amount: 100 })
  await ask('PUT', `/collections/${resting.id}`, { active: false })
  const endpoint = { url: `https://localhost:9/${long}`, events: ['*'] }
  await create('/webhooks', endpoint)
  await ask('PUT', `/webhooks/${(await create('/webhooks', endpoint)).id}`, { active: false })
  const { method, destination } = bankPayout('to', 1)
  await create('/beneficiaries', { method, destination, label: long.slice(0, 140), own: true })
  const { id: beneficiary } = await ownAccount(server)
  const standing = { currency: 'ngn', beneficiary, description: long.slice(0, 140), metadata }
  await create('/payout-schedules', { ...standing, interval: 'daily' })
  const weekly = await create('/payout-schedules', {
    ...standing,
    interval: 'weekly',
    weekday: 'friday',
  })
  await ask('PATCH', `/payout-schedules/${weekly.id}`, { status: 'paused' })
  const lines = [{ amount: 10_000, destination }]
  for (const [reference, bad] of [
    ['wages', []],
    ['b'.repeat(90), [{}]],
  ] as const)
    await create('/payouts/batch', {
      reference,
      currency: 'ngn',
      dry_run: true,
      lines: [...lines, ...bad],
    })
  const fails = { ...destination, account_number: '0000000001' }
  const failed = await create('/payouts/batch', {
    reference: 'f'.repeat(90),
    currency: 'ngn',
    lines: [{ amount: 10_000, destination: fails }],
  })
  await until(async () => (await ask('GET', `/payout-batches/${failed.id}`)).retriable > 0)
  await merchant.openAccount({ customer: customer.id, currency: 'ngn', kind: 'static' })
  const shares = [{ name: long.slice(0, 100), percentage_bps: 1_000 }]
  for (const name of ['Off', 'On']) {
    const { id } = await create('/distributions', {
      name: `${name} ${long.slice(0, 90)}`,
      currency: 'ngn',
      shares,
    })
    if (name === 'Off') await ask('PATCH', `/distributions/${id}/deactivate`)
    else {
      const sold = await merchant.openInvoice({}, { lines: [{ distribution: id }] })
      await merchant.simulate(await merchant.paymentOf(sold), 'completed', 'card')
    }
  }
  await ask('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: 100_000 }] })
  await create('/payouts', bankPayout('w'.repeat(100), 200_000))
  await openPayment({ customer: customer.id })
  await until(async () => (await ask('GET', '/webhooks/events')).totalDocs > 0)
  await until(async () => (await ask('GET', '/requests')).docs.length > 0)
}
