/**
 * Goal: every form of a business's dashboard can be driven to its end. Method: the forms come from
 * the declarations of the resources and the list of pages, so a new form fails here until it has a
 * record to stand on. Each is filled in and confirmed in a real browser.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { AnyAction } from '../../src/web/dashboard/resource.ts'
import { resources } from '../../src/web/dashboard/resources.ts'
import { bankAccount, type Json, newMerchant } from '../support/actors.ts'
import { keyWith, ownAccount } from '../support/approvers.ts'
import { bankPayout, must, type TestServer, until } from '../support/harness.ts'
import { startWorkingServer } from './browser.ts'
import { newPerson, type Person } from './dashboard.ts'

/** What is typed where a field is required and empty, by the last part of its name. */
const usual: Record<string, string> = {
  account_name: 'Ada Obi',
  account_number: '0123456789',
  amount: '2,000',
  bank_code: '058',
  email: 'ada@example.com',
  id_number: 'A00000021',
  label: 'Landlord',
  name: 'Ada Obi',
  reason: 'Wrong size',
}

/** A form: the record that it is about, and what is typed beyond what every form needs. */
type Drive = { of?: () => Promise<string>; typed?: Record<string, string> }

describe('every form of the dashboard', { concurrency: 1 }, () => {
  let server: TestServer
  let person: Person
  let count = 0
  before(async () => {
    server = await startWorkingServer({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })
    person = await newPerson(server, 'desktop')
    person.page.setDefaultTimeout(15_000)
    await server.fund('ngn', 1_000_000_000)
    await server.fund('usd', 1_000_000)
    const limits = { currency: 'ngn', approve_above: 1_000_000 }
    await must(server.call('PUT', '/limits', { currencies: [limits] }))
    await newMerchant(server).addCustomer({ name: 'Grace Eze', email: 'grace@example.com' })
  })
  after(async () => {
    await person.leave()
    await server.stop()
  })

  const merchantOf = () => newMerchant(server)
  const next = (name: string): string => `${name}-${++count}`
  const idOf = ({ id }: Json): string => id
  const make = async (path: string, body: object): Promise<string> =>
    idOf(await merchantOf().create(path, body))
  const draft = async () => merchantOf().draftInvoice()
  const product = async (): Promise<string> => idOf(await merchantOf().addProduct())
  async function endpoint(active = true): Promise<string> {
    const merchant = merchantOf()
    const { id } = await merchant.create('/webhooks', {
      url: 'https://localhost:9/events',
      events: ['*'],
    })
    if (!active) await merchant.ask('PUT', `/webhooks/${id}`, { active })
    return id
  }
  async function payout(amount = 20_000): Promise<string> {
    const reference = next('payout')
    await merchantOf().payOut(bankPayout(reference, amount))
    return reference
  }
  const waiting = (): Promise<string> => payout(2_000_000)
  /** A payout that the person has made, and so may cancel, and that waits for another. */
  async function byHand(): Promise<string> {
    const reference = next('by-hand')
    await person.open('/payouts/-/new')
    await fill({ reference, amount: '20,000' })
    await toEnd(null)
    return reference
  }
  async function ended(): Promise<string> {
    const reference = await payout()
    await merchantOf().payoutEnded(reference)
    return reference
  }
  const payee = (more: object = {}): Promise<string> =>
    make('/beneficiaries', {
      label: next('payee'),
      method: 'bank_transfer',
      destination: bankAccount(),
      ...more,
    })
  const own = async (): Promise<string> => idOf(await ownAccount(server))
  async function schedule(status?: string): Promise<string> {
    const merchant = merchantOf()
    const body = { currency: 'ngn', beneficiary: await own(), interval: 'daily' }
    const { id } = await merchant.create('/payout-schedules', body)
    if (status) await merchant.ask('PATCH', `/payout-schedules/${id}`, { status })
    return id
  }
  const batch = (): Promise<string> =>
    make('/payouts/batch', {
      reference: next('batch'),
      currency: 'ngn',
      dry_run: true,
      lines: [{ amount: 10_000, destination: bankAccount() }],
    })
  async function failedBatch(): Promise<string> {
    const merchant = merchantOf()
    const reference = next('failed')
    const lines = [{ amount: 20_000, destination: bankAccount() }]
    const { id } = await merchant.create('/payouts/batch', { reference, currency: 'ngn', lines })
    await until(
      async () => (await merchant.ask('GET', `/payout-batches/${id}`)).status === 'completed',
    )
    await merchant.payoutEnded(`${reference}-1`)
    await merchant.ask('POST', `/payouts/${reference}-1/simulate`, { outcome: 'returned' })
    return id
  }
  const collection = async (active = true): Promise<string> => {
    const id = await make('/collections', { name: 'Fees', currency: 'ngn' })
    if (!active) await merchantOf().ask('PUT', `/collections/${id}`, { active })
    return id
  }
  const distribution = (destination?: object): Promise<string> =>
    make('/distributions', {
      name: next('Authors'),
      currency: 'ngn',
      shares: [{ name: 'Ada', percentage_bps: 1_000, ...(destination && { destination }) }],
    })
  async function accrued(): Promise<string> {
    const merchant = merchantOf()
    const id = await distribution(bankAccount())
    const sold = await merchant.openInvoice({}, { lines: [{ distribution: id }] })
    await merchant.simulate(await merchant.paymentOf(sold), 'completed', 'card')
    return id
  }
  async function refund(): Promise<string> {
    const merchant = merchantOf()
    const payment = await merchant.takePayment('card')
    await must(merchant.refund(payment, { amount: 10_000 }))
    return idOf((await merchant.refundsEnded(payment, 1))[0] ?? assert.fail())
  }
  async function explained(): Promise<string> {
    const id = await dispute()
    await merchantOf().ask('PUT', `/disputes/${id}/evidence`, { explanation: 'Handed over.' })
    return id
  }
  async function dispute(): Promise<string> {
    const merchant = merchantOf()
    const payment = await merchant.takePayment('bank_transfer')
    await merchant.ask('POST', `/payments/${payment.id}/simulate-dispute`, { reason: 'Fraud' })
    const { docs } = await merchant.ask('GET', `/disputes?payment=${payment.id}`)
    return docs[0].id
  }
  const account = async (): Promise<string> =>
    idOf(await merchantOf().openAccount({ customer: await customer(), currency: 'ngn' }))
  const customer = async (): Promise<string> => idOf(await merchantOf().addCustomer())
  const wallet = async (): Promise<string> => idOf(await merchantOf().openCryptoWallet())
  const payment = async (): Promise<string> => idOf(await merchantOf().openPayment())
  const newest = async (path: string): Promise<string> =>
    until(async () => (await merchantOf().ask('GET', path)).docs[0]?.id ?? null)
  const key = async (): Promise<string> => (await keyWith(server, ['read'])).id

  const drives: Record<string, Drive> = {
    'payments refund': { of: async () => idOf(await merchantOf().takePayment('card')) },
    'payments cancel': { of: payment },
    'payments simulate': { of: payment },
    'payments new': {},
    'refunds simulate': { of: refund },
    'disputes submit': { of: explained },
    'disputes accept': { of: dispute },
    'disputes simulate': { of: dispute },
    'customers edit': { of: customer },
    'customers verify': { of: customer, typed: { id_type: 'passport' } },
    'customers delete': { of: customer },
    'customers erase': { of: customer },
    'customers new': {},
    'collections edit': { of: collection },
    'collections pause': { of: collection },
    'collections resume': { of: () => collection(false) },
    'collections cancel': { of: collection },
    'collections new': {},
    'virtual-accounts close': { of: account },
    'virtual-accounts simulate': { of: account },
    'virtual-accounts new': { typed: { customer: 'grace@example.com' } },
    'crypto-wallets close': { of: wallet },
    'crypto-wallets simulate': { of: wallet },
    'crypto-wallets new': {},
    'payouts approve': { of: waiting },
    'payouts refuse': { of: waiting },
    'payouts cancel': { of: byHand },
    'payouts simulate': { of: ended, typed: { outcome: 'returned' } },
    'payouts new': {},
    'payout-batches confirm': { of: batch },
    'payout-batches cancel': { of: batch },
    'payout-batches retry': { of: failedBatch },
    'payout-batches new': {
      typed: { csv: 'account_number,bank_code,amount\n0123456789,058,1000' },
    },
    'beneficiaries confirm': { of: () => payee({ own: true }) },
    'beneficiaries rename': { of: payee },
    'beneficiaries change': { of: payee },
    'beneficiaries delete': { of: payee },
    'beneficiaries new': {},
    'payout-schedules pause': { of: schedule },
    'payout-schedules resume': { of: () => schedule('paused') },
    'payout-schedules change': { of: schedule },
    'payout-schedules delete': { of: schedule },
    'payout-schedules new': { typed: { beneficiary: 'first' } },
    'conversions new': {},
    'invoices finalize': { of: async () => idOf(await draft()) },
    'invoices send': { of: async () => idOf(await merchantOf().openInvoice()) },
    'invoices edit': { of: async () => idOf(await draft()) },
    'invoices void': { of: async () => idOf(await merchantOf().openInvoice()) },
    'invoices delete': { of: async () => idOf(await draft()) },
    'invoices new': {
      typed: { customer: 'grace@example.com', 'lines.0.product': 'first', 'lines.0.quantity': '2' },
    },
    'credit-notes send': { of: async () => idOf(await merchantOf().creditedInvoice()) },
    'products edit': { of: product },
    'products archive': { of: product },
    'products unarchive': {
      of: async () => {
        const id = await product()
        await merchantOf().ask('PATCH', `/products/${id}/archive`)
        return id
      },
    },
    'products new': {},
    'distributions edit': { of: distribution },
    'distributions settle': { of: accrued },
    'distributions deactivate': { of: distribution },
    'distributions activate': {
      of: async () => {
        const id = await distribution()
        await merchantOf().ask('PATCH', `/distributions/${id}/deactivate`)
        return id
      },
    },
    'distributions new': { typed: { 'shares.0.name': 'Ada', 'shares.0.percentage_bps': '10' } },
    'webhooks test': { of: endpoint },
    'webhooks edit': { of: endpoint },
    'webhooks pause': { of: endpoint },
    'webhooks resume': { of: () => endpoint(false) },
    'webhooks recover': { of: endpoint, typed: { since: '2020-01-01' } },
    'webhooks roll': { of: endpoint },
    'webhooks delete': { of: endpoint },
    'webhooks new': { typed: { url: 'https://localhost:9/events' } },
    'deliveries resend': { of: () => newest('/webhooks/events') },
    'events send': { of: () => newest('/events') },
    'keys roll': { of: key },
    'keys scopes': { of: key, typed: { 'scopes.collect': 'true' } },
    'keys revoke': { of: key },
    'keys new': { typed: { 'scopes.read': 'true' } },
  }

  const forms = resources.flatMap(({ path, actions, create }) => [
    ...actions.map((action) => ({ path, action, creates: false })),
    ...(create ? [{ path, action: create, creates: true }] : []),
  ])

  it('has a test here, and no test is of a form that is gone', () => {
    assert.deepEqual(
      Object.keys(drives).sort(),
      forms.map(({ path, action }) => `${path} ${action.name}`).sort(),
    )
  })

  for (const { path, action, creates } of forms)
    it(`${path}: ${action.title}`, async () => {
      const { of, typed = {} } = drives[`${path} ${action.name}`] ?? assert.fail('not driven')
      const at = `/${path}/${creates ? '-' : encodeURIComponent((await of?.()) ?? '')}/${action.name}`
      await person.open(at)
      assert.equal(new URL(person.page.url()).pathname, person.base + at, 'the form is offered')
      await fill(typed)
      await toEnd(action)
    })

  const main = () => person.page.locator('main form[method=post]')

  /** Types what is to be typed, then what is required and empty. */
  async function fill(typed: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(typed)) await put(name, text)
    const empty = await person.page.evaluate<
      { name: string; isSelect: boolean }[]
    >(`[...document.querySelectorAll('main form[method=post] :is(input, select, textarea):required')]
      .filter(({ value }) => value === '')
      .map(({ name, tagName }) => ({ name, isSelect: tagName === 'SELECT' }))`)
    for (const { name, isSelect } of empty) {
      const text = usual[name.split('.').at(-1) as string] ?? (isSelect ? 'first' : null)
      await put(name, text ?? assert.fail(`nothing is typed into ${name}`))
    }
  }

  async function put(name: string, text: string): Promise<void> {
    const field = main().locator(`[name="${name}"]`)
    const kind = await field.getAttribute('type')
    const tag = await field.evaluate(({ tagName }) => tagName)
    if (kind === 'checkbox') await field.check()
    else if (tag !== 'SELECT') await field.fill(text)
    else if (text !== 'first') await field.selectOption(text)
    else {
      const first = field.locator('option:not([value=""])').first()
      await field.selectOption((await first.getAttribute('value')) ?? assert.fail(name))
    }
  }

  /** Presses on, past the confirmation, until the page says that it is done. */
  async function toEnd(action: AnyAction | null): Promise<void> {
    const { page } = person
    const title = action?.title ?? 'the form before'
    const review = main().locator('button[name=step][value=review]')
    if ((await review.count()) > 0) await person.press(review)
    const confirm = main().locator('button[name=step][value=do]')
    if ((await confirm.count()) > 0) await person.press(confirm)
    // A page that follows its record loads itself again when that is over.
    await until(() =>
      page.evaluate<boolean>(`!document.querySelector('[data-follow]')`).catch(() => false),
    )
    const said = (await page.locator('.notice, .wrong').allInnerTexts()).join(' ')
    assert.doesNotMatch(await page.title(), /^Error/, `${title}: ${said}`)
    assert.equal(
      await page.locator('main > :not(.toast) button[name=step]').count(),
      0,
      `${title}: ${said}`,
    )
    assert.ok((await page.locator('.notice.good').count()) > 0, `${title} says nothing`)
  }
})
