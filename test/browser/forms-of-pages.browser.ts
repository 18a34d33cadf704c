/**
 * Goal: every form of a business's pages that belongs to no resource can be driven to its end.
 * Method: the forms come from the list of pages, so a new form fails here until it is driven. Each
 * is filled in and sent in a real browser.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { businessPages } from '../../src/web/dashboard/dashboard.ts'
import { resources } from '../../src/web/dashboard/resources.ts'
import { newMerchant } from '../support/actors.ts'
import { signedIn, type Visitor } from '../support/dashboard.ts'
import { bankPayout, must, type TestServer, until } from '../support/harness.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson, type Person, says } from './dashboard.ts'

/** Forms of resources: `forms.browser.ts` drives those of actions, and one list stands for all views, and for bulk actions. */
const ofResources = resources.flatMap(({ path, actions, create }) => [
  ...actions.map(({ name }) => `/${path}/{key}/${name}`),
  ...(create ? [`/${path}/-/${create.name}`] : []),
  ...(path === 'invoices' ? [] : [`/${path}/-/bulk`]),
  ...(path === 'payments' ? [] : [`/${path}/-/views`, `/${path}/-/views/{view}`]),
])
const forms = businessPages
  .filter(({ method, path }) => method === 'POST' && !ofResources.includes(path))
  .map(({ path }) => path)

