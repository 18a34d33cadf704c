/**
 * Goal: nobody turns a seller's money to another account unseen. Method: keys of several scopes
 * name and change destinations of shares; then the audit log, the events, and what settling pays
 * before and after the cooling-off.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assertRefused, bankAccount, type Json } from '../../../test/support/actors.ts'
import { keyWith } from '../../../test/support/approvers.ts'
import { must, startServer, type TestServer } from '../../../test/support/harness.ts'
import { half, newSharingMerchant, type SharingMerchant } from '../../../test/support/sharing.ts'

describe('destinations of shares', () => {
  let server: TestServer
  let merchant: SharingMerchant
  let clerk: Awaited<ReturnType<typeof keyWith>>
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    merchant = newSharingMerchant(server)
    clerk = await keyWith(server, ['read', 'collect', 'payout'])
  })
  after(() => server.stop())

  const entries = async (): Promise<Json[]> =>
    (await merchant.ask('GET', '/audit?action=distribution.destination_changed')).docs
  const events = async (): Promise<Json[]> =>
    (await merchant.ask('GET', '/events?type=distribution.destination_changed')).docs
  const elsewhere = { ...half[0], destination: bankAccount('0123456701') }

  it('are named and changed by who may manage alone', async () => {
    const make = (shares: object[]) =>
      clerk.call('POST', '/distributions', { name: 'Makers', currency: 'ngn', shares })
    await assertRefused(server, 403, 'scope_missing', () => make(half))
    assert.equal((await merchant.ask('GET', '/distributions')).totalDocs, 0)
    const { id: open } = await must(make([{ name: 'Ada', percentage_bps: 5_000 }]))
    assert.deepEqual([await entries(), await events()], [[], []])

    const plan = await merchant.makePlan(half)
    const told = [(await entries()).length, (await events()).length]
    for (const [of, shares] of [
      [plan.id, [elsewhere]],
      [plan.id, [{ name: 'Ada', percentage_bps: 5_000 }]],
      [plan.id, [{ name: 'Bola', percentage_bps: 100, destination: bankAccount() }, ...half]],
      [open, half],
    ] as const)
      await assertRefused(server, 403, 'scope_missing', () =>
        clerk.call('PUT', `/distributions/${of}`, { shares }),
      )
    assert.deepEqual((await merchant.readPlan(plan)).shares, plan.shares)
    assert.deepEqual([(await entries()).length, (await events()).length], told)

    // Unchanged where it goes.
    const more = {
      name: 'Others',
      shares: [
        { ...half[0], percentage_bps: 4_000 },
        { name: 'Bola', percentage_bps: 1 },
      ],
    }
    const changed = await must(clerk.call('PUT', `/distributions/${plan.id}`, more))
    const { destination_changed_at, destination_changed_by } = plan.shares[0]
    assert.deepEqual(
      [changed.shares[0].destination_changed_at, changed.shares[0].destination_changed_by],
      [destination_changed_at, destination_changed_by],
    )
    assert.deepEqual([(await entries()).length, (await events()).length], told)
  })

  it('are in the audit log and in an event when they change, with who changed them', async () => {
    const plan = await merchant.makePlan(half)
    const { id, destination, destination_changed_by } = plan.shares[0]
    const [made] = await entries()
    assert.deepEqual(
      [made?.subject, made?.before, made?.after.destination],
      [id, null, destination],
    )
    assert.deepEqual(
      [destination_changed_by.type, destination_changed_by.id, destination_changed_by.hint],
      ['key', made?.actor.id, made?.actor.hint],
    )
    const manager = await keyWith(server, ['collect', 'manage'])
    const changed = await must(
      manager.call('PUT', `/distributions/${plan.id}`, { shares: [elsewhere] }),
    )
    const [entry] = await entries()
    assert.deepEqual(
      [
        entry?.subject,
        entry?.actor.id,
        entry?.before.destination,
        entry?.after.destination.account_number,
      ],
      [id, manager.id, destination, '0123456701'],
    )
    assert.deepEqual((await events())[0]?.payload, changed)
    assert.equal(changed.shares[0].destination_changed_by.id, manager.id)
    // Taken away, and nothing more once it is.
    for (const count of [1, 1]) {
      await merchant.ask('PUT', `/distributions/${plan.id}`, {
        shares: [{ name: 'Ada', percentage_bps: 5_000 }],
      })
      const own = (await entries()).filter(({ subject }) => subject === id)
      assert.equal(own.length, 2 + count)
      assert.deepEqual(own[0]?.after.destination, null)
    }
  })

  it('are paid at once where the plan is new', async () => {
    const plan = await merchant.makePlan(half)
    await merchant.sell([plan, 100_000, 1])
    const { payouts, skipped } = await merchant.settle(plan)
    assert.deepEqual([payouts.length, skipped], [1, []])
  })

  it('are paid once they have cooled off, and say until then who changed them', async () => {
    const plan = await merchant.makePlan(half)
    await merchant.sell([plan, 100_000, 1])
    const { shares } = await merchant.ask('PUT', `/distributions/${plan.id}`, {
      shares: [elsewhere],
    })
    const {
      accrued: _1,
      settled: _2,
      removed: _3,
      percentage_bps: _4,
      flat_amount: _5,
      name: _6,
      id,
      ...paidTo
    } = shares[0]
    assert.equal(
      Date.parse(paidTo.destination_usable_from) - Date.parse(paidTo.destination_changed_at),
      24 * 3_600_000,
    )
    const { shares: previewed } = await merchant.ask('POST', `/distributions/${plan.id}/preview`, {
      amount: 1_000,
    })
    assert.deepEqual(previewed, [{ id, name: 'Ada', amount: 500, ...paidTo }])
    const wallet = await merchant.available()
    for (let i = 0; i < 2; i++) {
      const { payouts, skipped } = await merchant.settle(plan)
      const message = `The destination was changed: it can be paid from ${paidTo.destination_usable_from}.`
      assert.deepEqual(payouts, [])
      assert.deepEqual(skipped, [
        { share: id, amount: 50_000, code: 'destination_cooling_off', message, ...paidTo },
      ])
    }
    assert.deepEqual([await merchant.held(plan), await merchant.available()], [[50_000], wallet])
    await merchant.advance('24h')
    const { payouts, skipped } = await merchant.settle(plan)
    assert.deepEqual(skipped, [])
    const [{ payout: _payout, reference: _reference, ...paid }] = payouts
    assert.deepEqual(paid, { share: id, amount: 50_000, ...paidTo })
  })

  it('are paid by a key only where they are beneficiaries, if keys pay no others', async () => {
    const plan = await merchant.makePlan(half)
    await merchant.sell([plan, 100_000, 1])
    const manager = await keyWith(server, ['manage'])
    await must(
      manager.call('PUT', '/limits', {
        payouts_by_key: 'beneficiaries',
        beneficiary_cooling_off_hours: 0,
      }),
    )
    const { payouts, skipped } = await merchant.settle(plan)
    assert.deepEqual([payouts, skipped[0].code], [[], 'destination_not_allowed'])
    assert.deepEqual(await merchant.held(plan), [50_000])
    const saved = { label: 'Ada', method: 'bank_transfer', destination: bankAccount() }
    await must(manager.call('POST', '/beneficiaries', saved))
    assert.equal((await merchant.settle(plan)).payouts.length, 1)
    await must(manager.call('PUT', '/limits', { payouts_by_key: 'any' }))
  })
})
