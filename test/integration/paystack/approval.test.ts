/**
 * Goal: where Paystack asks before it pays, it pays what is being paid here and nothing else,
 * whoever has the key. Method: the double asks over HTTP about each transfer, ours and a thief's;
 * and bodies like its own are posted by hand.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accountsNow } from '../../../src/api/installation/installation.ts'
import { linesOf } from '../../../src/app/cli/rails.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import { askerOf, dataOf } from '../../doubles/paystack/asking.ts'
import { sign } from '../../doubles/paystack/webhooks.ts'
import { type Json, must, until } from '../../support/harness.ts'
import { minuteMs, openTill, type Till } from '../../support/paystack.ts'
import { ended, giveBack, openShop, refundOf, sell } from '../../support/paystack-refunds.ts'

/** The address that `bursar rails status` prints for the account, and the same without its end. */
async function addressesOf({ server }: Till): Promise<{ printed: string; bare: string }> {
  const account = (await accountsNow(server.app)).find(({ name }) => name === 'paystack')
  assert.ok(account?.approval)
  assert.ok(linesOf(account).includes(`  approval ${account.approval}`))
  const printed = `${server.url}${new URL(account.approval).pathname}`
  assert.match(printed, /\/rails\/paystack\/live\/approve\/[0-9a-f]{64}$/)
  return { printed, bare: printed.replace(/\/[^/]+$/, '') }
}

/** What the double was answered about a transfer. */
const answerTo = ({ double }: Till, reference: string): Promise<number> =>
  until(
    async () =>
      double.live.approvals.findLast((one) => one.reference === reference)?.status ?? null,
  )

const refusalsOf = async ({ server }: Till, reference = '') =>
  (await listIncidents(server.app.db, {})).filter(
    ({ kind, subject }) => kind === 'approval_refused' && subject === reference,
  )

/** Asks as Paystack would. @param secret what it is signed with, or null for no signature */
async function post(url: string, body: Json | string, secret: string | null): Promise<number> {
  const raw = typeof body === 'string' ? body : JSON.stringify(body)
  const headers: Record<string, string> =
    secret === null ? {} : { 'x-paystack-signature': sign(raw, secret) }
  const response = await fetch(url, { method: 'POST', body: raw, headers })
  await response.arrayBuffer()
  return response.status
}