describe('every form of no resource', { concurrency: 1 }, () => {
  let server: TestServer
  let person: Person
  let other: Visitor
  before(async () => {
    server = await startWorkingServer()
    person = await newPerson(server, 'desktop')
    person.page.setDefaultTimeout(15_000)
    other = await signedIn(server, 'owner', 'live', { name: 'Obi Eze' })
    await server.fund('ngn', 1_000_000_000)
  })
  after(async () => {
    await person.leave()
    await server.stop()
  })

  const field = (name: string) => person.page.locator(`main form[method=post] [name="${name}"]`)
  const openLive = (path: string) =>
    person.page.goto(server.url + person.base.replace(/test$/, 'live') + path)
  /** What the other owner sends: the waiting change is theirs, so that the person can confirm it. */
  const asksOther = async (path: string, typed: Record<string, string>): Promise<void> => {
    const key = `page-${'k'.repeat(20)}${Math.random().toString(36).slice(2, 8)}`
    assert.equal((await other.post(path, { key, ...typed })).status, 303)
  }
  async function invite(email: string): Promise<void> {
    await person.open('/team/invite')
    await field('email').fill(email)
    await person.button('Create a link')
    await says(person.page, 'Invitation link')
    await person.link('Back to the team')
  }
  async function openMember(name: string): Promise<void> {
    await signedIn(server, 'viewer', 'test', { name })
    await person.open('/team')
    await person.link(name)
  }

  const drives: Record<string, () => Promise<void>> = {
    '/needs': async () => {
      const merchant = newMerchant(server)
      await merchant.simulate(await merchant.openPayment(), 'underpaid', 'bank_transfer')
      await person.open('')
      await person.button('Mark as dealt with')
      await says(person.page, 'Marked as dealt with.')
    },
    '/disputes/{key}/evidence': async () => {
      const merchant = newMerchant(server)
      const { id: payment } = await merchant.takePayment('bank_transfer')
      const { id } = await merchant.ask('POST', `/payments/${payment}/simulate-dispute`, {})
      await person.open(`/disputes/${id}/evidence`)
      await field('explanation').fill('Handed over in the shop.')
      await person.button('Save evidence')
      await says(person.page, 'is not submitted yet')
    },
    '/payments/-/views': async () => {
      await person.open('/payments/-/views?status=pending')
      await field('name').fill('Open')
      await person.button('Save this view')
      await person.page.getByRole('link', { name: 'Open', exact: true }).waitFor()
    },
    '/payments/-/views/{view}': async () => {
      await person.open('/payments/-/views')
      await person.button('Delete Open')
      await says(person.page, 'You have saved none')
    },
    '/team/invite': () => invite('new@shop.example'),
    '/team/revoke': async () => {
      await invite('gone@shop.example')
      await person.button('Revoke the invitation of gone@shop.example')
      await says(person.page, 'Invitation revoked.')
    },
    '/team/second-factor': async () => {
      await person.open('/team')
      await person.button('Require a second factor')
      await says(person.page, 'Saved.')
    },
    '/team/second-factor/confirm': async () => {
      await asksOther('/team/second-factor', { required: 'no' })
      await person.open('/team')
      await person.button('Confirm change')
      await says(person.page, 'If you require it')
    },
    '/team/second-factor/cancel': async () => {
      await asksOther('/team/second-factor', { required: 'yes' })
      await asksOther('/team/second-factor', { required: 'no' })
      await person.open('/team')
      await person.button('Cancel change')
      await says(person.page, 'Required: members without a second factor')
    },
    '/team/people/{person}/role': async () => {
      await openMember('Chidi Nwosu')
      await field('role').selectOption('finance')
      await person.button('Save role')
      await says(person.page, 'Role changed')
    },
    '/team/people/{person}/remove': async () => {
      await openMember('Bola Ade')
      await person.link('Remove from the team')
      await person.button('Remove from the team')
      await says(person.page, 'Person removed from the team.')
    },
    '/approvals': async () => {
      const limits = { currencies: [{ currency: 'ngn', approve_above: 1_000_000 }] }
      await must(server.call('PUT', '/limits', limits))
      await newMerchant(server).payOut(bankPayout('wait', 2_000_000))
      await person.open('/approvals')
      await person.page.locator('[name="pick.wait"]').check()
      await person.button('Approve selected')
      await person.press(person.page.locator('button[name=step][value=do]'))
      await says(person.page, '1 payout of ₦20,000.00 is approved.')
    },
    '/limits': async () => {
      await person.open('/limits')
      await field('ngn.approve_above').fill('5,000')
      await person.button('Save')
      await person.page.locator('.notice.good').waitFor()
    },
    '/limits/pending': async () => {
      const hours = { approval_hours: '24', payouts_by_key: 'any' }
      const limits = { ...hours, beneficiary_cooling_off_hours: '24' }
      await asksOther('/limits', { ...limits, 'ngn.approve_above': '5000' })
      await asksOther('/limits', { ...limits, 'ngn.approve_above': '9000' })
      await openLive('/limits')
      await person.button('Confirm change')
      await says(person.page, 'You confirmed the change')
    },
    '/profile': async () => {
      await person.open('/profile')
      await field('name').fill('Zuma Books')
      await person.button('Save')
      await person.page.locator('.notice.good').waitFor()
    },
    '/test-tools/money': async () => {
      await person.open('/test-tools')
      await field('amount').fill('1,000')
      await person.button('Add money')
      await says(person.page, 'The money is in the wallet.')
    },
    '/test-tools/clock': async () => {
      await person.open('/test-tools')
      await person.button('Move clock')
      await says(person.page, 'The test clock shows')
    },
    '/invoices/-/bulk': async () => {
      const merchant = newMerchant(server)
      const drafts = [await merchant.draftInvoice(), await merchant.draftInvoice()]
      await person.open('/invoices?status=draft')
      await person.page.locator('[data-all]').check()
      await person.button('Delete drafts')
      await says(person.page, 'Delete drafts: 2 invoices')
      await person.page.locator('main form[method=post] button').click()
      await says(person.page, 'Done for 2 invoices.')
      for (const { id } of drafts)
        assert.equal((await server.call('GET', `/invoices/${id}`)).status, 404)
    },
    '/test-data': async () => {
      await person.open('/test-data')
      const { name } = await must(server.call('GET', '/business'))
      await field('name').fill(name)
      await person.button('Delete all test data')
      await person.page.locator('.notice').waitFor()
      await until(async () => (await server.call('GET', '/payouts')).data?.totalDocs === 0)
    },
  }

  it('has a test here, and no test is of a form that is gone', () => {
    assert.deepEqual(Object.keys(drives).sort(), forms.toSorted())
  })

  for (const [path, drive] of Object.entries(drives)) it(path, drive)
})
