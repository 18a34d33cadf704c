/**
 * Goal: a customer's own account with a live key is Paystack's, opened once whatever is answered,
 * and usable only once it has its number. Method: whole servers over the double of Paystack, asked
 * over HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { verifyBooks } from '../../../src/app/main.ts'
import { prepare } from '../../../src/collecting/virtual-accounts/virtual-accounts.ts'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import { type Json, must, until } from '../../support/harness.ts'
import { minuteMs, type Till } from '../../support/paystack.ts'
import { newCustomer, openAccount, openInlet, readAccount } from '../../support/paystack-in.ts'

const hourMs = 60 * minuteMs

describe('a live virtual account by Paystack', () => {
  let till: Till
  before(async () => {
    till = await openInlet()
  })
  after(() => till.stop())

  it('has the number that Paystack gives, and is closed there too', async () => {
    const customer = await newCustomer(till)
    const opened = await must(
      openAccount(till, customer, { reference: 'one', account_name: 'Ada' }),
    )
    const [there] = till.double.live.books.accounts.slice(-1)
    assert.deepEqual(
      [
        opened.status,
        opened.account_number,
        opened.bank_name,
        opened.bank_code,
        opened.provider_reference,
      ],
      ['active', there?.number, 'Wema Bank', '035', String(there?.id)],
    )
    // What the payer's bank will show, whatever was asked for.
    assert.equal(opened.account_name, 'SHOP/ADA OKAFOR')
    assert.equal(there?.customer.email, `${customer.id}@pay.example.com`)
    assert.deepEqual(await readAccount(till, opened.id), opened)
    await till.double.fault('close_account', 'error_before')
    assert.equal(
      (await must(till.live('PATCH', `/virtual-accounts/${opened.id}/close`))).status,
      'closed',
    )
    await until(async () => there?.assigned === false, 20_000)
    assert.deepEqual(await till.eventsOf(opened.id), [])
    await till.assertSound()
  })

  it('is one for each customer at the bank: a second is refused, also at the same moment', async () => {
    const customer = await newCustomer(till)
    const before = till.double.live.books.accounts.length
    const answers = await Promise.all([openAccount(till, customer), openAccount(till, customer)])
    const first = answers.find(({ status }) => status === 201)
    const second = answers.find(({ status }) => status === 409)
    assert.ok(first && second, JSON.stringify(answers.map(({ body }) => body)))
    const third = await openAccount(till, customer)
    assert.deepEqual([third.status, third.code], [409, 'account_exists'])
    assert.match(third.body.message, new RegExp(first.data.id))
    assert.equal(till.double.live.books.accounts.length, before + 1)
    await till.assertSound()
  })

  it('splits a whole name at its last space, and says what the bank needs more', async () => {
    const named = await newCustomer(till, {
      first_name: undefined,
      last_name: undefined,
      name: 'Ada Ngozi Okafor',
    })
    assert.equal((await must(openAccount(till, named))).account_name, 'SHOP/ADA NGOZI OKAFOR')
    for (const more of [
      { phone: undefined },
      { first_name: undefined, last_name: undefined, name: 'Ada' },
    ]) {
      const customer = await newCustomer(till, more)
      const refused = await openAccount(till, customer)
      assert.deepEqual([refused.status, refused.code], [400, 'customer_incomplete'])
    }
  })

  for (const [setting, code] of [
    [{ dedicatedAccounts: 'not_enabled' }, 'not_enabled'],
    [{ dedicatedLimit: 0 }, 'limit_reached'],
    [{ identificationRequired: true }, 'kyc_required'],
  ] as const)
    it(`is refused at once with ${code} when Paystack opens none, and leaves nothing`, async (t) => {
      const { settings } = till.double.live
      const usual = { ...settings }
      Object.assign(settings, setting)
      t.after(() => Object.assign(settings, usual))
      const refused = await openAccount(till, await newCustomer(till), { reference: code })
      assert.deepEqual([refused.status, refused.code], [400, code])
      Object.assign(settings, usual)
      assert.equal(
        (await openAccount(till, await newCustomer(till), { reference: code })).status,
        201,
      )
    })

  it('is refused when Paystack says something else', async () => {
    await till.double.fault('open_account', 'status_false')
    const refused = await openAccount(till, await newCustomer(till))
    assert.deepEqual([refused.status, refused.code], [400, 'account_rejected'])
  })

  for (const fault of [
    'timeout_after',
    'reset_after',
    'error_after',
    'truncated',
    'other_currency',
  ] as const)
    it(`is opened once when the answer is lost: ${fault}`, async () => {
      const customer = await newCustomer(till)
      await till.double.fault('open_account', fault)
      const pending = await must(openAccount(till, customer))
      assert.deepEqual(
        [pending.status, pending.account_number, pending.bank_name, pending.bank_code],
        ['pending', null, null, null],
      )
      await till.pass(minuteMs)
      const account = await readAccount(till, pending.id)
      const mine = till.double.live.books.accounts.filter(
        (one) => one.number === account.account_number,
      )
      assert.deepEqual([account.status, mine.length], ['active', 1])
      assert.deepEqual(await till.eventsOf(pending.id), ['virtual_account.activated'])
      await till.assertSound()
    })

  for (const [operation, fault] of [
    ['create_customer', 'error_before'],
    ['create_customer', 'no_connection'],
    ['list_accounts', 'html'],
    ['open_account', 'rate_limited'],
    ['open_account', 'unauthorized'],
  ] as const)
    it(`comes when Paystack is there again: ${operation} ${fault}`, async () => {
      const customer = await newCustomer(till)
      await till.double.fault(operation, fault)
      const pending = await must(openAccount(till, customer))
      assert.equal(pending.status, 'pending')
      await till.double.clearFaults()
      await till.pass(2 * minuteMs)
      assert.equal((await readAccount(till, pending.id)).status, 'active')
      await till.assertSound()
    })

  it('is found again by who asks again, when the server was gone between the answer and the commit', async () => {
    const customer = await newCustomer(till)
    const scope = await scopeOf(till.server.app, till.server.businessId, true)
    const lost = await prepare(outside(till.server.app, scope), {
      customer: customer.id,
      currency: 'ngn',
    })
    assert.equal(lost.opened.answer.state, 'open')
    const before = till.double.live.books.accounts.length
    const opened = await must(openAccount(till, customer))
    assert.equal(till.double.live.books.accounts.length, before)
    assert.equal(opened.account_number, till.double.live.books.accounts.at(-1)?.number)
  })
})

describe('a live virtual account that comes later', () => {
  let till: Till
  before(async () => {
    till = await openInlet({ settings: { dedicatedAccounts: 'later' } })
  })
  after(() => till.stop())

  const waiting = async (): Promise<{ opened: Json; id: number; customer: Json }> => {
    const customer = await newCustomer(till)
    const opened = await must(openAccount(till, customer))
    assert.deepEqual([opened.status, opened.account_number], ['pending', null])
    return { opened, customer, id: till.double.live.books.accounts.at(-1)?.id as number }
  }

  it('is active when its webhook says that there is something to ask, once', async () => {
    const { opened, id } = await waiting()
    assert.equal(opened.provider_reference, String(id))
    const closed = await till.live('PATCH', `/virtual-accounts/${opened.id}/close`)
    assert.deepEqual([closed.status, closed.code], [400, 'account_not_active'])
    till.double.live.account.assign(id)
    const [told] = await till.double.live.events.deliver()
    await till.double.live.events.inject(
      told?.event as string,
      JSON.parse(told?.body as string).data,
    )
    await until(async () => (await readAccount(till, opened.id)).status === 'active')
    assert.deepEqual(await till.eventsOf(opened.id), ['virtual_account.activated'])
    await till.pass(hourMs)
    assert.deepEqual(await till.eventsOf(opened.id), ['virtual_account.activated'])
    await till.assertSound()
  })

  it('is active by its timer when no webhook comes', async () => {
    const { opened, id } = await waiting()
    await till.pass(minuteMs)
    assert.equal((await readAccount(till, opened.id)).status, 'pending')
    till.double.live.account.assign(id)
    till.double.live.events.queue.splice(0)
    await till.pass(hourMs)
    const active = await readAccount(till, opened.id)
    assert.equal(active.status, 'active')
    const listed = (await must(till.live('GET', '/events?type=virtual_account.activated'))) as Json
    assert.deepEqual(listed.docs[0].payload.account_number, active.account_number)
    await till.assertSound()
  })

  it('is found by its customer when Paystack has never said what it calls the account', async () => {
    const customer = await newCustomer(till)
    await till.double.fault('open_account', 'timeout_after')
    const opened = await must(openAccount(till, customer))
    assert.equal(opened.provider_reference, null)
    till.double.live.account.assign(till.double.live.books.accounts.at(-1)?.id as number)
    await till.double.live.events.deliver()
    await until(async () => (await readAccount(till, opened.id)).status === 'active')
    await till.assertSound()
  })

  it('fails when its bank does not assign it, and the customer may ask again', async () => {
    const { opened, id, customer } = await waiting()
    const twice = await openAccount(till, customer)
    assert.deepEqual([twice.status, twice.code], [409, 'account_exists'])
    till.double.live.account.fail(id)
    await till.double.live.events.deliver()
    await until(async () => (await readAccount(till, opened.id)).status === 'failed')
    const failed = await readAccount(till, opened.id)
    assert.deepEqual([failed.failure_reason, failed.account_number], ['rejected', null])
    assert.deepEqual(await till.eventsOf(opened.id), ['virtual_account.failed'])
    assert.equal((await must(openAccount(till, customer))).status, 'pending')
    await till.assertSound()
  })

  it('is asked about daily after three days, when a person is told; and the books miss what is forgotten', async () => {
    const { opened, id } = await waiting()
    for (let day = 0; day < 5; day++) await till.pass(24 * hourMs)
    const incidents = await listIncidents(till.server.app.db, { rail: 'paystack' })
    assert.ok(incidents.some(({ kind, subject }) => kind === 'stuck' && subject === opened.id))
    await till.server.app.db.query(
      "delete from timers where subject = $1 and task = 'virtual_accounts.ask'",
      [opened.id],
    )
    const { differences } = await verifyBooks(till.server.app)
    assert.deepEqual(
      differences.map(({ what }) => what),
      [`virtual account ${opened.id}`],
    )
    till.double.live.account.assign(id)
    await till.double.live.events.deliver()
    await until(async () => (await readAccount(till, opened.id)).status === 'active')
    await till.assertSound()
  })
})

describe('a live virtual account of a business to which Paystack gives none', () => {
  it('fails when its answer was lost, instead of being pending for ever, and a person is told', async (t) => {
    const till = await openInlet()
    t.after(() => till.stop())
    await till.double.fault('open_account', 'error_before')
    const pending = await must(openAccount(till, await newCustomer(till)))
    assert.equal(pending.status, 'pending')
    till.double.live.settings.dedicatedAccounts = 'not_enabled'
    await till.pass(minuteMs)
    const failed = await readAccount(till, pending.id)
    assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'not_enabled'])
    assert.deepEqual(await till.eventsOf(pending.id), ['virtual_account.failed'])
    const incidents = await listIncidents(till.server.app.db, { rail: 'paystack' })
    assert.deepEqual(
      incidents.map(({ kind, subject }) => [kind, subject]),
      [['needs_attention', 'dedicated accounts']],
    )
    // Its key is in order: only this feature is missing.
    const check = await till.server.app.rails.live.accounts.paystack?.check?.()
    assert.equal(check?.keyWorks, true)
    assert.ok(
      check?.warnings.some((warning) => /gives this business no dedicated accounts/.test(warning)),
    )
    await till.assertSound()
  })
})

describe('a customer whose account at Paystack is gone', () => {
  let till: Till
  before(async () => {
    till = await openInlet()
  })
  after(() => till.stop())

  it('is given another number once theirs was closed, which Paystack still calls active', async () => {
    const customer = await newCustomer(till)
    const first = await must(openAccount(till, customer))
    await must(till.live('PATCH', `/virtual-accounts/${first.id}/close`))
    const [there] = till.double.live.books.accounts.slice(-1)
    await until(async () => there?.assigned === false, 20_000)
    assert.equal(there?.active, true)
    const second = await must(openAccount(till, customer))
    assert.equal(second.status, 'active')
    assert.notEqual(second.account_number, first.account_number)
    await till.assertSound()
  })

  it('is made anew where Paystack knows them of another integration only', async () => {
    const customer = await newCustomer(till)
    const first = await must(openAccount(till, customer))
    await must(till.live('PATCH', `/virtual-accounts/${first.id}/close`))
    const { books } = till.double.live
    const [there] = books.accounts.slice(-1)
    await until(async () => there?.assigned === false, 20_000)
    books.accounts.splice(books.accounts.indexOf(there as NonNullable<typeof there>), 1)
    books.customers.splice(
      books.customers.indexOf(there?.customer as (typeof books.customers)[number]),
      1,
    )
    const second = await must(openAccount(till, customer))
    assert.equal(second.status, 'active')
    assert.notEqual(books.accounts.at(-1)?.customer.code, there?.customer.code)
    await till.assertSound()
  })
})

describe('the bank of dedicated accounts', () => {
  it('is warned about at start when Paystack does not have it', async (t) => {
    const till = await openInlet({ account: { dva_bank: 'no-such-bank' } })
    t.after(() => till.stop())
    const check = await till.server.app.rails.live.accounts.paystack?.check?.()
    assert.ok(
      check?.warnings.some((warning) => /dva_bank: .*'no-such-bank'.*wema-bank/.test(warning)),
    )
  })
})
