/**
 * Goal: a payout goes to the whole of what its beneficiary has saved, and to none that is too new;
 * keys pay nobody else where the business says so. Method: keys of several scopes over HTTP, the
 * test clock, and a wallet that is held while a beneficiary is changed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertRefused, newBusiness, newMerchant, noId } from '../../../test/support/actors.ts'
import { type KeyHolder, keyWith } from '../../../test/support/approvers.ts'
import {
  type Answer,
  type Json,
  must,
  shareServer,
  type TestServer,
} from '../../../test/support/harness.ts'
import { holdWallets } from '../../../test/support/held.ts'
import { signIn } from '../../../test/support/people.ts'
import type { Actor } from '../../core/app.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import { Refusal } from '../../lib/errors.ts'
import { rightsOf } from '../../platform/team/team.ts'
import { create, prepare } from '../payouts/payouts.ts'
import { openPayees } from './beneficiaries.ts'
import { confirm } from './confirming.ts'

const bank = (account_number = '0123456789') => ({ bank_code: '058', account_number })
const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

describe('beneficiaries', () => {
  let server: TestServer
  let manager: KeyHolder
  let payer: KeyHolder
  let count = 0
  before(async () => {
    server = await shareServer({ SANDBOX_DELAY: '1h' })
    await server.fund('ngn', 100_000_000)
    await server.fund('usd', 100_000_000)
    manager = await keyWith(server, ['manage', 'read'])
    payer = await keyWith(server, ['payout', 'read'])
  })
  after(() => server.stop())

  const rules = (change: object) => must(manager.call('PUT', '/limits', change))
  const save = (more: object = {}, by = manager): Promise<Json> =>
    must(
      by.call('POST', '/beneficiaries', {
        label: `Payee ${++count}`,
        method: 'bank_transfer',
        destination: bank(`1${String(count).padStart(9, '0')}`),
        ...more,
      }),
    )
  /** One that has cooled off. */
  const usable = async (more: object = {}): Promise<Json> => {
    await rules({ beneficiary_cooling_off_hours: 0 })
    const saved = await save(more)
    await rules({ beneficiary_cooling_off_hours: 24 })
    return saved
  }
  const pay = (more: object, by = payer): Promise<Answer> =>
    by.call('POST', '/payouts', {
      reference: `payee-${++count}`,
      amount: 100_000,
      currency: 'ngn',
      ...more,
    })
  const change = (id: string, body: object, by = manager): Promise<Answer> =>
    by.call('PATCH', `/beneficiaries/${id}`, body)
  const refused = async (answer: Promise<Answer>): Promise<string> => (await answer).code as string
  const advance = (by: string) => must(server.call('POST', '/test/clock', { advance: by }))

  it('are saved with the name that the bank knows, found, changed, exported and deleted', async () => {
    const saved = await save({
      label: 'Okafor Supplies',
      destination: bank('0123456789'),
      metadata: { a: 1 },
    })
    assert.equal(saved.destination.bank_name, 'Guaranty Trust Bank')
    assert.equal(saved.verified_name, saved.destination.resolved_account_name)
    assert.ok(saved.verified_name.length > 3)
    assert.deepEqual(
      [saved.status, saved.own, saved.confirmed_at, saved.metadata],
      ['cooling_off', false, null, { a: 1 }],
    )
    assert.equal(Date.parse(saved.usable_from) - Date.parse(saved.created_at), 86_400_000)
    assert.deepEqual(await must(payer.call('GET', `/beneficiaries/${saved.id}`)), saved)
    const crypto = await save({
      method: 'crypto',
      destination: { currency: 'usdc', chain: 'base', address },
    })
    assert.deepEqual([crypto.verified_name, crypto.destination.address], [null, address])

    const found = async (query: string) =>
      (await must(payer.call('GET', `/beneficiaries?${query}`))).docs.map(({ id }: Json) => id)
    const word = saved.verified_name.split(' ')[0].toLowerCase()
    for (const text of ['okafor sup', word, '0123456789', saved.id])
      assert.ok((await found(`search=${encodeURIComponent(text)}`)).includes(saved.id), text)
    assert.deepEqual(await found(`search=${address.toLowerCase()}`), [crypto.id])
    assert.deepEqual(await found('method=crypto'), [crypto.id])
    assert.deepEqual(await found('status=active'), [])
    assert.deepEqual(await found('own=true'), [])
    assert.deepEqual(await found('status=cooling_off&limit=1'), [crypto.id])

    const renamed = await must(change(saved.id, { label: 'Okafor & Sons' }))
    assert.deepEqual(
      [renamed.label, renamed.usable_from, renamed.metadata],
      ['Okafor & Sons', saved.usable_from, { a: 1 }],
    )
    const csv = await (
      await fetch(`${server.url}/beneficiaries/export`, {
        headers: { authorization: `Bearer ${payer.key}` },
      })
    ).text()
    assert.match(csv, /^id,created_at,label/)
    assert.match(csv, /Okafor & Sons/)

    assert.equal((await must(manager.call('DELETE', `/beneficiaries/${saved.id}`))).id, saved.id)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal((await manager.call(method, `/beneficiaries/${saved.id}`)).status, 404)
    assert.equal(await refused(pay({ beneficiary: saved.id })), 'beneficiary_not_found')
    const entries = (await must(manager.call('GET', '/audit'))).docs.filter(
      ({ subject }: Json) => subject === saved.id,
    )
    assert.deepEqual(
      entries.map(({ action }: Json) => action),
      ['beneficiary.removed', 'beneficiary.changed', 'beneficiary.created'],
    )
    assert.deepEqual(
      [entries[1].before, entries[1].after],
      [{ label: 'Okafor Supplies' }, { label: 'Okafor & Sons' }],
    )
    const timeline = await must(manager.call('GET', `/explain/${saved.id}`))
    assert.deepEqual([timeline.kind, timeline.status], ['beneficiary', 'deleted'])
  })

  it('are refused as payouts refuse where they go, when they are saved and when they are changed', async () => {
    const saved = await save()
    const crypto = (more: object) => ({
      method: 'crypto',
      destination: { currency: 'usdc', chain: 'base', address, ...more },
    })
    for (const [body, status, code] of [
      [
        { method: 'bank_transfer', destination: { ...bank(), currency: 'usd' } },
        400,
        'currency_mismatch',
      ],
      [
        {
          method: 'bank_transfer',
          destination: { bank_code: '999', account_number: '0123456789' },
        },
        400,
        'unknown_bank',
      ],
      [{ method: 'bank_transfer', destination: bank('01234567') }, 400, 'invalid_destination'],
      [{ method: 'bank_transfer', destination: bank('0000000003') }, 400, 'account_not_found'],
      [crypto({ chain: 'solana' }), 400, 'unsupported_chain'],
      [crypto({ address: address.replace('A', 'a') }), 400, 'invalid_address'],
      [{ method: 'bank_transfer', destination: { bank_code: '058' } }, 422, 'validation_failed'],
    ] as const) {
      await assertRefused(server, status, code, () =>
        manager.call('POST', '/beneficiaries', { label: 'No', ...body }),
      )
      await assertRefused(server, status, code, () => change(saved.id, body))
    }
    await assertRefused(server, 400, 'invalid_destination', () =>
      change(saved.id, { method: 'crypto' }),
    )
    const live = server.callAs(server.liveKey)
    const body = { method: 'bank_transfer', destination: bank() }
    assert.equal(
      await refused(live('POST', '/beneficiaries', { label: 'No', ...body })),
      'rail_not_configured',
    )
    await server.app.db.query('update beneficiaries set livemode = true where id = $1', [saved.id])
    assert.equal(
      await refused(live('PATCH', `/beneficiaries/${saved.id}`, body)),
      'rail_not_configured',
    )
    assert.equal((await change(saved.id, {})).status, 404, 'of the other mode')
  })

  it('are the business’s alone, and need the scope manage', async () => {
    const saved = await usable()
    const stranger = await newBusiness(server)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal((await stranger(method, `/beneficiaries/${saved.id}`)).status, 404)
    const answer = await stranger('POST', '/payouts', {
      reference: 'theirs',
      amount: 100,
      currency: 'ngn',
      beneficiary: saved.id,
    })
    assert.deepEqual([answer.status, answer.code], [400, 'beneficiary_not_found'])
    assert.equal(await refused(payer.call('POST', '/beneficiaries', {})), 'scope_missing')
    assert.equal(await refused(pay({ beneficiary: noId })), 'beneficiary_not_found')
  })

  it('are paid by name: the payout has a copy, and the price of a quote', async () => {
    const saved = await usable({ destination: bank('0123456789') })
    const quote = await must(
      payer.call('POST', '/payouts/quote', {
        amount: 100_000,
        currency: 'ngn',
        method: 'bank_transfer',
        destination: bank('0123456789'),
      }),
    )
    const payout = await must(pay({ beneficiary: saved.id, quote: quote.id }))
    assert.deepEqual(
      [payout.beneficiary, payout.method, payout.fee],
      [saved.id, 'bank_transfer', quote.fee],
    )
    assert.deepEqual(payout.destination, saved.destination)
    const listed = await must(payer.call('GET', `/payouts?beneficiary=${saved.id}`))
    assert.deepEqual([listed.totalDocs, listed.docs[0]], [1, payout])
    await must(change(saved.id, { destination: bank('0000000011') }))
    await must(manager.call('DELETE', `/beneficiaries/${saved.id}`))
    assert.deepEqual(await must(payer.call('GET', `/payouts/${payout.reference}`)), payout)
    assert.deepEqual((await must(payer.call('GET', `/explain/${payout.id}`))).related.beneficiary, [
      saved.id,
    ])
    for (const [body, path] of [
      [{}, 'method'],
      [{ method: 'bank_transfer' }, 'destination'],
      [{ beneficiary: saved.id, destination: bank() }, 'destination'],
    ] as const) {
      const answer = await pay(body)
      assert.deepEqual([answer.status, answer.data[0].path], [422, path])
    }
    const other = await usable()
    assert.equal((await pay({ beneficiary: other.id, method: 'crypto' })).status, 422)
    assert.equal(
      (await must(pay({ beneficiary: other.id, method: 'bank_transfer' }))).beneficiary,
      other.id,
    )
    const byHand = await must(pay({ method: 'bank_transfer', destination: bank('0123456789') }))
    assert.equal(byHand.beneficiary, null)
  })

  it('cool off when they are new and when they are paid elsewhere, by the clock of the business', async () => {
    const saved = await save()
    const early = await pay({ beneficiary: saved.id })
    assert.deepEqual([early.status, early.code], [400, 'beneficiary_cooling_off'])
    assert.ok(early.body.message.includes(saved.usable_from), early.body.message)
    await advance('1d')
    assert.equal((await must(payer.call('GET', `/beneficiaries/${saved.id}`))).status, 'active')
    await must(pay({ beneficiary: saved.id }))
    const same = await must(
      change(saved.id, {
        destination: { ...bank(saved.destination.account_number), country: 'ng' },
      }),
    )
    assert.deepEqual([same.status, same.usable_from], ['active', saved.usable_from])
    const moved = await must(change(saved.id, { destination: bank('0000000012') }))
    assert.deepEqual(
      [moved.status, moved.destination.account_number],
      ['cooling_off', '0000000012'],
    )
    assert.notEqual(moved.verified_name, saved.verified_name)
    assert.equal(await refused(pay({ beneficiary: saved.id })), 'beneficiary_cooling_off')
    await rules({ beneficiary_cooling_off_hours: 0 })
    assert.equal(
      await refused(pay({ beneficiary: saved.id })),
      'beneficiary_cooling_off',
      'what cools off goes on to',
    )
    await rules({ beneficiary_cooling_off_hours: 24 })
    await advance('1d')
    assert.equal(
      (await must(pay({ beneficiary: saved.id }))).destination.account_number,
      '0000000012',
    )
  })

  it('are whom keys pay alone, where the business says so: by any way to a payout; people pay anybody', async () => {
    const saved = await usable({ destination: bank('0000000021') })
    const cooling = await save({ destination: bank('0000000022') })
    const to = (account: string) => ({ method: 'bank_transfer', destination: bank(account) })
    await rules({ payouts_by_key: 'beneficiaries' })
    try {
      const answer = await pay(to('0000000029'))
      assert.deepEqual([answer.status, answer.code], [403, 'destination_not_allowed'])
      assert.match(answer.body.message, /058 0000000029/)
      assert.equal(await refused(pay(to('0000000022'))), 'beneficiary_cooling_off')
      assert.equal(await refused(pay({ beneficiary: cooling.id })), 'beneficiary_cooling_off')
      assert.equal((await must(pay(to('0000000021')))).beneficiary, null)
      await must(pay({ beneficiary: saved.id }))
      const quote = await must(
        payer.call('POST', '/payouts/quote', {
          amount: 100_000,
          currency: 'ngn',
          ...to('0000000029'),
        }),
      )
      assert.equal(
        await refused(pay({ ...to('0000000029'), quote: quote.id })),
        'destination_not_allowed',
      )

      const accounts = ['0000000021', '0000000029', '0000000021', '0000000022']
      const together = await Promise.all(accounts.map((account) => pay(to(account))))
      assert.deepEqual(
        together.map(({ status, code }) => (status === 201 ? 'paid' : code)),
        ['paid', 'destination_not_allowed', 'paid', 'beneficiary_cooling_off'],
      )

      const merchant = newMerchant(server)
      await rules({ beneficiary_cooling_off_hours: 0 })
      const shares = [{ name: 'Eve', percentage_bps: 5_000, destination: bank('0000000029') }]
      const plan = await merchant.create('/distributions', {
        name: 'Half',
        currency: 'ngn',
        shares,
      })
      await rules({ beneficiary_cooling_off_hours: 24 })
      const product = await merchant.create('/products', {
        name: 'Shoes',
        amount: 500_000,
        currency: 'ngn',
        distribution: plan.id,
      })
      const customer = await merchant.addCustomer()
      const lines = [{ product: product.id, quantity: 1 }]
      const invoice = await merchant.create('/invoices', { customer: customer.id, lines })
      const { payment } = await must(server.call('POST', `/invoices/${invoice.id}/finalize`))
      await must(
        server.call('POST', `/payments/${payment}/simulate`, {
          outcome: 'completed',
          method: 'card',
        }),
      )
      const settled = await must(payer.call('POST', `/distributions/${plan.id}/settle`))
      assert.deepEqual([settled.payouts, settled.skipped[0].code], [[], 'destination_not_allowed'])

      const ada = await acting('finance')
      const order = await prepare(ada, {
        reference: 'by-hand',
        amount: 100_000,
        currency: 'ngn',
        ...to('0000000029'),
      } as never)
      assert.equal((await ada.write((work) => create(work, order))).status, 'pending')
    } finally {
      await rules({ payouts_by_key: 'any' })
    }
    await must(pay(to('0000000029')))
  })

  it('are added and changed by no key that could pay them, while keys pay them alone; nor are the rules loosened by it', async () => {
    const saved = await usable()
    const all = { call: server.call } as KeyHolder
    await must(change(saved.id, { label: 'By the same key' }, all))
    await must(
      all.call('PUT', '/limits', {
        payouts_by_key: 'beneficiaries',
        beneficiary_cooling_off_hours: 25,
      }),
    )
    const body = { label: 'Eve', method: 'bank_transfer', destination: bank('0000000031') }
    await assertRefused(server, 403, 'beneficiaries_not_by_payer', () =>
      all.call('POST', '/beneficiaries', body),
    )
    await assertRefused(server, 403, 'beneficiaries_not_by_payer', () =>
      change(saved.id, { label: 'Eve' }, all),
    )
    for (const looser of [{ payouts_by_key: 'any' }, { beneficiary_cooling_off_hours: 24 }])
      assert.equal(await refused(all.call('PUT', '/limits', looser)), 'limits_not_loosened')
    assert.equal(
      (await all.call('DELETE', `/beneficiaries/${saved.id}`)).status,
      200,
      'which allows nothing',
    )
    const after = await rules({ payouts_by_key: 'any', beneficiary_cooling_off_hours: 24 })
    assert.deepEqual([after.payouts_by_key, after.beneficiary_cooling_off_hours], ['any', 24])
  })

  it('cost payouts that need none of this no statement', async () => {
    const scope = await scopeOf(server.app, server.businessId, false)
    const payout = {
      scope,
      destination: { currency: 'ngn' as const },
      beneficiary: null,
      listed: false,
    }
    const refusePayee = await openPayees(
      { rows: () => assert.fail('nothing is to be read') } as never,
      [payout],
    )
    refusePayee(0)
  })

  it('are one destination whole, or none, for a payout beside a change; of two changes the last stands whole', async () => {
    const saved = await usable({ destination: bank('0000000041') })
    const held = await holdWallets(server)
    // The change waits for the wallet first, and the payout, which has read the old destination,
    // behind it.
    const changed = change(saved.id, { destination: bank('0000000042') })
    await held.waiting(1)
    const paid = pay({ beneficiary: saved.id })
    await held.waiting(2)
    await held.release()
    assert.equal((await must(changed)).status, 'cooling_off')
    const answer = await paid
    assert.deepEqual([answer.status, answer.code], [409, 'beneficiary_changed'])

    const raced = await usable()
    await rules({ beneficiary_cooling_off_hours: 0 })
    const accounts = ['0000000051', '0000000052', '0000000053']
    const answers = await Promise.all([
      ...accounts.map((account) =>
        change(raced.id, { label: account, destination: bank(account) }),
      ),
      ...accounts.map(() => pay({ beneficiary: raced.id })),
    ])
    for (const { status, code, data } of answers.slice(accounts.length))
      if (status === 201) assert.equal(data.destination.resolved_account_name.length > 0, true)
      else assert.equal(code, 'beneficiary_changed')
    const last = await must(payer.call('GET', `/beneficiaries/${raced.id}`))
    assert.equal(last.label, last.destination.account_number)
    assert.equal(
      last.verified_name,
      answers.find(({ data }) => data?.label === last.label)?.data.verified_name,
    )
    await rules({ beneficiary_cooling_off_hours: 24 })
  })

  /**
   * What a person is answered with, who has a role, and showed a second factor so long ago; null:
   * has shown none.
   */
  async function acting(role: 'finance' | 'admin', provedMsAgo: number | null = 0): Promise<Ctx> {
    const { personId: id, email: hint } = await signIn(server, role)
    const at = server.app.clock.now()
    const provedAt = provedMsAgo === null ? null : new Date(at.getTime() - provedMsAgo)
    const actor: Actor = {
      type: 'person',
      id,
      hint,
      scopes: rightsOf(role, false),
      address: '127.0.0.1',
      at,
      provedAt,
    }
    return outside(server.app, { ...(await scopeOf(server.app, server.businessId, false)), actor })
  }

  it('are accounts of one’s own once a person says so with a fresh second factor, until they are paid elsewhere', async () => {
    const saved = await save({ own: true })
    assert.deepEqual([saved.own, saved.confirmed_at, saved.confirmed_by], [true, null, null])
    const other = await save()
    const codeOf = async (ctx: Ctx, id: string): Promise<string> => {
      try {
        const { data } = await server.call('GET', `/beneficiaries/${id}`)
        await ctx.write((work) => confirm(work, id, data?.updated_at ?? ''))
        return 'done'
      } catch (error) {
        assert.ok(error instanceof Refusal, String(error))
        return error.code
      }
    }
    assert.equal(await codeOf(await acting('admin', null), saved.id), 'factor_needed')
    assert.equal(await codeOf(await acting('admin', 31 * 60_000), saved.id), 'sign_in_again')
    assert.equal(await codeOf(await acting('finance'), saved.id), 'scope_missing')
    const obi = await acting('admin')
    assert.equal(await codeOf(obi, other.id), 'beneficiary_not_own')
    assert.equal(await codeOf(obi, noId), 'not_found')
    assert.equal(await codeOf(obi, saved.id), 'done')
    assert.equal(await codeOf(await acting('admin'), saved.id), 'done')
    const confirmed = await must(payer.call('GET', `/beneficiaries/${saved.id}`))
    assert.equal(confirmed.confirmed_by, obi.scope.actor?.type === 'person' && obi.scope.actor.id)
    assert.equal(
      (await must(manager.call('GET', '/audit?action=beneficiary.confirmed'))).totalDocs,
      1,
    )
    assert.equal(
      (await must(change(saved.id, { label: 'Ours' }))).confirmed_by,
      confirmed.confirmed_by,
    )
    const moved = await must(change(saved.id, { destination: bank('0000000061') }))
    assert.deepEqual([moved.confirmed_at, moved.confirmed_by], [null, null])
    assert.equal((await server.call('POST', `/beneficiaries/${saved.id}/confirm`)).status, 404)
  })
})