describe('transfers that Paystack asks about', () => {
  let till: Till
  let url: { printed: string; bare: string }
  before(async () => {
    till = await openTill()
    url = await addressesOf(till)
    till.double.live.settings.approvalUrl = url.printed
  })
  after(() => till.stop())

  it('are approved where they are payouts that are being paid', async () => {
    const { id, reference } = await till.payOut()
    assert.equal(await answerTo(till, `po-${id}`), 200)
    till.double.live.transfer.succeed(`po-${id}`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.deepEqual(await refusalsOf(till, `po-${id}`), [])
    await till.assertSound()
  })

  for (const end of ['printed', 'bare'] as const)
    it(`are rejected where a thief made them with the key, and pay nobody: the ${end} address`, async () => {
      till.double.live.settings.approvalUrl = url[end]
      const { books } = till.double.live
      const before = books.pots.balance
      const { reference } = dataOf(await askerOf(till.double).transfer(7_000_000))
      assert.equal(await answerTo(till, reference), 400)
      await until(async () => books.transfer(reference).status === 'rejected')
      assert.equal(books.pots.balance, before)
      const [incident] = await refusalsOf(till, reference)
      assert.deepEqual(incident?.detail, {
        why: 'nothing here has this reference',
        reference,
        amount: 7_000_000,
        currency: 'ngn',
        account: 'XXXXXX6789',
      })
      till.double.live.settings.approvalUrl = url.printed
    })

  it('are rejected when anything differs from the payout, or it is not being paid any more', async () => {
    const { id, reference } = await till.payOut()
    assert.equal(await answerTo(till, `po-${id}`), 200)
    const { body } = till.double.live.approvals.findLast((one) => one.reference === `po-${id}`) as {
      body: string
    }
    const asked = JSON.parse(body) as Json
    const to = (details: object) => ({
      recipient: { ...asked.recipient, details: { ...asked.recipient.details, ...details } },
    })
    const posted = (more: object) => post(url.printed, { ...asked, ...more }, till.double.keys.live)
    assert.equal(await posted({}), 200)
    assert.equal(
      await post(url.bare, { event: 'transfer.approve', data: asked }, till.double.keys.live),
      200,
    )
    assert.equal(await post(url.printed, asked, null), 200)
    for (const [more, why] of [
      [{ amount: asked.amount + 1 }, 'it is of another amount'],
      [{ amount: asked.amount - 1 }, 'it is of another amount'],
      [to({ account_number: '0123456789' }), 'it goes to another account'],
      [to({ bank_code: '044' }), 'it goes to another account'],
    ] as const) {
      assert.equal(await posted(more), 400)
      const [incident] = await refusalsOf(till, `po-${id}`)
      assert.deepEqual([incident?.detail.why, incident?.business_id], [why, till.server.businessId])
    }
    const later = { reference: `po-${id}-2` }
    assert.equal(await posted(later), 400)
    till.double.live.transfer.succeed(`po-${id}`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    assert.equal(await posted({}), 400)
    const [incident] = await refusalsOf(till, `po-${id}`)
    assert.deepEqual([incident?.detail.why, incident?.times], ['the payout is completed', 5])
  })

  it('are rejected where what is asked cannot be read, and the incident says which fields there are', async () => {
    const key = till.double.keys.live
    const domain = { domain: 'test', currency: 'NGN', reference: 'po-x', amount: 1 }
    for (const body of [
      '<html>',
      '',
      '[]',
      'null',
      '{"data":',
      { event: 'charge.success', data: { amount: '1' } },
      domain,
      {
        currency: 'NGN',
        reference: 'a\u0000b',
        amount: 1,
        recipient: { details: { account_number: '1', bank_code: '2' } },
      },
      {
        currency: 'NGN',
        reference: 'x'.repeat(201),
        amount: 1,
        recipient: { details: { account_number: '1', bank_code: '2' } },
      },
      { currency: 'NGN', to: { account_number: '9876543210' }, 'od\u0000d': 1, recipient: 12 },
    ])
      assert.equal(await post(url.bare, body, key), 400, JSON.stringify(body))
    const [incident] = await refusalsOf(till)
    assert.equal(incident?.times, 10)
    assert.match(String(incident?.detail.why), /it has: currency to odd recipient/)
    assert.doesNotMatch(JSON.stringify(incident?.detail), /9876543210/)
  })

  it('are neither approved nor read where nobody has signed, and the address is not the account’s', async () => {
    const { id } = await till.payOut()
    assert.equal(await answerTo(till, `po-${id}`), 200)
    const { body } = till.double.live.approvals.at(-1) as { body: string }
    const other = await accountsNow(till.server.app)
    assert.equal(other.find(({ name }) => name === 'bank')?.approval, null)
    const before = (await listIncidents(till.server.app.db, {})).length
    for (const [to, secret, status] of [
      [url.bare, null, 401],
      [url.bare, till.double.keys.test, 401],
      [`${url.bare}/${'0'.repeat(64)}`, null, 401],
      [`${url.printed}0`, 'wrong', 401],
      [url.printed.replace('/paystack/', '/bank/'), till.double.keys.live, 404],
      [url.printed.replace('/live/', '/test/'), till.double.keys.live, 404],
      [`${url.printed}/more`, till.double.keys.live, 404],
    ] as const)
      assert.equal(await post(to, body, secret), status, to)
    assert.equal(await post(url.bare, body.replace(/"amount":\d+/, '"amount":1'), 'wrong'), 401)
    assert.equal(await post(url.bare, 'x'.repeat(1024 * 1024 + 1), till.double.keys.live), 413)
    assert.equal((await fetch(url.printed)).status, 405)
    assert.equal((await listIncidents(till.server.app.db, {})).length, before)
  })

  it('are not approved while that cannot be decided', async () => {
    const { id } = await till.payOut()
    assert.equal(await answerTo(till, `po-${id}`), 200)
    const { body } = till.double.live.approvals.at(-1) as { body: string }
    const { strategies } = till.server.app
    const { approvers } = strategies
    strategies.approvers = [() => Promise.reject(new Error('the database is gone'))]
    try {
      assert.equal(await post(url.printed, body, till.double.keys.live), 503)
    } finally {
      strategies.approvers = approvers
    }
    await till.assertSound()
  })
})

describe('a transfer under the reference of a payout that was not sent', () => {
  it('is rejected while the payout is pending, and when it is canceled', async (t) => {
    const till = await openTill({ account: { payout_float_min: 9_999_000_000 } })
    t.after(() => till.stop())
    const { printed } = await addressesOf(till)
    till.double.live.settings.approvalUrl = printed
    const ask = askerOf(till.double)
    const { id, reference, destination } = await till.payOut()
    const account = { account_number: destination.account_number, bank_code: '058' }
    const recipient = dataOf(await ask.recipient(account)).recipient_code
    assert.equal((await till.payout(reference)).status, 'pending')
    await ask.transfer(996_500, { recipient, reference: `po-${id}` })
    assert.equal(await answerTo(till, `po-${id}`), 400)
    await until(async () => till.double.live.books.transfer(`po-${id}`).status === 'rejected')
    const { body } = till.double.live.approvals.at(-1) as { body: string }
    await must(till.live('POST', `/payouts/${reference}/cancel`))
    assert.equal(await post(printed, body, till.double.keys.live), 400)
    const [incident] = await refusalsOf(till, `po-${id}`)
    assert.deepEqual(
      [incident?.detail.why, incident?.times],
      ['nothing here has this reference', 2],
    )
    await till.assertSound()
  })

  it('is rejected while the payout is pending again, as its rail refused it', async (t) => {
    const till = await openTill()
    t.after(() => till.stop())
    const { printed } = await addressesOf(till)
    await till.double.fault('transfer', 'unauthorized', { times: 99 })
    const { id, reference, destination } = await till.payOut()
    assert.equal((await till.payout(reference)).status, 'pending')
    const details = { account_number: destination.account_number, bank_code: '058' }
    const asked = {
      reference: `po-${id}`,
      amount: 996_500,
      currency: 'NGN',
      recipient: { details },
    }
    assert.equal(await post(printed, asked, till.double.keys.live), 400)
    assert.equal((await refusalsOf(till, `po-${id}`))[0]?.detail.why, 'the payout is pending')
    till.double.live.settings.approvalUrl = printed
    await till.double.clearFaults()
    await till.pass(2 * minuteMs)
    assert.equal(await answerTo(till, `po-${id}-2`), 200)
    assert.equal(await post(printed, asked, till.double.keys.live), 400)
    assert.equal((await refusalsOf(till, `po-${id}`))[0]?.detail.why, 'it is another submission')
    till.double.live.transfer.succeed(`po-${id}-2`)
    await till.pass(minuteMs)
    assert.equal((await till.payout(reference)).status, 'completed')
    await till.assertSound()
  })
})

describe('a refund to an account that the merchant names', () => {
  it('is a transfer that Paystack asks about, and is approved; one that has ended is not', async (t) => {
    const shop = await openShop()
    t.after(() => shop.stop())
    const { printed } = await addressesOf(shop)
    shop.double.live.settings.approvalUrl = printed
    const sold = await sell(shop, 'bank_transfer')
    const refund = await giveBack(shop, sold, {
      destination: { bank_code: '058', account_number: '0123456789' },
    })
    const reference = `po-${refund.payout}`
    assert.equal(await answerTo(shop, reference), 200)
    shop.double.live.transfer.succeed(reference)
    await ended(shop, sold, refund)
    assert.equal((await refundOf(shop, refund)).status, 'completed')
    const { body } = shop.double.live.approvals.at(-1) as { body: string }
    // By the address alone: the double of this shop has a certificate of its own.
    assert.equal(await post(printed, body, null), 400)
    assert.equal((await refusalsOf(shop, reference))[0]?.detail.why, 'the payout is completed')
    await shop.assertSound()
  })
})

describe('whoever asks with a bad signature', () => {
  it('is limited by address and account, apart from webhooks', async (t) => {
    const till = await openTill({ env: { RATE_LIMIT_MAX: '20' } })
    t.after(() => till.stop())
    const { printed, bare } = await addressesOf(till)
    for (let i = 0; i < 20; i++) assert.equal(await post(bare, '{}', 'wrong'), 401)
    assert.equal(await post(bare, '{}', till.double.keys.live), 429)
    assert.equal(await post(printed, '{}', till.double.keys.live), 429)
    const webhook = bare.replace('/approve', '/webhook')
    assert.equal(await post(webhook, { event: 'ping', data: {} }, till.double.keys.live), 200)
    await must(till.live('GET', '/wallets'))
  })
})
