/**
 * Goal: an amount that a person types in a real browser is the one that is made, as three locales
 * write it. Method: every form, filter and search that takes an amount, and the page where a payer
 * chooses one.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Json, newMerchant } from '../support/actors.ts'
import { must } from '../support/harness.ts'
import { newPayer, shareWorkingServer } from './browser.ts'
import { newPerson, says } from './dashboard.ts'

const typed = {
  'fr-FR': { '12,50': 1_250, '1500,50': 150_050, '40,5': 4_050, '1 500,00': 150_000 },
  'en-NG': { '12.50': 1_250, '1500.50': 150_050, '40,5': 4_050, '1,500.00': 150_000 },
  'de-DE': { '12,50': 1_250, '1500,50': 150_050, '40,5': 4_050, '1.500': 150_000 },
}

/** A form: its fields of money, what else it needs, and where what it made says the amounts. */
type Form = {
  path: string
  amounts: string[]
  others?: Record<string, string>
  made: string
  read(record: Json): unknown[]
}

const bank = { 'destination.bank_code': '058', 'destination.account_number': '0123456789' }
const formsOf = (payment: string, account: string): Form[] => [
  { path: '/payments/-/new', amounts: ['amount'], made: '/payments', read: (one) => [one.amount] },
  {
    path: `/payments/${payment}/refund`,
    amounts: ['amount'],
    made: `/refunds?payment=${payment}`,
    read: (one) => [one.amount],
  },
  {
    path: '/products/-/new',
    amounts: ['amount'],
    others: { name: 'Tea' },
    made: '/products',
    read: (one) => [one.amount],
  },
  {
    path: '/collections/-/new',
    amounts: ['amount'],
    others: { name: 'Fees' },
    made: '/collections',
    read: (one) => [one.amount],
  },
  {
    path: '/collections/-/new',
    amounts: ['min_amount', 'max_amount'],
    others: { name: 'Gifts' },
    made: '/collections',
    read: (one) => [one.min_amount, one.max_amount],
  },
  {
    path: '/distributions/-/new',
    amounts: ['shares.0.flat_amount'],
    others: { name: 'Authors', 'shares.0.name': 'Ada' },
    made: '/distributions',
    read: (one) => [one.shares[0].flat_amount],
  },
  {
    path: '/payouts/-/new',
    amounts: ['amount'],
    others: bank,
    made: '/payouts',
    read: (one) => [one.amount],
  },
  {
    path: '/conversions/-/new',
    amounts: ['amount'],
    made: '/conversions',
    read: (one) => [one.amount],
  },
  {
    path: `/virtual-accounts/${account}/simulate`,
    amounts: ['amount'],
    made: '/transactions?type=deposit',
    read: (one) => [one.amount],
  },
]

