import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  day,
  type Merchant,
  minute,
  most,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { bankByCode } from '../../platform/lookups/banks.ts'
import { isAbaRouting, isNuban, luhnCheckDigit } from '../../rails/reference/bank-numbers.ts'

describe('virtual accounts', () => {
  let server: TestServer
  let merchant: Merchant
  let customer: { id: string; name: string }
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
    customer = await merchant.addCustomer({ name: 'Ada Okafor' })
  })
  after(() => server.stop())

  const read = async (id: string) => (await server.call('GET', `/virtual-accounts/${id}`)).data

  it('are static by default, carry the customer’s name, and read back as they were answered', async () => {
    const made = await merchant.openAccount({
      customer: customer.id,
      currency: 'ngn',
      reference: 'static-1',
      metadata: { shelf: 'A4' },
    })
    const { id, account_number, created_at, updated_at, ...rest } = made
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.equal(created_at, updated_at)
    assert.deepEqual(rest, {
      reference: 'static-1',
      customer: customer.id,
      payment: null,
      currency: 'ngn',
      kind: 'static',
      amount: null,
      expires_at: null,
      account_name: 'Ada Okafor',
      bank_name: 'Wema Bank',
      bank_code: '035',
      routing_number: null,
      status: 'active',
      failure_reason: null,
      provider_reference: null,
      livemode: false,
      metadata: { shelf: 'A4' },
    })
    assert.deepEqual(await read(id), made)
    const named = await merchant.openAccount({
      customer: customer.id,
      currency: 'ngn',
      account_name: 'Ada’s Books',
    })
    assert.equal(named.account_name, 'Ada’s Books')
    assert.equal(named.reference, null)
    // A customer may have several, each with a number of its own.
    assert.notEqual(named.account_number, account_number)
  })

  it('have numbers of banks that exist: a NUBAN in naira', async () => {
    const banks: { code: string; name: string }[] = (await server.call('GET', '/misc/ng/banks'))
      .data
    for (let i = 0; i < 20; i++) {
      const { bank_code, bank_name, account_number } = await merchant.openAccount({
        customer: customer.id,
        currency: 'ngn',
      })
      assert.equal(banks.find((bank) => bank.code === bank_code)?.name, bank_name)
      const institution = bankByCode('ng', bank_code)?.nuban_institution
      assert.ok(isNuban(institution as string, account_number), account_number)
    }
  })

  it('have a routing number and a check digit in dollars', async () => {
    for (let i = 0; i < 20; i++) {
      const account = await merchant.openAccount({ customer: customer.id, currency: 'usd' })
      assert.ok(isAbaRouting(account.routing_number), account.routing_number)
      assert.equal(account.bank_code, account.routing_number)
      assert.match(account.account_number, /^\d{4,17}$/)
      assert.equal(
        luhnCheckDigit(account.account_number.slice(0, -1)),
        Number(account.account_number.at(-1)),
      )
    }
  })

  it('can be dynamic: for one amount, for 24 hours, in the business’s name', async () => {
    const start = await merchant.now()
    const account = await merchant.openAccount({
      kind: 'dynamic',
      currency: 'ngn',
      amount: 250_000,
    })
    assert.deepEqual(
      [account.kind, account.amount, account.customer, account.account_name],
      ['dynamic', 250_000, null, 'Test Business'],
    )
    assert.equal(Date.parse(account.expires_at) - Date.parse(account.created_at), day)
    assert.ok(Date.parse(account.created_at) >= start)
    const own = await merchant.openAccount({
      kind: 'dynamic',
      currency: 'usd',
      amount: most,
      customer: customer.id,
      expires_at: new Date(start + 30 * day - minute).toISOString(),
    })
    assert.deepEqual(
      [own.customer, own.account_name, own.amount],
      [customer.id, 'Ada Okafor', most],
    )
    const short = await merchant.openAccount({
      kind: 'dynamic',
      currency: 'ngn',
      amount: 1,
      expires_at: new Date((await merchant.now()) + 6 * minute).toISOString(),
    })
    assert.ok(Date.parse(short.expires_at) - Date.parse(short.created_at) <= 6 * minute)
  })

  it('refuse input that fits no kind, and leave no trace', async () => {
    const at = async (ms: number) => new Date((await merchant.now()) + ms).toISOString()
    const dynamic = { kind: 'dynamic', currency: 'ngn', amount: 1_000 }
    const own = { customer: customer.id, currency: 'ngn' }
    const bad: [Record<string, unknown>, string][] = [
      [{ currency: 'ngn' }, 'customer'],
      [{ kind: 'static', currency: 'usd' }, 'customer'],
      [{ ...own, amount: 1_000 }, 'amount'],
      [{ ...own, expires_at: await at(day) }, 'expires_at'],
      [{ kind: 'dynamic', currency: 'ngn' }, 'amount'],
      [{ ...dynamic, amount: 0 }, 'amount'],
      [{ ...dynamic, amount: -1 }, 'amount'],
      [{ ...dynamic, amount: 1.5 }, 'amount'],
      [{ ...dynamic, amount: '1000' }, 'amount'],
      [{ ...dynamic, amount: 9_007_199_254_740_992 }, 'amount'],
      [{ ...dynamic, expires_at: await at(4 * minute) }, 'expires_at'],
      [{ ...dynamic, expires_at: await at(-day) }, 'expires_at'],
      [{ ...dynamic, expires_at: await at(30 * day + minute) }, 'expires_at'],
      [{ ...dynamic, expires_at: 'tomorrow' }, 'expires_at'],
      [{ ...dynamic, expires_at: '2026-02-30T00:00:00Z' }, 'expires_at'],
      [{ ...dynamic, currency: 'eur' }, 'currency'],
      [{ ...dynamic, currency: undefined }, 'currency'],
      [{ ...dynamic, kind: 'daily' }, 'kind'],
      [{ ...dynamic, customer: 'ada' }, 'customer'],
      [{ ...dynamic, account_name: '' }, 'account_name'],
      [{ ...dynamic, account_name: 'x'.repeat(141) }, 'account_name'],
      [{ ...dynamic, account_name: 'a\u0000b' }, 'account_name'],
      [{ ...dynamic, reference: 'a b' }, 'reference'],
      [{ ...dynamic, metadata: [] }, 'metadata'],
      [{ ...dynamic, expries_at: await at(day) }, 'expries_at'],
    ]
    for (const [body, path] of bad) {
      const { data } = await merchant.isRefused(
        'POST',
        '/virtual-accounts',
        body,
        422,
        'validation_failed',
      )
      assert.deepEqual([data[0].path, data[0].location], [path, 'body'], JSON.stringify(body))
    }
  })

  it('belong to customers of the business and mode', async () => {
    const gone = (
      await server.call('POST', '/customers', { name: 'Gone', email: 'gone@example.com' })
    ).data
    assert.equal((await server.call('DELETE', `/customers/${gone.id}`)).status, 200)
    for (const id of [noId, gone.id])
      await merchant.isRefused(
        'POST',
        '/virtual-accounts',
        { customer: id, currency: 'ngn' },
        400,
        'customer_not_found',
      )
    const live = server.callAs(server.liveKey)
    const body = { customer: customer.id, currency: 'ngn' }
    await merchant.isRefused('POST', '/virtual-accounts', body, 400, 'customer_not_found', live)
  })

  it('are listed newest first, by page, cursor and filter', async () => {
    const other = (
      await server.call('POST', '/customers', { name: 'Obi Eze', email: 'obi@example.com' })
    ).data
    const made: { id: string }[] = []
    for (const currency of ['ngn', 'usd', 'ngn'])
      made.push(await merchant.openAccount({ customer: other.id, currency }))
    await server.call('PATCH', `/virtual-accounts/${made[0]?.id}/close`)
    const ids = async (query: string) => {
      const { status, data } = await server.call('GET', `/virtual-accounts?${query}`)
      assert.equal(status, 200)
      return data.docs.map((account: { id: string }) => account.id)
    }
    const [first, second, third] = made.map((account) => account.id)
    assert.deepEqual(await ids(`customer=${other.id}`), [third, second, first])
    assert.deepEqual(await ids(`customer=${other.id}&currency=usd`), [second])
    assert.deepEqual(await ids(`customer=${other.id}&status=closed`), [first])
    assert.deepEqual(await ids(`customer=${other.id}&status=active&currency=ngn`), [third])
    assert.deepEqual(await ids(`customer=${other.id}&status=expired`), [])
    assert.deepEqual(await ids(`customer=${noId}`), [])
    assert.deepEqual(await ids(`customer=${other.id}&limit=2&page=2`), [first])
    assert.deepEqual(await ids(`customer=${other.id}&limit=1&after=${third}`), [second])
    const all = (await server.call('GET', '/virtual-accounts?limit=100')).data
    assert.ok(all.totalDocs > 40 && all.docs.length === all.totalDocs)
    assert.equal(
      (await server.call('GET', `/virtual-accounts?after=${noId}`)).code,
      'invalid_cursor',
    )
    for (const query of [
      'limit=0',
      'limit=101',
      'page=0',
      'currency=eur',
      'customer=x',
      'status=open',
      'kind=static',
    ])
      await merchant.isRefused(
        'GET',
        `/virtual-accounts?${query}`,
        undefined,
        422,
        'validation_failed',
      )
  })

  it('are not found by another mode, business or id', async () => {
    const account = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    const live = server.callAs(server.liveKey)
    for (const [call, id] of [
      [server.call, noId],
      [server.call, 'nonsense'],
      [live, account.id],
    ] as const) {
      await merchant.isRefused('GET', `/virtual-accounts/${id}`, undefined, 404, 'not_found', call)
      await merchant.isRefused(
        'PATCH',
        `/virtual-accounts/${id}/close`,
        undefined,
        404,
        'not_found',
        call,
      )
    }
    for (const id of [noId, 'nonsense'])
      await merchant.isRefused(
        'POST',
        `/virtual-accounts/${id}/simulate-deposit`,
        { amount: 1 },
        404,
        'not_found',
      )
    assert.equal((await live('GET', '/virtual-accounts')).data.totalDocs, 0)
  })

  it('close once', async () => {
    const { id } = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    const closed = await server.call('PATCH', `/virtual-accounts/${id}/close`)
    assert.deepEqual([closed.status, closed.data.status], [200, 'closed'])
    assert.deepEqual(await read(id), closed.data)
    await merchant.isRefused(
      'PATCH',
      `/virtual-accounts/${id}/close`,
      undefined,
      400,
      'account_not_active',
    )
    const { id: raced } = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => server.call('PATCH', `/virtual-accounts/${raced}/close`)),
    )
    assert.deepEqual(answers.map((answer) => answer.code ?? answer.status).sort(), [
      200,
      ...Array.from({ length: 7 }, () => 'account_not_active'),
    ])
  })

  it('of a payment end with it, and are not closed by themselves', async () => {
    const order = {
      amount: 1_000,
      currency: 'ngn',
      methods: ['bank_transfer'],
      customer: customer.id,
    }
    const payment = (await server.call('POST', '/payments', { ...order, metadata: { order: 1 } }))
      .data
    await server.call('POST', `/payments/${payment.id}/simulate`, { outcome: 'underpaid' })
    const { data } = await server.call('GET', '/virtual-accounts?status=active&limit=1')
    const [account] = data.docs
    assert.deepEqual(
      [
        account.payment,
        account.customer,
        account.kind,
        account.amount,
        account.expires_at,
        account.metadata,
      ],
      [payment.id, customer.id, 'dynamic', 1_000, payment.expires_at, { order: 1 }],
    )
    await merchant.isRefused(
      'PATCH',
      `/virtual-accounts/${account.id}/close`,
      undefined,
      400,
      'account_of_payment',
    )
    assert.equal((await server.call('POST', `/payments/${payment.id}/cancel`)).status, 200)
    assert.equal((await read(account.id)).status, 'closed')
    await merchant.isRefused(
      'PATCH',
      `/virtual-accounts/${account.id}/close`,
      undefined,
      400,
      'account_of_payment',
    )
  })

  it('keep a reference for one account, however many ask at once', async (t) => {
    const body = { customer: customer.id, currency: 'ngn', reference: 'raced-1' }
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => server.call('POST', '/virtual-accounts', body)),
    )
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [
      201,
      ...Array.from({ length: 9 }, () => 409),
    ])
    for (const answer of answers)
      if (answer.status === 409)
        assert.deepEqual([answer.code, answer.data], ['duplicate_reference', null])
    await merchant.isRefused(
      'POST',
      '/virtual-accounts',
      { ...body, currency: 'usd' },
      409,
      'duplicate_reference',
    )
    const dynamic = { kind: 'dynamic', currency: 'ngn', amount: 5, reference: 'raced-1' }
    // The rail opens no account that nobody would get.
    const rail = t.mock.method(server.app.rails.test.sandbox.ports.account, 'open')
    await merchant.isRefused('POST', '/virtual-accounts', dynamic, 409, 'duplicate_reference')
    const past = new Date((await merchant.now()) - day).toISOString()
    await merchant.isRefused(
      'POST',
      '/virtual-accounts',
      { ...dynamic, expires_at: past },
      409,
      'duplicate_reference',
    )
    assert.equal(rail.mock.callCount(), 0)
  })

  it('have numbers of their own: one that the business has is drawn again', async (t) => {
    const known = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    const { open } = server.app.rails.test.sandbox.ports.account
    const rail = t.mock.method(
      server.app.rails.test.sandbox.ports.account,
      'open',
      async (request: Parameters<typeof open>[0]) => {
        const said = await open(request)
        const { account_number: accountNumber, bank_code: bankCode } = known
        if (rail.mock.callCount() !== 1 || said.state !== 'open') return said
        return { ...said, account: { ...said.account, accountNumber, bankCode } }
      },
    )
    const next = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    assert.equal(rail.mock.callCount(), 2)
    assert.notEqual(next.account_number, known.account_number)
  })

  it('of holders whose bank answers later are pending, and then active or failed', async () => {
    for (const [account_name, status, failure_reason] of [
      ['Pending Account', 'active', null],
      ['Refused Account', 'failed', 'rejected'],
    ] as const) {
      const made = await merchant.openAccount({
        kind: 'dynamic',
        currency: 'ngn',
        amount: 5_000,
        account_name,
      })
      assert.deepEqual([made.status, made.account_number, made.bank_name], ['pending', null, null])
      await merchant.advance('1m')
      const ended = await until(async () => {
        const now = await read(made.id)
        return now.status === 'pending' ? null : now
      })
      const { docs } = (
        await server.call(
          'GET',
          `/events?type=virtual_account.${status.replace('active', 'activated')}`,
        )
      ).data
      assert.deepEqual(docs[0].payload, ended)
      assert.deepEqual(
        [ended.status, ended.failure_reason, ended.account_name],
        [status, failure_reason, account_name],
      )
      assert.equal(ended.account_number === null, status === 'failed')
    }
  })

  it('expire at their time, when they are dynamic', async () => {
    const soon = await merchant.openAccount({
      kind: 'dynamic',
      currency: 'ngn',
      amount: 1_000,
      expires_at: new Date((await merchant.now()) + 10 * minute).toISOString(),
    })
    const later = await merchant.openAccount({ kind: 'dynamic', currency: 'ngn', amount: 1_000 })
    const closed = await merchant.openAccount({ kind: 'dynamic', currency: 'ngn', amount: 1_000 })
    const lasting = await merchant.openAccount({ customer: customer.id, currency: 'ngn' })
    await server.call('PATCH', `/virtual-accounts/${closed.id}/close`)
    const moved = await server.call('POST', '/test/clock', { advance: '11m' })
    const fired = moved.data.fired.filter((timer: { subject: string }) => timer.subject === soon.id)
    assert.deepEqual(
      fired.map((timer: { task: string; due_at: string }) => [timer.task, timer.due_at]),
      [['virtual_accounts.expire', soon.expires_at]],
    )
    assert.equal((await read(soon.id)).status, 'expired')
    assert.equal((await read(soon.id)).updated_at, soon.expires_at)
    assert.equal((await read(later.id)).status, 'active')
    await merchant.isRefused(
      'PATCH',
      `/virtual-accounts/${soon.id}/close`,
      undefined,
      400,
      'account_not_active',
    )
    await merchant.advance('25h')
    assert.equal((await read(later.id)).status, 'expired')
    assert.equal((await read(closed.id)).status, 'closed')
    assert.equal((await read(lasting.id)).status, 'active')
  })

  it('need a rail, then a verified identity, in live mode', async (t) => {
    const live = server.callAs(server.liveKey)
    const { data } = await live('POST', '/customers', {
      name: 'Live One',
      email: 'live@example.com',
    })
    const own = { customer: data.id, currency: 'ngn' }
    // Without a rail nobody is sent to verify a customer, for which there is no rail either.
    await merchant.isRefused('POST', '/virtual-accounts', own, 400, 'rail_not_configured', live)
    await merchant.isRefused(
      'POST',
      '/virtual-accounts',
      { ...own, currency: 'usd' },
      400,
      'rail_not_configured',
      live,
    )
    const dynamic = { kind: 'dynamic', currency: 'ngn', amount: 1_000 }
    await merchant.isRefused('POST', '/virtual-accounts', dynamic, 400, 'rail_not_configured', live)
    await merchant.isRefused(
      'POST',
      '/virtual-accounts',
      { ...dynamic, customer: data.id },
      400,
      'rail_not_configured',
      live,
    )
    const path = `/virtual-accounts/${noId}/simulate-deposit`
    await merchant.isRefused('POST', path, { amount: 1 }, 403, 'test_mode_only', live)
    const { rails, terms } = server.app
    for (const { live, test } of [rails, terms]) {
      t.after(() => Object.assign(live, { accounts: {}, routes: {} }))
      Object.assign(live, { accounts: test.accounts, routes: { 'account.ngn': ['sandbox'] } })
    }
    await merchant.isRefused('POST', '/virtual-accounts', own, 400, 'kyc_required', live)
    // Live mode has no verifier yet, so the documents are put there by hand. A passport is not
    // enough; a nin is.
    const verified = (type: string) =>
      server.app.db.query(
        `insert into customer_documents (business_id, livemode, customer_id, id_type, id_number, masked, status,
                                         verified_at, created_at, updated_at)
         select business_id, livemode, id, $2, '', '', 'verified', created_at, created_at, created_at
           from customers where id = $1`,
        [data.id, type],
      )
    await verified('passport')
    await merchant.isRefused('POST', '/virtual-accounts', own, 400, 'kyc_required', live)
    await verified('nin')
    assert.equal((await live('POST', '/virtual-accounts', own)).status, 201)
  })
})
