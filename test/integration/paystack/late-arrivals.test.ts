/**
 * Goal: a person is shown an order that was failed and that Paystack pays all the same, and the
 * merchant's wallet has its money once. Method: requests that reach the double of Paystack after
 * `bursar outgoing fail`, then its webhooks and its statement.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hold, release } from '../../../src/app/outgoing.ts'
import { listIncidents } from '../../../src/platform/incidents/incidents.ts'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { newReference } from '../../doubles/paystack/asking.ts'
import { runCommand } from '../../support/command-line.ts'
import { type Json, must, until } from '../../support/harness.ts'
import { minuteMs } from '../../support/paystack.ts'
import type { Shop } from '../../support/paystack-cards.ts'
import { giveBack, openShop, sell, transferAt } from '../../support/paystack-refunds.ts'

describe('an order that was failed, and reaches Paystack after that', () => {
  let till: Shop
  before(async () => {
    till = await openShop()
    till.double.live.events.url = `${till.server.url}/rails/paystack/live/webhook`
  })
  after(() => till.stop())

  const balance = async () => {
    const wallets = await must(till.live('GET', '/wallets'))
    return wallets.find(({ currency }: Json) => currency === 'ngn').available
  }
  const incidentsOf = async (about: string) =>
    (await listIncidents(till.server.app.db, {}))
      .filter(({ subject }) => subject === about)
      .map(({ kind, detail }) => `${kind}: ${detail.found}`)
  const statusOf = async (table: string, id: string): Promise<string | undefined> =>
    (
      await till.server.app.db.query<{ status: string }>(
        `select status from ${table} where id = $1`,
        [id],
      )
    )[0]?.status
  const unclaimed = async (): Promise<bigint> =>
    (
      await till.server.app.db.query<{ balance: bigint }>(
        `select coalesce(sum(balance), 0)::bigint as balance from ledger_accounts where livemode and purpose = 'unclaimed'`,
      )
    )[0]?.balance as bigint
  const refundsOf = () => till.double.live.books.refunds
  /** What Paystack names the movement by, once it has paid it. */
  const paidRefund = (): string => {
    const { id } = refundsOf().at(-1) as { id: number }
    till.double.live.refund.process(id)
    return `refund ${id}`
  }

  const kinds = {
    payout: {
      operation: 'transfer',
      table: 'payouts',
      async start() {
        return (await till.payOut()).id
      },
      money: balance,
      paid(id: string) {
        till.double.live.transfer.succeed(`po-${id}`)
        return `payout ${till.transfersOf(id)[0]?.code}`
      },
    },
    refund: {
      operation: 'refund',
      table: 'refunds',
      async start() {
        return (await giveBack(till, await sell(till, 'card'), { amount: 200_000 })).id
      },
      money: balance,
      paid: paidRefund,
    },
    return: {
      operation: 'refund',
      table: 'provider_returns',
      async start() {
        const { id } = await transferAt(till, newReference('tr'), 300_000)
        await till.pass(31 * minuteMs)
        const { out, err } = await runCommand(till.server.app, [
          ...['rails', 'return', 'paystack', String(id), '--by', 'Ada', '--mode', 'live', '--json'],
        ])
        assert.equal(err, '')
        return JSON.parse(out).id
      },
      money: unclaimed,
      paid: paidRefund,
    },
  } as const

  for (const [name, kind] of Object.entries(kinds))
    it(`is an incident, and moves no money here: ${name}`, async () => {
      const { app } = till.server
      await till.double.fault(kind.operation, 'arrives_late')
      const id = await kind.start()
      const held = await kind.money()
      // It is not sent again under the same reference.
      await hold(app)
      await till.pass(11 * minuteMs)
      const failed = await runCommand(app, [
        ...['outgoing', 'fail', id, '--by', 'Ada', '--reason', 'Paystack does not list it'],
      ])
      assert.equal(failed.code, 0, failed.err)
      const released = await kind.money()
      if (name === 'return') assert.equal(released, held)
      else assert.ok(released > held)
      assert.equal(await statusOf(kind.table, id), 'failed')

      till.double.arrive()
      const subject = kind.paid(id)
      await till.double.live.events.deliver()
      await until(async () => (await incidentsOf(id)).length > 0)
      assert.match(
        (await incidentsOf(id))[0] as string,
        /^quarantined: it is failed here and its money is released, and paystack says that it is (completed|processing)$/,
      )
      await till.pass(31 * minuteMs)
      const { findings } = await reconcile(
        app,
        findReconcilable(app, true, 'paystack') as ReconciledAccount,
      )
      assert.deepEqual(
        findings.filter((one) => one.subject === subject).map((one) => one.kind),
        ['missing_here'],
      )
      assert.deepEqual([await statusOf(kind.table, id), await kind.money()], ['failed', released])
      await release(app, 'Ada')
      await till.assertSound()
    })
})