describe('amounts that are typed at the dashboard', () => {
  it('are made as the locale of the business writes them, or refused with both readings', async () => {
    const server = await shareWorkingServer()
    const person = await newPerson(server, 'desktop')
    const { page } = person
    for (const [locale, amounts] of Object.entries(typed)) {
      await must(server.call('PUT', '/business', { locale }))
      for (const [text, amount] of Object.entries(amounts)) {
        await person.open('/payments/-/new')
        await page.getByLabel('Amount').fill(text)
        await person.button('Create link')
        await says(page, 'Payment created.')
        const { docs } = await must(server.call('GET', '/payments?limit=1'))
        assert.equal(docs[0].amount, amount, `${text} in ${locale}`)
      }
    }
    await person.open('/payments/-/new')
    await page.getByLabel('Amount').fill('1,500')
    person.expectErrors(/422/)
    await person.button('Create link')
    await says(page, '“1,500” can be read as 1.500,00 or as 1,50. Type 1500,00 or 1,50.')
    await person.look('typed-amount')
    await person.leave()
    await server.stop()
  })

  it('are the same in every form, filter and search, in three locales', async () => {
    const server = await shareWorkingServer()
    const merchant = newMerchant(server)
    await server.fund('ngn', 1_000_000_000)
    const customer = await merchant.addCustomer()
    const { id: account } = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    const person = await newPerson(server, 'desktop')
    const { page } = person
    page.setDefaultTimeout(15_000)
    const field = (name: string) => page.locator(`form[method=post] [name="${name}"]`)
    const submit = page.locator(
      'main form[method=post] button[name=step]:is([value=do], [value=review])',
    )

    for (const [locale, text, amount] of [
      ['fr-FR', '1500,50', 150_050],
      ['en-NG', '1,600.50', 160_050],
      ['de-DE', '1.700,50', 170_050],
    ] as const) {
      await must(server.call('PUT', '/business', { locale }))
      const payment = await merchant.takePayment('card', { amount: 1_000_000 })
      for (const { path, amounts, others = {}, made, read } of formsOf(payment.id, account)) {
        await person.open(path)
        const currency = field('currency')
        if ((await currency.count()) > 0) await currency.selectOption('ngn')
        for (const [name, value] of Object.entries(others)) {
          const tag = await field(name).evaluate(({ tagName }) => tagName)
          await (tag === 'SELECT' ? field(name).selectOption(value) : field(name).fill(value))
        }
        for (const name of amounts) await field(name).fill(text)
        await person.press(submit)
        if ((await page.locator('button[name=step][value=edit]').count()) > 0)
          await person.press(submit)
        const { docs } = await must(
          server.call('GET', `${made}${made.includes('?') ? '&' : '?'}limit=1`),
        )
        assert.ok(
          docs[0],
          `${path}: ${(await page.locator('.error, .notice').allInnerTexts()).join(' ')}`,
        )
        assert.deepEqual(
          read(docs[0]),
          amounts.map(() => amount),
          `${text} in ${path}, ${locale}`,
        )
      }
      for (const list of ['/payments', '/payouts', '/refunds']) {
        await person.open(list)
        await page.locator('[name=search]').fill(text)
        await page.locator('[name=search]').press('Enter')
        await page.waitForURL(/search=/)
        assert.equal(await page.locator('main tbody tr').count(), 1, `${text} searched in ${list}`)
      }
      await person.open('/payments')
      await page
        .locator('form[method=get] [name=amount]')
        .evaluate((one) => one.closest('details')?.setAttribute('open', ''))
      await page.locator('form[method=get] [name=amount]').fill(text)
      await page.locator('form[method=get] [name=amount]').press('Enter')
      await page.waitForURL(/amount=/)
      assert.equal(await page.locator('main tbody tr').count(), 1, `${text} as a filter`)

      await person.open('/limits')
      await field('ngn.approve_above').fill(text)
      await person.press(submit)
      const { rules = [], ...limits } = await must(server.call('GET', '/limits'))
      assert.match(JSON.stringify([rules, limits]), new RegExp(`"approve_above":${amount}\\b`))

      await person.open('/test-tools')
      const before = await available(server)
      await page.locator('[name=amount]').fill(text)
      await page.locator('form:has([name=amount]) [name=currency]').selectOption('ngn')
      await person.press(page.locator('form:has([name=amount]) button'))
      assert.equal((await available(server)) - before, amount, 'test money')

      const open = await merchant.create('/collections', { name: 'Gift', currency: 'ngn' })
      const payer = await newPayer('phone', { friends: [server.url] })
      await payer.page.goto(open.checkout_url)
      await payer.page.locator('[name=amount]').fill(text)
      await payer.press(payer.page.locator('form:has([name=amount]) button').first())
      const { docs } = await must(server.call('GET', '/payments?limit=1'))
      assert.deepEqual(
        docs.map((one: Json) => one.amount),
        [amount],
        'what a payer chooses',
      )
      await payer.leave()
    }
    await person.leave()
    await server.stop()
  })
})

const available = async (server: {
  call: Parameters<typeof newMerchant>[0]['call']
}): Promise<number> =>
  (await must(server.call('GET', '/wallets'))).find(({ currency }: Json) => currency === 'ngn')
    .available
