/**
 * Goal: names and banks come from Paystack for a live key; how an account stands is told; what
 * waits for a person goes on when he says so. Method: whole servers over the double of Paystack.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accountsNow } from '../../../src/api/installation/installation.ts'
import { linesOf } from '../../../src/app/cli/rails.ts'
import { unblockAccount } from '../../../src/rails/records/blocks.ts'
import { must, until } from '../../support/harness.ts'
import { minuteMs, openTill, type Till } from '../../support/paystack.ts'

const hourMs = 60 * minuteMs

describe('names of holders, as Paystack says', () => {
  let till: Till
  before(async () => {
    till = await openTill()
  })
  after(() => till.stop())

  const resolve = (account: string, bank = '058') =>
    till.live('GET', `/misc/ng/resolve?bank_code=${bank}&account_number=${account}`)
  const asked = () => till.double.requests.filter(({ operation }) => operation === 'resolve').length

  it('are asked for once a day', async () => {
    till.double.live.bank.name('058', '0123456789', 'CHIOMA BELLO')
    const before = asked()
    assert.equal((await must(resolve('0123456789'))).account_name, 'CHIOMA BELLO')
    till.double.live.bank.name('058', '0123456789', 'CHIOMA BELLO-ADE')
    assert.equal((await must(resolve('0123456789'))).account_name, 'CHIOMA BELLO')
    assert.equal(asked(), before + 1)
    await till.pass(25 * hourMs)
    assert.equal((await must(resolve('0123456789'))).account_name, 'CHIOMA BELLO-ADE')
  })

  it('tell an account that does not exist from a bank that does not answer', async () => {
    till.double.live.bank.name('058', '0123456780', null)
    assert.equal((await resolve('0123456780')).code, 'account_not_found')
    for (const fault of [
      'error_after',
      'rate_limited',
      'timeout_after',
      'html',
      'other_reference',
      'unauthorized',
    ] as const) {
      await till.double.fault('resolve', fault)
      assert.equal((await resolve('0123456781')).code, 'bank_lookup_unavailable', fault)
      await till.pass(minuteMs)
    }
    assert.equal((await must(resolve('0123456781'))).account_name, 'ADA NGOZI OKAFOR')
    assert.deepEqual(till.double.violations, [])
  })

  it('have a limit of their own: beyond it nothing else waits', async () => {
    await till.double.fault('resolve', 'rate_limited')
    assert.equal((await resolve('0123456782')).code, 'bank_lookup_unavailable')
    const check = await till.server.app.rails.live.accounts.paystack?.check?.()
    assert.deepEqual([check?.keyWorks, check?.obstacle, check?.warnings], [true, null, []])
    assert.equal((await must(resolve('0123456782'))).account_name, 'ADA NGOZI OKAFOR')
  })
})

describe('the banks that Paystack lists', () => {
  it('are shown and paid to with a live key, and the built-in ones with a test key', async (t) => {
    const till = await openTill()
    t.after(() => till.stop())
    const codes = async (call = till.live) =>
      new Map(
        (
          (await must(call('GET', '/misc/ng/banks'))) as unknown as { code: string; name: string }[]
        ).map((bank) => [bank.code, bank.name]),
      )
    const task = till.server.app.rails.live.accounts.paystack?.tasks?.[0]
    const listed = await until(async () => {
      await task?.run('test')
      const all = await codes()
      return all.has('090999') && all
    })
    const builtIn = await codes(till.server.call)
    assert.equal(builtIn.size, 177)
    // One more of those that take money; what is switched off, or takes none, was never shown.
    assert.deepEqual(
      [...listed.keys()].filter((code) => !builtIn.has(code)),
      ['090999'],
    )
    assert.equal(builtIn.has('090999'), false)
    const destination = { bank_code: '090999', account_number: '0123456789' }
    const { id } = await till.payOut(1_000_000, { destination })
    assert.equal(till.transfersOf(id)[0]?.recipient.bank.name, 'Harmattan Microfinance Bank')

    // The next day: one has another name, one is switched off, and one is no longer there.
    const { banks } = till.double.live.bank
    const rename = banks.find(({ code }) => code === '057')
    const close = banks.find(({ code }) => code === '011')
    Object.assign(rename as object, { name: 'Zenith Bank Plc' })
    Object.assign(close as object, { active: false })
    t.after(() => {
      Object.assign(rename as object, { name: 'Zenith Bank' })
      Object.assign(close as object, { active: true })
    })
    await till.pass(25 * hourMs)
    // A list that breaks off hides nothing.
    await till.double.fault('list_banks', 'truncated')
    await task?.run('test')
    assert.equal((await codes()).get('011'), builtIn.get('011'))
    await task?.run('test')
    const changed = await codes()
    assert.deepEqual(
      [changed.get('057'), changed.has('011'), changed.size],
      ['Zenith Bank Plc', false, listed.size - 1],
    )
    const refused = await till.live('POST', '/payouts', {
      reference: 'to-a-closed-bank',
      amount: 1_000_000,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: { bank_code: '011', account_number: '0123456789' },
    })
    assert.equal(refused.code, 'unknown_bank')
    assert.equal((await codes(till.server.call)).has('011'), true)
    assert.deepEqual(till.double.violations, [])
  })
})

describe('how an account stands', () => {
  it('is told with its balance, and why its payouts wait', async (t) => {
    const till = await openTill({ settings: { otp: true } })
    t.after(() => till.stop())
    const standing = async () =>
      (await accountsNow(till.server.app)).find(({ name }) => name === 'paystack')
    const well = await standing()
    assert.deepEqual(
      [well?.key, well?.obstacle, well?.balances.ngn, well?.warnings],
      ['works', null, BigInt(till.double.live.books.pots.balance), []],
    )
    const first = await till.payOut()
    const second = await till.payOut()
    const blocked = await standing()
    assert.equal(blocked?.obstacle, 'otp_required')
    assert.match(
      linesOf(blocked as NonNullable<typeof blocked>).join('\n'),
      /payouts {2}wait: otp_required/,
    )
    // The operator switches it off at Paystack, types the code of the first, and says so.
    till.double.live.settings.otp = false
    till.double.live.transfer.release(`po-${first.id}`)
    assert.equal(
      (await unblockAccount(till.server.app.db, true, 'paystack'))?.obstacle,
      'otp_required',
    )
    assert.equal(await unblockAccount(till.server.app.db, true, 'paystack'), null)
    await till.pass(10 * minuteMs)
    for (const { id } of [first, second]) till.double.live.transfer.succeed(`po-${id}`)
    await till.pass(hourMs)
    for (const { reference } of [first, second])
      assert.equal((await till.payout(reference)).status, 'completed')
    await till.assertSound()
  })

  it('says when the key is not taken, and when nobody answers', async (t) => {
    const till = await openTill()
    t.after(() => till.stop())
    const standing = async () =>
      (await accountsNow(till.server.app)).find(({ name }) => name === 'paystack')
    till.double.rollKey('live')
    const refused = await standing()
    assert.deepEqual([refused?.key, refused?.obstacle], ['refused', 'bad_credentials'])
    await till.double.disconnect()
    const away = await standing()
    assert.deepEqual([away?.key, away?.obstacle], ['unknown', 'provider_down'])
  })

  it('is a refusal at start when Paystack says that it is of the other mode', async (t) => {
    const till = await openTill()
    t.after(() => till.stop())
    await till.payOut()
    await till.double.fault('list_transfers', 'other_mode')
    const check = await till.server.app.rails.live.accounts.paystack?.check?.()
    assert.equal(check?.fatal, 'Paystack says that this account is in test mode')
  })
})
