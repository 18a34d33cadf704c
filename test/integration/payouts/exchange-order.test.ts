/**
 * Goal: whatever makes payouts locks the operator's limits on exchange before wallets, so that none
 * of them deadlock. Method: a limit is held; what waits for it must have left the wallets alone.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { tasks } from '../../../src/app/modules.ts'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { runTask } from '../../../src/paying-out/payout-schedules/payout-schedules.ts'
import { address } from '../../support/actors.ts'
import { keyWith, newPerson, ownAccount } from '../../support/approvers.ts'
import { must, startServer, type TestServer } from '../../support/harness.ts'
import { assertWalletsUnlocked, holdRows } from '../../support/held.ts'
import { operatorOf } from '../../support/operators.ts'
import { newSharingMerchant } from '../../support/sharing.ts'

describe('payouts into another currency', () => {
  const token = { currency: 'usdc', chain: 'base', address }
  let server: TestServer
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    const manager = await keyWith(server, ['manage'])
    await must(manager.call('PUT', '/limits', { beneficiary_cooling_off_hours: 0 }))
    const operator = await operatorOf(server)
    await must(
      operator('PUT', '/operator/exchange/limits', {
        currencies: [{ currency: 'usdc', max_short: 900_000_000_000 }],
      }),
    )
    await server.fund('ngn', 100_000_000)
  })
  after(() => server.stop())

  /** Has something wait for the limit, and looks at the wallets meanwhile. */
  async function waits<T>(act: () => Promise<T>): Promise<T> {
    const held = await holdRows(
      server,
      `select from exchange_limits where currency = 'usdc' and not livemode`,
      [],
    )
    const acting = act()
    await held.waiting(1)
    await assertWalletsUnlocked(server).finally(held.release)
    return acting
  }

  it('wait for the limit before they lock wallets, when shares are settled', async () => {
    const merchant = newSharingMerchant(server)
    const plan = await merchant.makePlan([
      { name: 'Token', percentage_bps: 4_000, destination: token },
    ])
    await merchant.sell([plan, 10_000_000, 1])
    const { payouts } = await waits(() => merchant.settle(plan))
    assert.equal(payouts.length, 1)
  })

  it('wait for the limit before they lock wallets, when a standing payout runs', async () => {
    const payer = await keyWith(server, ['payout', 'read'], newPerson(server))
    const account = await ownAccount(server, { method: 'crypto', destination: token })
    const body = { currency: 'ngn', beneficiary: account.id, interval: 'daily' }
    const { id, next_run_at } = await must(payer.call('POST', '/payout-schedules', body))
    const scope = {
      ...(await scopeOf(server.app, server.businessId, false)),
      now: new Date(next_run_at),
    }
    await waits(async () =>
      tasks[runTask]?.(
        outside(server.app, scope),
        { schedule_id: id },
        new AbortController().signal,
      ),
    )
    const { docs } = await must(payer.call('GET', `/payout-schedules/${id}/runs`))
    assert.equal(docs[0].code, null)
  })
})
