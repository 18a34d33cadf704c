/**
 * Goal: the home page lists what live mode still needs, in order, each with its state and its page of
 * the docs, until money comes in. Method: servers without and with rails; pages over HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor, visitor } from '../../../test/support/dashboard.ts'
import { startServer, type TestServer } from '../../../test/support/harness.ts'
import { openShop } from '../../../test/support/paystack-cards.ts'
import { signIn } from '../../../test/support/people.ts'
import { recordBackup } from '../../db/cluster/backup-log.ts'
import { findSession } from '../../platform/team/team.ts'

type Step = { title: string; state: string; html: string }

/** The steps of a home page; none where there is no list. */
function stepsIn(page: string): Step[] {
  const [, list = ''] = /<section class="sheet steps"[^>]*>([\s\S]*?)<\/section>/.exec(page) ?? []
  return list
    .split(/<li><h3>/)
    .slice(1)
    .map((html) => {
      const [, title = '', state = ''] =
        /^([^<]+?) <span class="badge[^>]*>([^<]+)/.exec(html) ?? []
      return { title, state, html }
    })
}
const statesIn = (page: string) =>
  Object.fromEntries(stepsIn(page).map(({ title, state }) => [title, state]))

describe('the way to live mode', () => {
  let server: TestServer
  let owner: Visitor
  let operator: Visitor
  before(async () => {
    server = await startServer()
    owner = await signedIn(server, 'owner', 'live')
    const { token, headers } = await signIn(server, 'owner', {
      installationOwner: true,
      businessId: server.businessId,
      secondFactor: true,
    })
    const session = await findSession(server.app, token)
    operator = visitor(server.url, owner.base, headers.cookie, session?.csrf)
  })
  after(() => server.stop())

  it('lists every step in order, with its state, to the people of the operator', async () => {
    const page = await shown(operator.get(''))
    assert.deepEqual(
      stepsIn(page).map(({ title, state }) => [title, state]),
      [
        ['Keep the encryption key safe', 'Done'],
        ['A public address with https', 'To do'],
        ['Mail', 'To do'],
        ['Connect a provider or a network', 'To do'],
        ['Webhooks of the provider', 'To do'],
        ['Backups', 'Not seen from here'],
        ['Your profile', 'To do'],
        ['A second factor for everyone', 'Done'],
        ['A live key', 'Done'],
        ['A webhook endpoint', 'To do'],
      ],
    )
    assert.match(page, /3 of 10 steps are done/)
    for (const way of ['Take payments in naira', 'Take stablecoins', 'Pay out dollars'])
      assert.match(page, new RegExp(`>Not connected</span> ${way}: `))
  })

  it('leads to sections of the docs that there are', async () => {
    const page = await shown(operator.get(''))
    const links = stepsIn(page).flatMap(({ html }) =>
      [...html.matchAll(/href="(\/docs\/[^"]+)"/g)].map(([, href]) => href as string),
    )
    assert.ok(links.length >= 10)
    for (const link of new Set(links)) {
      const [path, anchor] = link.split('#')
      const answer = await fetch(`${server.url}${path}`)
      assert.equal(answer.status, 200, link)
      if (anchor) assert.ok((await answer.text()).includes(`id="${anchor}"`), link)
    }
  })

  it('shows a merchant only what is theirs, and what their money waits for', async () => {
    const steps = stepsIn(await shown(owner.get('')))
    assert.deepEqual(
      steps.map(({ title }) => title),
      [
        'Mail',
        'Connect a provider or a network',
        'Your profile',
        'A second factor for everyone',
        'A live key',
        'A webhook endpoint',
      ],
    )
    const viewer = stepsIn(await shown((await signedIn(server, 'viewer', 'live')).get('')))
    assert.ok(!viewer.some(({ title }) => /second factor/.test(title)))
  })

  it('says that a step is done once it is', async () => {
    const { ask } = newMerchant(server, { call: server.callAs(server.liveKey) })
    await ask('PUT', '/business', {
      support_email: 'help@ada.example',
      address: { line1: '12 Allen Avenue', city: 'Ikeja', country: 'ng' },
    })
    await ask('POST', '/webhooks', { url: 'https://shop.example/hooks', events: ['invoice.sent'] })
    const states = statesIn(await shown(owner.get('')))
    assert.deepEqual([states['Your profile'], states['A webhook endpoint']], ['Done', 'Done'])
    await signIn(server, 'viewer', { businessId: server.businessId })
    const page = await shown(owner.get(''))
    assert.equal(statesIn(page)['A second factor for everyone'], 'To do')
    assert.match(page, /1 person on the team has no second factor yet/)
  })

  it('sees backups of the embedded database', async () => {
    const { app } = server
    const url = app.config.DATABASE_URL
    const backups = async () => statesIn(await shown(operator.get(''))).Backups
    Object.assign(app.config, { DATABASE_URL: null })
    try {
      assert.equal(await backups(), 'To do')
      const at = app.clock.now()
      await recordBackup(app.db, { dataOf: at, dir: '/backups/1', bytes: 1, at })
      assert.equal(await backups(), 'Done')
    } finally {
      Object.assign(app.config, { DATABASE_URL: url })
    }
  })

  it('is a line in test mode that leads there', async () => {
    const test = await signedIn(server)
    const page = await shown(test.get(''))
    assert.deepEqual(stepsIn(page), [])
    assert.match(page, /Live mode takes no money yet\./)
    assert.ok(page.includes(`href="/dashboard/${server.businessId}/live"`))
  })
})

describe('the way to live mode with a provider', () => {
  it('stays while something is left to do, and goes with the first payment', async () => {
    const shop = await openShop()
    try {
      const { base, cookie, csrf } = await signedIn(shop.server, 'owner', 'live')
      const live = visitor(shop.server.url, base, `__Host-${cookie}`, csrf)
      const page = await shown(live.get(''))
      assert.equal(statesIn(page)['Connect a provider or a network'], 'Done')
      assert.match(page, />Done<\/span> Take payments in naira: /)
      assert.match(page, />Not connected<\/span> Take payments in dollars: /)
      const { payer, reference } = await shop.begin()
      shop.double.live.payer.pay(reference)
      await shop.back(payer)
      assert.deepEqual(stepsIn(await shown(live.get(''))), [])
    } finally {
      await shop.stop()
    }
  })
})
