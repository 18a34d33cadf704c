/**
 * Goal: nothing waits without something that will look after it: `bursar ledger verify` finds what
 * was forgotten. Method: of everything that waits, timers and jobs are taken away, one kind after
 * the other.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { verifyBooks } from '../../../src/app/main.ts'
import { checks } from '../../../src/app/modules.ts'
import { newClient } from '../../../src/db/db.ts'
import { reachOf } from '../../../src/db/lists/reach.ts'
import { cards, type Merchant, newMerchant } from '../../support/actors.ts'
import { bankPayout, must, settled, startServer, type TestServer } from '../../support/harness.ts'
import { processing, scriptRail } from '../../support/scripted-rail.ts'

let server: TestServer
let merchant: Merchant

/** What checks find: the name of each check, with what it names. */
const found = async (): Promise<Record<string, string>> => {
  const { differences } = await verifyBooks(server.app)
  return Object.fromEntries(differences.map(({ check, what }) => [check, what]))
}
const forget = (subject: string) =>
  server.app.db.query('delete from timers where subject = $1', [subject])

before(async () => {
  server = await startServer({ SANDBOX_DELAY: '1h' })
  merchant = newMerchant(server)
  await server.fund('ngn', 10_000_000)
})
after(() => server.stop())

describe('what waits and was forgotten', () => {
  it('is looked for by reading all jobs once, and not once for each record, whatever PostgreSQL takes their number for', async () => {
    const client = newClient(server.databaseUrl)
    await client.connect()
    try {
      await client.query('set enable_hashjoin = off; set enable_mergejoin = off')
      for (const reach of [
        reachOf(null),
        reachOf({ position: 1n, closed_at: server.app.clock.now() }),
      ]) {
        const texts = checks.map(({ text }) => (typeof text === 'string' ? text : text(reach)))
        const about = texts.filter((text) => text.includes('graphile_worker._private_jobs'))
        assert.ok(about.length > 10)
        for (const text of about) {
          const { rows } = await client.query<{ plan: string }>(`explain (format json) ${text}`)
          const plan = JSON.stringify(rows)
          assert.doesNotMatch(
            plan,
            /"Join Type":"(Anti|Semi)"|"Parent Relationship":"SubPlan"/,
            text,
          )
          assert.equal(plan.match(/"Relation Name":"_private_jobs"/g)?.length, 1, text)
        }
      }
    } finally {
      await client.end()
    }
  })

  it('is found: a payout that is to be submitted', async () => {
    const { id } = await must(server.call('POST', '/payouts', bankPayout('waits', 100_000)))
    assert.deepEqual(await found(), {})
    await forget(id)
    assert.deepEqual(await found(), {
      'every payout on its way has a timer or a job': `payout ${id} pending`,
    })
    await must(server.call('POST', '/payouts/waits/cancel'))
    assert.deepEqual(await found(), {})
  })

  it('is found: a payout and a refund that are with their rail', async () => {
    const scripted = scriptRail(server)
    const payout = await must(server.call('POST', '/payouts', bankPayout('sent', 100_000)))
    scripted.script.send.push(processing)
    await scripted.submit(payout.id)
    scripted.script.ask.push(processing)
    const { data: refund } = await merchant.refund(await merchant.takePayment('card'))
    await settled(server.app)
    assert.deepEqual(await found(), {})
    await forget(payout.id)
    await forget(refund.id)
    assert.deepEqual(await found(), {
      'every payout on its way has a timer or a job': `payout ${payout.id} processing`,
      'every refund on its way has a timer or a job': `refund ${refund.id} initiated`,
    })
    // A job is as good as a timer; one that is never tried again is not.
    const job = `select (graphile_worker.add_job($1, $2::json, run_at => now() + interval '1 day', max_attempts => 1)).id`
    const whose = { business_id: server.businessId, livemode: false }
    // Nor one of the other mode.
    await server.app.db.query(job, [
      'payouts.ask',
      JSON.stringify({ ...whose, livemode: true, payout_id: payout.id }),
    ])
    assert.equal(Object.keys(await found()).length, 2)
    await server.app.db.query(job, [
      'payouts.ask',
      JSON.stringify({ ...whose, payout_id: payout.id }),
    ])
    await server.app.db.query(job, [
      'refunds.settle',
      JSON.stringify({ ...whose, refund_id: refund.id }),
    ])
    assert.deepEqual(await found(), {})
    await server.app.db.query('update graphile_worker._private_jobs set attempts = max_attempts')
    assert.equal(Object.keys(await found()).length, 2)
    await server.app.db.query('delete from graphile_worker._private_jobs')
    await server.app.db.query(
      "insert into timers select business_id, livemode, id, now(), 'payouts.ask', id, jsonb_build_object('payout_id', id) from payouts where id = $1",
      [payout.id],
    )
    await server.app.db.query(
      "insert into timers select business_id, livemode, id, now(), 'refunds.settle', id, jsonb_build_object('refund_id', id) from refunds where id = $1",
      [refund.id],
    )
    scripted.script.ask.push(processing, processing)
    await settled(server.app)
    assert.deepEqual(await found(), {})
  })

  it('is found: a payment that can be paid, and a card that is being charged', async () => {
    const payment = await merchant.openPayment()
    await forget(payment.id)
    assert.deepEqual(await found(), {
      'every payment that can be paid has a timer or a job': `payment ${payment.id}`,
    })
    await merchant.cancelPayment(payment)
    assert.deepEqual(await found(), {})

    const charged = await merchant.takeCard(cards.lostAnswer)
    const [attempt] = await server.app.db.query<{ id: string; status: string }>(
      'select id, status from payment_attempts where payment_id = $1',
      [charged.id],
    )
    assert.equal(attempt?.status, 'processing')
    assert.deepEqual(await found(), {})
    await forget(attempt?.id as string)
    assert.deepEqual(await found(), {
      'every card that is being charged has a timer or a job': `card attempt ${attempt?.id}`,
    })
    await server.app.db.query(
      "insert into timers select business_id, livemode, id, now() + interval '1 day', 'payments.ask_charge', id, '{}' from payment_attempts where id = $1",
      [attempt?.id],
    )
    assert.deepEqual(await found(), {})
  })

  it('is found: a delivery of a webhook', async () => {
    await must(
      server.call('POST', '/webhooks', {
        url: 'https://example.invalid/hook',
        events: ['payout.initiated'],
      }),
    )
    await must(server.call('POST', '/payouts', bankPayout('told', 100_000)))
    await must(server.call('POST', '/payouts/told/cancel'))
    const [delivery] = await server.app.db.query<{ id: string }>(
      'select id from webhook_deliveries',
    )
    assert.deepEqual(await found(), {})
    // The worker that has claimed it may put it back once.
    await server.app.db.query("update webhook_deliveries set status = 'pending'")
    await server.app.db.query('delete from webhook_queue')
    assert.deepEqual(await found(), {
      'every delivery that is pending has its place in the queue': `delivery ${delivery?.id} of payout.initiated`,
    })
    await server.app.db.query("update webhook_deliveries set status = 'failed'")
  })

  it('is found: a one-time account, a batch and what is to be mailed', async () => {
    const account = await merchant.openAccount({
      kind: 'dynamic',
      currency: 'ngn',
      amount: 250_000,
    })
    await forget(account.id)
    assert.deepEqual(await found(), {
      'every active virtual account that ends has a timer or a job of its end': `virtual account ${account.id}`,
    })
    await must(server.call('PATCH', `/virtual-accounts/${account.id}/close`))
    assert.deepEqual(await found(), {})

    const lines = [
      { amount: 20_000, destination: { bank_code: '058', account_number: '0123456789' } },
    ]
    const batch = await must(
      server.call('POST', '/payouts/batch', {
        reference: 'forgotten',
        currency: 'ngn',
        lines,
        dry_run: true,
      }),
    )
    await server.app.db.query("update payout_batches set status = 'running' where id = $1", [
      batch.id,
    ])
    assert.deepEqual(await found(), {
      'every batch that is being paid has a timer or a job': `batch ${batch.id}`,
    })
    await server.app.db.query("update payout_batches set status = 'draft' where id = $1", [
      batch.id,
    ])

    const [invoice, receipt] = ['6925'.padEnd(24, '0'), '6926'.padEnd(24, '0')]
    for (const [id, of] of [
      [invoice, invoice],
      [receipt, null],
    ])
      await server.app.db.query(
        `insert into mails (business_id, livemode, id, invoice_id, recipient, subject, body, status, created_at)
         values ($1, false, $2, $3, 'ada@example.com', 'x', 'x', 'queued', now())`,
        [server.businessId, id, of],
      )
    assert.deepEqual(await found(), {
      'every invoice that is to be mailed has a timer or a job': `invoice ${invoice}`,
      'every mail that is to be sent has a timer or a job': `mail ${receipt}`,
    })
    // As a job that was moved to another server waits there: by the first id that it has.
    await server.app.db.query(
      `insert into timers (business_id, livemode, id, due_at, task, subject, payload)
       values ($1, false, $2, now() + interval '1 day', 'invoices.mail', $2, $3)`,
      [server.businessId, receipt, { mail_id: receipt, invoice_id: invoice }],
    )
    assert.deepEqual(await found(), {
      'every mail that is to be sent has a timer or a job': `mail ${receipt}`,
    })
    await server.app.db.query("delete from timers where task = 'invoices.mail'")
    await server.app.db.query('delete from mails')
  })

  it('is found: a sweep that was signed', async () => {
    await server.app.db.query(
      `insert into evm_transactions (network, id, kind, sender, key_index, recipient, contract_address, units, nonce, gas, status, hash, created_at, updated_at)
       values ('base', $1, 'sweep', '0x1', 1, '0x2', '0x3', 5, 1, 1, 'sent', '0x4', now(), now())`,
      ['6925'.padEnd(24, '0')],
    )
    const [difference] = (await verifyBooks(server.app)).differences
    assert.deepEqual(
      [difference?.check, difference?.livemode],
      ['every sweep, payout and order of gas on its way has what was signed', true],
    )
    await server.app.db.query('delete from evm_transactions')
    assert.deepEqual(await found(), {})
  })
})
