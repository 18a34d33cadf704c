/**
 * Goal: who looks after the installation sees by pages what commands say of it, can close
 * incidents, and keys of the operator can ask the same. Method: pages over HTTP, as a browser
 * without scripts sends them, beside the API.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hiddenOf, shown, signedIn, signedInOperator } from '../../../../test/support/dashboard.ts'
import { type Call, must, startServer, type TestServer } from '../../../../test/support/harness.ts'
import { operatorKey } from '../../../../test/support/people.ts'
import { newId } from '../../../lib/ids.ts'
import { incidentKinds, openIncident } from '../../../platform/incidents/incidents.ts'

describe('the operator’s pages of the installation', () => {
  let server: TestServer
  let owner: Awaited<ReturnType<typeof signedInOperator>>
  let ask: Call
  before(async () => {
    server = await startServer()
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
    owner = await signedInOperator(server)
    ask = (await operatorKey(server)).call
  })
  after(() => server.stop())

  const incident = (subject: string, businessId?: string) =>
    openIncident(server.app.db, {
      livemode: true,
      rail: 'paystack',
      kind: 'quarantined',
      subject,
      ...(businessId === undefined ? {} : { businessId }),
      detail: { reference: 'po-1', amount: 500 },
      at: server.app.clock.now(),
    })

  it('are in the menu of who looks after it, and nobody else’s', async () => {
    const other = await signedIn(server)
    const menu = await shown(owner.get('/keys'))
    for (const path of ['/health', '/rails', '/incidents', '/queues']) {
      assert.ok(menu.includes(`href="/dashboard/operator${path}"`), path)
      assert.equal((await other.get(`/dashboard/operator${path}`)).status, 404, path)
    }
  })

  it('say what the doctor says, what is wrong first and with what to do', async () => {
    const { healthy, failures, warnings, findings } = await must(ask('GET', '/operator/health'))
    assert.equal(healthy, failures === 0)
    const levels = findings.map(({ level }: { level: string }) => level)
    assert.equal(warnings, levels.filter((one: string) => one === 'warn').length)
    const page = await shown(owner.get('/health'))
    assert.match(page, /\d+ warnings?\./)
    assert.match(
      page,
      /Should be looked at<.*SMTP_URL is not set.*Set SMTP_URL\..*<h2>Well<.*no account at a provider/s,
    )
  })

  it('show the accounts at providers, without the secret of their addresses', async () => {
    assert.match(await shown(owner.get('/rails')), /No account at a provider is configured/)
    const { accounts } = server.app.rails.live
    accounts.till = {
      name: 'till',
      provider: 'paystack',
      serves: [server.businessId],
      ports: {},
      approvals: { token: 'hidden-token' },
      check: async () => ({
        fatal: null,
        keyWorks: false,
        obstacle: 'otp_required',
        balances: { ngn: 12_345n },
        warnings: ['The key is of <another> account.'],
      }),
    } as never
    ;(server.app.rails.live.routes as Record<string, string[]>)['payout.ngn'] = ['first', 'till']
    try {
      const { accounts: found } = await must(ask('GET', '/operator/rails'))
      assert.deepEqual(found, [
        {
          mode: 'live',
          name: 'till',
          provider: 'paystack',
          businesses: [server.businessId],
          routes: [{ route: 'payout.ngn', before: 1 }],
          key: 'refused',
          obstacle: 'otp_required',
          balances: [{ currency: 'ngn', amount: 12_345 }],
          webhook: null,
          warnings: ['The key is of <another> account.'],
        },
      ])
      const page = await shown(owner.get('/rails'))
      assert.match(page, /Is refused/)
      assert.match(page, /payout\.ngn<\/code> \(after 1 other\)/)
      assert.match(page, /123\.45/)
      assert.match(page, /bursar rails unblock till<\/code>/)
      assert.ok(page.includes('&lt;another&gt;') && !page.includes('hidden-token'))
    } finally {
      delete accounts.till
      delete (server.app.rails.live.routes as Record<string, string[]>)['payout.ngn']
    }
  })

  it('list incidents with what to do about each, and close them with a note', async () => {
    const [first, second] = [
      await incident('payout po-1', server.businessId),
      await incident('payout po-2'),
    ]
    const list = await shown(owner.get('/incidents?status=open'))
    assert.ok(list.includes(first) && list.includes(second))
    const page = await shown(owner.get(`/incidents/${first}`))
    assert.ok(page.includes(incidentKinds.quarantined) && page.includes('po-1'))

    const path = `/incidents/${first}/close`
    const note = 'The bank has paid <twice>.'
    const asked = await shown(
      owner.post(path, { ...hiddenOf(await shown(owner.get(path))), note, step: 'review' }),
    )
    assert.match(asked, /Reminders of it stop/)
    const done = await owner.post(path, { ...hiddenOf(asked), note, step: 'do' })
    const closed = await shown(owner.get(done.location as string))
    assert.match(closed, /Incident closed\..*The bank has paid &lt;twice&gt;\./s)
    const { email } = owner
    assert.ok(closed.includes(email) && !closed.includes(`${path}"`))
    const { docs } = await must(server.callAs(server.liveKey)('GET', '/audit'))
    assert.deepEqual(
      [docs[0].action, docs[0].subject, docs[0].actor.hint, docs[0].after.note],
      ['incident.closed', first, email, note],
    )

    // By a key too, and again: it stays as it was.
    const by = await must(ask('POST', `/operator/incidents/${second}/close`, {}))
    assert.match(by.closed_by, /^the operator’s key op_…/)
    const again = await must(ask('POST', `/operator/incidents/${first}/close`, { note: 'Other' }))
    assert.deepEqual([again.status, again.note, again.closed_by], ['closed', note, email])
    assert.equal(
      (await ask('POST', `/operator/incidents/${newId(new Date())}/close`, {})).code,
      'not_found',
    )
    const third = await incident('payout po-1', server.businessId)
    const ids = async (query: string) =>
      (await must(ask('GET', `/operator/incidents${query}`))).docs.map(
        ({ id }: { id: string }) => id,
      )
    assert.deepEqual(await ids(''), [third, second, first])
    assert.deepEqual(await ids('?status=closed&limit=1&page=2'), [first])
    assert.deepEqual(await ids('?status=open'), [third])
  })

  it('show what waits, endpoints that take nothing, and the networks that are followed', async () => {
    const at = new Date(server.app.clock.now().getTime() - 3_600_000)
    await server.asOwner(
      `insert into provider_events (id, livemode, rail, key, type, kind, received_at) values ('${newId(at)}', true, 'paystack', 'x', 'x', 'other', '${at.toISOString()}')`,
    )
    const { installation } = server.app.strategies
    const { chains } = installation
    installation.chains = async () => ({
      watchers: [
        {
          network: 'ethereum',
          tip: 21_000_123,
          behind: 42,
          halted: null,
          trouble: 'it answers 503',
          obstacle: null,
          sweepTrouble: null,
          tip_at: at,
          updated_at: at,
        },
      ],
      warnings: [{ detail: 'ethereum cannot be read: it answers 503' }],
    })
    try {
      const queues = await must(ask('GET', '/operator/queues'))
      assert.deepEqual(queues.provider_webhooks, [
        { mode: 'live', rail: 'paystack', waiting: 1, oldest_at: at.toISOString() },
      ])
      assert.deepEqual(queues.failing_endpoints, [])
      assert.deepEqual(
        [queues.networks[0].behind, queues.networks[0].troubles],
        [42, ['it answers 503']],
      )
      const page = await shown(owner.get('/queues'))
      assert.match(page, /21,000,123/)
      assert.match(page, /ethereum cannot be read: it answers 503/)
      assert.match(page, /paystack<\/bdi>.*>1</s)
    } finally {
      installation.chains = chains
    }
  })
})
