/**
 * Goal: who never opens a terminal does each job of the week at the dashboard, in few presses, on a
 * phone and at a desk. Method: a real browser, signed in at home; each job is done as its person
 * would, its presses are counted, and then the API is asked.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createKey } from '../../src/books/businesses/businesses.ts'
import type { PersonRole } from '../../src/platform/team/team.ts'
import { type Json, type Merchant, newMerchant } from '../support/actors.ts'
import { bankPayout, ctxOf, must, type TestServer, until } from '../support/harness.ts'
import { pictures } from '../support/pictures.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Screen, startWorkingServer } from './browser.ts'
import {
  byMenu,
  endJob,
  newPerson,
  type Person,
  pressesTable,
  says,
  tookPresses,
} from './dashboard.ts'

let server: TestServer
let merchant: Merchant
let receiver: Receiver

describe('the jobs of a week at the dashboard', () => {
  before(async () => {
    receiver = await startReceiver()
    server = await startWorkingServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    })
    merchant = newMerchant(server)
    await server.fund('ngn', 100_000_000)
    await merchant.ask('PUT', '/limits', {
      currencies: [{ currency: 'ngn', approve_above: 400_000 }],
    })
  })
  after(async () => {
    console.log(pressesTable())
    await server.assertBooksClean()
    await server.stop()
    await receiver.stop()
  })
  for (const screen of ['phone', 'desktop'] as const)
    describe(`on a ${screen}`, () => {
      jobs(screen)
      otherJobs(screen)
    })
})

function jobs(screen: Screen): void {
  const paid = (reference: string) =>
    merchant
      .openPayment({ amount: 250_000, email: `${reference}@example.com`, reference })
      .then((payment) => merchant.simulate(payment, 'completed', 'card'))

  it('finds a payment and refunds it', async () => {
    const reference = `order-${screen}`
    const payment = await paid(reference)
    const person = await newPerson(server, screen, 'support')
    const { page } = person
    await byMenu(person, screen, 'Payments')
    await page.getByLabel('Search', { exact: true }).fill(reference)
    await person.button('Search')
    await person.link('₦2,500.00')
    tookPresses(person, screen, 3, 4)
    await person.link('Refund')
    await page.getByLabel('Amount in NGN').fill('1,000')
    await person.button('Continue')
    await says(page, 'leaves your NGN wallet')
    await person.button('Refund now')
    await says(page, 'Refund started.')
    endJob('Refund a part of a payment', person, screen, [6, 7])
    await person.look('dashboard-refund')
    const { docs } = await merchant.ask('GET', `/refunds?payment=${payment.id}`)
    assert.deepEqual(
      docs.map(({ amount }: { amount: number }) => amount),
      [100_000],
    )
    await person.leave()
  })

  it('sees at home why a payout failed', async () => {
    const reference = `rent-${screen}`
    await must(
      server.call(
        'POST',
        '/payouts',
        bankPayout(reference, 300_000, {
          destination: { bank_code: '058', account_number: '0000000001' },
        }),
      ),
    )
    await until(
      async () => (await merchant.ask('GET', `/payouts/${reference}`)).status === 'failed',
    )
    const person = await newPerson(server, screen, 'finance')
    await says(person.page, 'The bank does not know this account')
    await person.look('dashboard-home')
    await person.link(/^₦3,000\.00 to/)
    await says(person.page, 'Check the number and the bank, then create a new payout')
    endJob('See why a payout failed', person, screen, [1])
    await person.look('dashboard-payout')
    await person.leave()
  })

  it('exports a month of transactions', async () => {
    await paid(`export-${screen}`)
    const person = await newPerson(server, screen, 'finance')
    const { page } = person
    await byMenu(person, screen, 'Transactions')
    await says(page, 'Export CSV')
    await person.press(page.getByText('Filters', { exact: true }))
    const today = new Date().toISOString().slice(0, 10)
    await page.getByLabel('Completed from').fill(`${today.slice(0, 8)}01`)
    await page.getByLabel('Completed up to, that day included').fill(today)
    await person.button('Apply')
    const download = page.waitForEvent('download')
    await person.link('Export CSV')
    assert.match((await download).suggestedFilename(), /^transactions-\d{4}-\d\d-\d\d\.csv$/)
    endJob('Export a month', person, screen, [4, 5])
    await person.leave()
  })

  it('makes a payout, which asks once and says what will happen', async () => {
    const person = await newPerson(server, screen, 'finance')
    const { page } = person
    await byMenu(person, screen, 'Payouts')
    await person.link('New payout')
    await page.getByLabel('Amount', { exact: true }).fill('1,500')
    await page.getByLabel('Bank', { exact: true }).selectOption({ value: '058' })
    await page.getByLabel('Account number').fill('0123456789')
    const reference = await page.getByLabel('Reference').inputValue()
    await person.button('Continue')
    await says(page, 'leaves your NGN wallet')
    await person.look('dashboard-payout-review')
    await page.getByRole('main').getByRole('button').first().dblclick()
    await says(page, 'Payout created.')
    tookPresses(person, screen, 3, 4)
    assert.equal((await merchant.ask('GET', `/payouts?reference=${reference}`)).totalDocs, 1)
    await person.leave()
  })

  it('approves a payout that another made', async () => {
    const reference = `big-${screen}`
    await must(server.call('POST', '/payouts', bankPayout(reference, 500_000)))
    await until(
      async () => (await merchant.ask('GET', `/payouts/${reference}`)).approval === 'waiting',
    )
    const person = await newPerson(server, screen, 'owner')
    await person.link(/^₦5,000\.00 to/)
    await person.link('Approve')
    await person.button('Approve and send')
    await says(person.page, 'You have approved the payout')
    endJob('Approve a payout', person, screen, [3])
    await person.leave()
  })

  it('makes an invoice, sends it, sees it paid, and gives it back with a credit note', async () => {
    const email = `buyer.${screen}@example.com`
    await merchant.create('/customers', { name: `Buyer ${screen}`, email })
    const product = await merchant.create('/products', {
      name: `Chair ${screen}`,
      currency: 'ngn',
      amount: 750_000,
    })
    const person = await newPerson(server, screen, 'finance')
    const { page } = person
    await byMenu(person, screen, 'Invoices')
    await person.link('New invoice')
    await page.locator('[name=customer]').fill(email)
    await page.locator('[name="lines.0.product"]').selectOption({ value: product.id })
    await person.press(page.getByRole('main').locator('form button:not(.second)'))
    await person.link('Finalize')
    await person.button('Finalize')
    await says(page, 'Invoice finalized.')
    await person.link('Send by email')
    await person.button('Send by email')
    await says(page, 'Invoice sent.')
    tookPresses(person, screen, 8, 9)
    const id = page.url().split('/').at(-1)?.split('?')[0] as string
    const { payment } = await merchant.ask('GET', `/invoices/${id}`)
    await merchant.simulate(payment, 'completed', 'card')
    await page.reload()
    await says(page, 'Paid')
    await person.look('dashboard-invoice')
    await person.press(page.getByRole('main').locator(`a[href$="/payments/${payment}"]`))
    await person.link('Refund')
    await person.button('Continue')
    await person.button('Refund now')
    await says(page, 'Refund started.')
    tookPresses(person, screen, 12, 13)
    const credited = await until(
      async () => (await merchant.ask('GET', `/credit-notes?invoice=${id}`)).docs[0],
    )
    assert.equal(credited.amount, 750_000)
    await person.open(`/invoices/${id}`)
    await says(page, 'A credit note was issued')
    await person.leave()
  })

  it('sees events as they come', async () => {
    const person = await newPerson(server, screen, 'developer')
    const { page } = person
    await byMenu(person, screen, 'Live events')
    await says(page, 'New events appear by themselves.')
    tookPresses(person, screen, 2, 3)
    const { id } = await merchant.openPayment({ reference: `live-${screen}` })
    await merchant.ask('POST', `/payments/${id}/cancel`)
    const item = page.locator('#live > li').filter({ hasText: `live-${screen}` })
    await item.waitFor()
    await item.locator('summary').click()
    await item.getByText('"status": "canceled"').waitFor()
    await person.look('dashboard-live-events')
    await person.leave()
  })

  it('reads what was paid in fees', async () => {
    const person = await newPerson(server, screen, 'finance')
    const { page } = person
    for (const path of ['payouts', 'settlements']) {
      await person.open(`/reports/${path}`)
      await person.look(`dashboard-report-${path}`)
    }
    await person.open('')
    await byMenu(person, screen, 'Reports')
    await person.link('Fees')
    await says(page, 'Charged for')
    tookPresses(person, screen, 2, 3)
    await person.look('dashboard-report-fees')
    await person.leave()
  })

  it('makes a customer', async () => {
    const person = await newPerson(server, screen, 'finance')
    const { page } = person
    await byMenu(person, screen, 'Customers')
    await person.link('New customer')
    await page.getByLabel(/^Name/).first().fill('Ada Obi')
    await page
      .getByLabel(/^Email/)
      .first()
      .fill(`ada.${screen}@example.com`)
    await person.press(page.getByRole('main').getByRole('button'))
    await says(page, 'Ada Obi')
    tookPresses(person, screen, 3, 4)
    await person.look('dashboard-customer')
    await person.leave()
  })

  it('sends a webhook again that was not delivered', async () => {
    const endpoint = await merchant.create('/webhooks', {
      url: receiver.url,
      events: ['payment.canceled'],
    })
    receiver.answer = 500
    const { id } = await merchant.openPayment({ reference: `again-${screen}` })
    await merchant.ask('POST', `/payments/${id}/cancel`)
    const read = async () =>
      (await merchant.ask('GET', `/webhooks/events?webhook_id=${endpoint.id}`)).docs[0] as
        | Json
        | undefined
    await until(async () => ((await read())?.attempts.length ?? 0) > 0)
    receiver.answer = 200
    const person = await newPerson(server, screen, 'developer')
    const { page } = person
    await byMenu(person, screen, 'Deliveries')
    await person.press(page.getByRole('main').locator('tbody a'))
    await person.link('Send again')
    await person.button('Send again')
    await says(page, 'Sending it again.')
    await until(async () => (await read())?.status === 'succeeded')
    endJob('Send a webhook again', person, screen, [5, 6])
    await person.look('dashboard-delivery')
    await person.leave()
    await merchant.ask('DELETE', `/webhooks/${endpoint.id}`)
  })

  it('rolls a key', async () => {
    await (await ctxOf(server)).write((work) =>
      createKey(work, { name: `till-${screen}`, scopes: ['read'] }),
    )
    const person = await newPerson(server, screen, 'owner')
    const { page } = person
    await byMenu(person, screen, 'API keys')
    await person.press(
      page
        .getByRole('row')
        .filter({ hasText: `till-${screen}` })
        .getByRole('link'),
    )
    await person.link('Roll')
    await person.button('Continue')
    await person.press(page.getByRole('main').locator('form button:not(.second)'))
    await page
      .getByText(/sk_test_\w+/)
      .first()
      .waitFor()
    endJob('Roll a key', person, screen, [6, 7])
    await person.look('dashboard-key')
    await person.leave()
  })
}

function otherJobs(screen: Screen): void {
  /** A person at home, and what a job does most: filling in fields by their names. */
  async function begin(role: PersonRole = 'owner') {
    const person = await newPerson(server, screen, role)
    person.page.setDefaultTimeout(20_000)
    const fill = async (values: Record<string, string>): Promise<void> => {
      for (const [name, value] of Object.entries(values))
        await person.page.getByRole('main').locator(`[name="${name}"]`).fill(value)
    }
    /** Searches everything: Enter is a press. */
    const search = async (text: string): Promise<void> => {
      if (screen === 'phone') await person.link('Menu')
      const field = person.page.getByRole('searchbox', { name: 'Search everything' }).first()
      await field.fill(text)
      await person.press(field)
      await field.press('Enter')
      await person.page.getByRole('heading', { name: 'Search', level: 1 }).waitFor()
    }
    return { person, page: person.page, fill, search }
  }
  const first = (person: Person, selector: string) =>
    person.press(person.page.getByRole('main').locator(selector))
  const confirm = (person: Person) => first(person, 'form button:not(.second):not(.quiet)')

  it('finds money by its reference, and refunds all of it', async () => {
    const reference = `find-${screen}`
    const payment = await merchant
      .openPayment({ amount: 250_000, reference })
      .then((made) => merchant.simulate(made, 'completed', 'card'))
    const { person, page, search } = await begin('support')
    await search(reference)
    await first(person, `a[href$="/payments/${payment.id}"]`)
    await says(page, '₦2,500.00')
    endJob('Find money by its reference', person, screen, [2, 3])
    await person.link('Refund')
    await person.button('Continue')
    await person.button('Refund now')
    await says(page, 'Refund started.')
    endJob('Refund a payment', person, screen, [5, 6])
    await person.leave()
  })

  it('approves several payouts at once', async () => {
    for (const n of [1, 2]) {
      const reference = `many-${n}-${screen}`
      await must(server.call('POST', '/payouts', bankPayout(reference, 500_000)))
      await until(
        async () => (await merchant.ask('GET', `/payouts/${reference}`)).approval === 'waiting',
      )
    }
    const { person, page } = await begin()
    await byMenu(person, screen, 'Approvals')
    for (const n of [1, 2]) await first(person, `[name="pick.many-${n}-${screen}"]`)
    await person.button('Approve selected')
    await confirm(person)
    await says(page, /^2 payouts of/)
    endJob('Approve two payouts', person, screen, [5, 6])
    await person.leave()
  })

  it('pays a batch from a file', async () => {
    const { person, page } = await begin('finance')
    await byMenu(person, screen, 'Batches')
    await person.link('New batch')
    const csv = 'amount,bank_code,account_number\n1500,058,0123456789\n2500,058,0123456789\n'
    await page.setInputFiles('input[type=file]', {
      name: 'wages.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(csv),
    })
    await person.button('Check file')
    await person.link('Confirm')
    await person.button('Create payouts')
    await says(page, /Completed: 2|Pending: 2|Processing: 2/)
    endJob('Pay a batch from a file', person, screen, [5, 6])
    await person.leave()
  })

  it('makes an invoice with a line of its own', async () => {
    const { person, page, fill } = await begin('finance')
    await byMenu(person, screen, 'Invoices')
    await person.link('New invoice')
    await fill({
      new_name: 'Ngozi Bello',
      new_email: `ngozi.${screen}@example.com`,
      'lines.0.name': 'Repair',
      'lines.0.amount': '5,000',
    })
    await page.locator('[name=currency]').selectOption('ngn')
    await person.button('Create')
    await person.link('Finalize')
    await person.button('Finalize')
    await says(page, 'Invoice finalized.')
    endJob('Make an invoice with a free line', person, screen, [6, 7])
    await person.leave()
  })

  it('adds a beneficiary', async () => {
    const { person, page, fill } = await begin()
    await byMenu(person, screen, 'Beneficiaries')
    await person.link('New beneficiary')
    await fill({ label: `Landlord ${screen}`, 'destination.account_number': '0123456789' })
    await page.locator('[name="destination.bank_code"]').selectOption('058')
    await confirm(person)
    await says(page, 'What will happen')
    await confirm(person)
    await says(page, `Landlord ${screen}`)
    endJob('Add a beneficiary', person, screen, [4, 5])
    await person.leave()
  })

  it('invites a person', async () => {
    const { person, page, fill } = await begin()
    await byMenu(person, screen, 'Team')
    await person.link('Invite')
    await fill({ email: `new.${screen}@example.com` })
    await person.button('Create a link')
    await says(page, /\/dashboard\/invite\//)
    endJob('Invite a person', person, screen, [4, 5])
    await person.leave()
  })

  it('answers a dispute', async () => {
    const payment = await merchant.takePayment('card')
    await must(server.call('POST', `/payments/${payment.id}/simulate-dispute`, {}))
    const { person, page, fill } = await begin()
    await first(person, 'a[href*="/disputes/"]')
    await person.link('Add evidence')
    await fill({ explanation: 'Three dresses, handed over in the shop.' })
    await page
      .getByLabel('Proof of delivery')
      .setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: pictures.png })
    await person.button('Save evidence')
    await person.link('Submit evidence')
    await confirm(person)
    await says(page, 'Evidence sent to the provider')
    endJob('Answer a dispute', person, screen, [5])
    await person.leave()
  })

  it('converts money', async () => {
    const { person, page, fill } = await begin('finance')
    await byMenu(person, screen, 'Conversions')
    await person.link('Convert money')
    await fill({ amount: '1,550' })
    await person.button('Continue')
    await confirm(person)
    await says(page, 'Money converted.')
    endJob('Convert money', person, screen, [4, 5])
    await person.leave()
  })

  it('finds who made a payout', async () => {
    const reference = `who-${screen}`
    await must(server.call('POST', '/payouts', bankPayout(reference, 10_000)))
    const { person, page, search } = await begin('viewer')
    await search(reference)
    await first(person, `a[href$="/payouts/${reference}"]`)
    await says(page, 'Created by')
    endJob('Find who did it', person, screen, [2, 3])
    await person.leave()
  })
}
