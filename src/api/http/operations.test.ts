import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bankPayout, ctxOf, startServer, type TestServer } from '../../../test/support/harness.ts'
import { routes } from '../../app/modules.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Operations } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { makeOperations } from './operations.ts'

describe('the operations, asked in process', () => {
  let server: TestServer
  let ctx: Ctx
  let operations: Operations
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '10m' })
    await server.fund('ngn', 1_000_000)
    operations = makeOperations(server.app, routes)
    ctx = await as('read', 'collect', 'payout', 'refund')
  })
  after(() => server.stop())

  const as = async (...scopes: string[]): Promise<Ctx> => {
    const { scope, ...rest } = await ctxOf(server)
    const actor = {
      type: 'person' as const,
      id: '0'.repeat(24),
      hint: 'ada@shop.example',
      address: '::1',
    }
    return { ...rest, scope: { ...scope, actor: { ...actor, scopes, at: new Date() } } }
  }

  const refusedWith = async (code: string, ask: Promise<unknown>): Promise<Refusal> => {
    const error = await ask.then(
      () => assert.fail('it was done'),
      (thrown: unknown) => thrown,
    )
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.code, code, error.message)
    return error
  }

  it('answer what a request is answered', async () => {
    const made = (await operations.operate(ctx, 'createPayout', {
      body: bankPayout('in-process', 10_000),
    })) as object
    assert.deepEqual(
      { ...made, status: '', updated_at: '' },
      { ...(await server.call('GET', '/payouts/in-process')).data, status: '', updated_at: '' },
    )
    for (const [id, path] of [
      ['listWallets', '/wallets'],
      ['getBusiness', '/business'],
      ['listTransactions', '/transactions?limit=2'],
      ['listProducts', '/products'],
    ] as const) {
      const query = Object.fromEntries(new URLSearchParams(path.split('?')[1]))
      assert.deepEqual(
        await operations.operate(ctx, id, { query }),
        (await server.call('GET', path)).data,
        id,
      )
    }
  })

  it('refuse what a request is refused, in the same words', async () => {
    for (const [id, method, path, input] of [
      ['createPayout', 'POST', '/payouts', { body: { ...bankPayout('x', 0), surprise: 1 } }],
      ['createPayout', 'POST', '/payouts', { body: bankPayout('too-much', 900_000_000) }],
      ['getPayout', 'GET', '/payouts/none', { params: { reference: 'none' } }],
      ['listPayouts', 'GET', '/payouts?limit=0', { query: { limit: '0' } }],
      ['listPayouts', 'GET', '/payouts?colour=red', { query: { colour: 'red' } }],
    ] as const) {
      const { body, code } = await server.call(method, path, (input as { body?: object }).body)
      const refusal = await refusedWith(code as string, operations.operate(ctx, id, input))
      assert.deepEqual([refusal.message, refusal.data], [body.message, body.data], id)
    }
  })

  it('ask for the same rights', async () => {
    const reader = await as('read')
    await operations.operate(reader, 'listPayouts')
    const refusal = await refusedWith(
      'scope_missing',
      operations.operate(reader, 'createPayout', { body: {} }),
    )
    assert.match(refusal.message, /Your role/)
    const [allowed, refused] = [reader, ctx].map(({ scope }) =>
      operations.allowed(scope, 'createRefund'),
    )
    assert.deepEqual([allowed, refused], [false, true])
    const live = { ...ctx, scope: { ...ctx.scope, livemode: true } }
    await refusedWith('test_mode_only', operations.operate(live, 'simulateFunding', { body: {} }))
  })

  it('do a form once, however often it is sent, and refuse it changed', async () => {
    const send = (amount: number) =>
      operations.operate(ctx, 'createPayout', { body: bankPayout('twice', amount) }, 'form-1')
    const answers = await Promise.all([send(5_000), send(5_000), send(5_000)])
    assert.equal(new Set(answers.map((answer) => (answer as { id: string }).id)).size, 1)
    await refusedWith('idempotency_key_reused', send(6_000))
    const refused = () =>
      operations.operate(ctx, 'createPayout', { body: bankPayout('twice', 1_000) }, 'form-2')
    const first = await refusedWith('duplicate_reference', refused())
    assert.equal((await refusedWith('duplicate_reference', refused())).message, first.message)
  })

  it('do not change what they were given', async () => {
    const input = { query: { limit: '3' } }
    await operations.operate(ctx, 'listPayouts', input)
    assert.deepEqual(input, { query: { limit: '3' } })
  })
})
