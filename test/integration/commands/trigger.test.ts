/**
 * Goal: one command makes each event of the catalogue happen. Method: each is, with an API key
 * alone, against a real server.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Command } from 'commander'
import { addTriggerCommand, recipes } from '../../../src/app/cli/trigger.ts'
import { events as catalogue } from '../../../src/app/modules.ts'
import { runIntegratorCommand } from '../../support/command-line.ts'
import { type Json, must, startServer, type TestServer, until } from '../../support/harness.ts'

describe('bursar trigger', () => {
  let server: TestServer
  before(async () => {
    // Nothing happens by itself here.
    server = await startServer({ SANDBOX_DELAY: '1h' })
  })
  after(() => server.stop())

  /**
   * Runs the command in this process. @returns the events of that type that there are then, newest
   * first
   */
  async function trigger(type: string, args: string[] = [], key = server.testKey): Promise<Json[]> {
    const program = new Command('bursar').configureOutput({ writeErr: () => {} })
    const env = { XDG_CONFIG_HOME: '/nowhere', BURSAR_URL: server.url, BURSAR_KEY: key }
    addTriggerCommand(program, env, () => {})
    await program.parseAsync(['trigger', type, ...args], { from: 'user' })
    return (await server.call('GET', `/events?type=${type}`)).data.docs
  }

  /** What ends by the time that passes, and not by what is simulated. */
  const late = [
    'virtual_account.activated',
    'virtual_account.failed',
    'customer.document.verified',
    'customer.document.failed',
  ]

  it('has a way for every event of the catalogue', () => {
    assert.deepEqual(Object.keys(recipes).sort(), Object.keys(catalogue).sort())
  })

  it('makes each of them happen', async () => {
    // Beside each other: each is of records of its own.
    const makeAll = (types: string[]) =>
      Promise.all(types.map(async (type) => assert.ok((await trigger(type)).length > 0, type)))
    await makeAll(Object.keys(catalogue).filter((type) => !late.includes(type)))
    const made = makeAll(late)
    await until(async () => {
      const [found] = await server.app.db.query<{ pending: string }>(
        `select concat((select count(*) from virtual_accounts where status = 'pending'), ' ',
                       (select count(*) from customer_documents where status = 'pending')) as pending`,
      )
      return found?.pending === '2 2'
    })
    for (const type of late)
      assert.equal((await server.call('GET', `/events?type=${type}`)).data.totalDocs, 0, type)
    await must(server.call('POST', '/test/clock', { advance: '1h' }))
    await made
    await server.assertBooksClean()
  })

  it('makes them of the amount that is set', async () => {
    const amount = 123_400
    const places: Record<string, (payload: Json) => number> = {
      'payout.completed': (payload) => payload.amount,
      'refund.completed': (payload) => payload.amount,
      'invoice.paid': (payload) => payload.total,
      'collection.completed': (payload) => payload.payment.amount,
      'virtual_account.deposit': (payload) => payload.amount,
      'crypto.deposit': (payload) => payload.amount,
    }
    const made = await Promise.all(
      Object.entries(places).map(async ([type, place]) => {
        const [event] = await trigger(type, ['--set', `amount=${amount}`])
        return [type, place(event.payload)] as const
      }),
    )
    assert.deepEqual(
      made,
      Object.keys(places).map((type) => [type, amount]),
    )
  })

  it('takes the fields that are set', async () => {
    const [event] = await trigger('payment.completed', [
      '--set',
      'amount=777000',
      '--set',
      'metadata.cart=8121',
      '--set',
      'metadata.till="7"',
      '--set',
      'reference=0042',
    ])
    const { amount, metadata, reference } = event.payload
    assert.deepEqual(
      { amount, metadata, reference },
      { amount: 777_000, metadata: { cart: 8121, till: '7' }, reference: '0042' },
    )
  })

  it('says what is wrong by its exit code, and prints what it made', async () => {
    for (const [status, ofType, args, key, message] of [
      [
        2,
        'payment.complete',
        [],
        server.testKey,
        /^There is no event 'payment\.complete'\. There are /,
      ],
      [2, 'payment.completed', ['--set', 'amount'], server.testKey, /^--set takes field=value/],
      [
        1,
        'payment.completed',
        ['--set', 'amount=-1'],
        server.testKey,
        /^POST \/payments is refused: .*amount/,
      ],
      [3, 'payment.completed', [], server.liveKey, /test mode only/],
      [3, 'payment.completed', [], 'sk_test_wrong', /refuses the API key/],
    ] as const)
      await assert.rejects(trigger(ofType, [...args], key), { status, message })
    const env = { XDG_CONFIG_HOME: '/nowhere', BURSAR_URL: server.url, BURSAR_KEY: server.testKey }
    const { code, out, err } = await runIntegratorCommand(env, [
      'trigger',
      'payment.completed',
      '--json',
    ])
    assert.equal(code, 0, err)
    assert.equal(JSON.parse(out).type, 'payment.completed')
  })
})
