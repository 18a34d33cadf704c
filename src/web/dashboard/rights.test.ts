/**
 * Goal: nobody does what his role does not let him, however he asks. Method: each role, in each
 * mode, against each action of the table: the button, the form and what is sent.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { ownAccount } from '../../../test/support/approvers.ts'
import { signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { bankPayout, shareServer, type TestServer } from '../../../test/support/harness.ts'
import { routes as ofKeys, ofPeople } from '../../app/modules.ts'
import { listKeys } from '../../books/businesses/businesses.ts'
import { type Right, rightsOf, roles } from '../../platform/team/team.ts'
import type { Resource } from './resource.ts'
import { resources } from './resources.ts'
import { type RightsRow, rightsTable } from './rights.ts'

const routes = new Map([...ofKeys, ...ofPeople].map((route) => [route.id, route] as const))
const table = rightsTable((id) => routes.get(id) as never)

describe('roles and actions', () => {
  let server: TestServer
  /** A record of each resource that there is in test mode, by the path of its page. */
  const records: Record<string, string> = {}
  before(async () => {
    server = await shareServer()
    await server.fund('ngn', 1_000_000)
    const merchant = newMerchant(server)
    const make = async (path: string, body: object) => (await merchant.create(path, body)).id
    records.payments = await make('/payments', { amount: 5_000, currency: 'ngn' })
    records.customers = await make('/customers', { name: 'Ada', email: 'ada@shop.example' })
    records.collections = await make('/collections', {
      name: 'Fees',
      currency: 'ngn',
      amount: 5_000,
    })
    records['virtual-accounts'] = await make('/virtual-accounts', {
      customer: records.customers,
      currency: 'ngn',
    })
    records['crypto-wallets'] = await make('/crypto/wallets', {})
    records.products = await make('/products', { name: 'Shoes', amount: 5_000, currency: 'ngn' })
    records.invoices = await make('/invoices', {
      customer: records.customers,
      lines: [{ product: records.products, quantity: 1 }],
    })
    records['credit-notes'] = (await merchant.creditedInvoice()).id
    records.distributions = await make('/distributions', {
      name: 'Partners',
      currency: 'ngn',
      shares: [{ name: 'One', percentage_bps: 100 }],
    })
    await make('/payouts', bankPayout('role', 10_000))
    records.payouts = 'role'
    const { destination } = bankPayout('', 0)
    records['payout-batches'] = await make('/payouts/batch', {
      reference: 'role',
      currency: 'ngn',
      dry_run: true,
      lines: [{ amount: 10_000, destination }],
    })
    records.beneficiaries = await make('/beneficiaries', {
      label: 'Own',
      own: true,
      method: 'bank_transfer',
      destination,
    })
    const { id: beneficiary } = await ownAccount(server)
    const daily = { currency: 'ngn', beneficiary, interval: 'daily' }
    records['payout-schedules'] = await make('/payout-schedules', daily)
    await server.call('POST', `/payments/${records.payments}/simulate`, { outcome: 'completed' })
    records.webhooks = await make('/webhooks', { url: 'https://8.8.8.8/hook' })
    records.deliveries = (
      await merchant.ask('POST', `/webhooks/${records.webhooks}/test`, { type: 'payout.completed' })
    ).id
    records.events = (await merchant.ask('GET', '/events')).docs[0].id
    records.keys = (await listKeys(server.app, server.businessId)).find(({ livemode }) => !livemode)
      ?.id as string
    records['audit-log'] = (await merchant.ask('GET', '/audit')).docs[0].id
    const swap = { amount: 155_000, currency: 'ngn', destination_currency: 'usd' }
    records.conversions = await make('/conversions', {
      quote: await make('/conversions/quote', swap),
    })
    records.disputes = await make(`/payments/${records.payments}/simulate-dispute`, {
      amount: 1_000,
    })
    records.refunds = await make('/refunds', { payment: records.payments, amount: 1_000 })
  })
  after(() => server.stop())

  const pathOf = ({ resource, action, creates }: RightsRow): string =>
    creates
      ? `/${resource.path}/-/${action.name}`
      : `/${resource.path}/${records[resource.path]}/${action.name}`

  const expectRefused = async (person: Visitor, row: RightsRow, who: string): Promise<void> => {
    const path = pathOf(row)
    const key = 'page-000000000000000000000000'
    for (const answer of [await person.get(path), await person.post(path, { step: 'do', key })]) {
      assert.equal(answer.status, 403, `${who} ${path}`)
      assert.match(answer.html, /Your role does not let you do this/)
    }
  }

  for (const role of roles)
    it(`lets ${role} do in test mode what the table says, and nothing else`, async () => {
      const person = await signedIn(server, role)
      for (const row of table) {
        if (!row.test.includes(role)) await expectRefused(person, row, role)
        else {
          const { status } = await person.get(pathOf(row))
          assert.ok([200, 303].includes(status), `${role} ${pathOf(row)}: ${status}`)
        }
      }
      for (const [path, key] of Object.entries(records)) {
        const { html, status } = await person.get(`/${path}/${key}`)
        const { right } = resources.find((one) => one.path === path) as Resource
        const may = right === undefined || rightsOf(role, false).includes(right as Right)
        assert.equal(status, may ? 200 : 403, path)
        const links = [...html.matchAll(new RegExp(`href="[^"]+/${path}/${key}/(\\w+)"`, 'g'))].map(
          ([, name]) => name,
        )
        for (const { action } of table.filter(
          ({ resource, creates }) => resource.path === path && !creates,
        ))
          if (links.includes(action.name)) {
            const row = table.find((one) => one.resource.path === path && one.action === action)
            assert.ok(row?.test.includes(role), `${role} is shown ${path} ${action.name}`)
          }
      }
    })

  for (const role of roles)
    it(`lets ${role} do in live mode what the table says, and nothing else`, async () => {
      const person = await signedIn(server, role, 'live')
      for (const row of table)
        if (!row.live.includes(role)) await expectRefused(person, row, role)
        else if (row.creates) assert.equal((await person.get(pathOf(row))).status, 200, pathOf(row))
        // What is there is of test mode.
        else assert.equal((await person.get(pathOf(row))).status, 404, pathOf(row))
    })

  it('has no role but a viewer without anything to do', () => {
    assert.deepEqual(
      roles.filter((role) => !table.some(({ test }) => test.includes(role))),
      ['viewer'],
    )
  })
})
