/**
 * Goal: what the adapter asks of Bridge, and what its double answers, has the form of Bridge's own
 * OpenAPI document. Method: payouts through their whole life over the double; each exchange is
 * checked by the document, where PROVIDER_SPECS has it.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  findReconcilable,
  type ReconciledAccount,
  reconcile,
} from '../../../src/platform/reconciliation/reconciliation.ts'
import { contractOf, publishedIn } from '../../doubles/bridge/contract.ts'
import { openTill } from '../../support/bridge.ts'
import { minuteMs } from '../../support/dollars.ts'

const published = publishedIn(process.env.PROVIDER_SPECS)
const skip =
  published === null &&
  'PROVIDER_SPECS names no folder with bridge.json (https://withbridge-image1-sv-usw2-monorail-openapi.s3.amazonaws.com/latest.json): not checked by what Bridge publishes'

describe('the double of Bridge', () => {
  it('has the form of Bridge’s own document, in what it is asked and what it answers', {
    skip,
  }, async (t) => {
    const till = await openTill()
    t.after(() => till.stop())
    const { transfer, books, requests } = till.double
    const [done, back, again] = [await till.payOut(), await till.payOut(), await till.payOut()]
    transfer.succeed(`po-${done.id}`)
    transfer.comeBack(`po-${back.id}`)
    await till.pass(minuteMs)
    const { destination } = again
    books.customer.status = 'under_review'
    await till.payOut(50_00, { destination: { ...destination, bank_name: undefined } })
    const { app } = till.server
    await reconcile(app, findReconcilable(app, true, 'bridge') as ReconciledAccount)
    const check = contractOf(published)
    const problems = new Set(requests.flatMap(check))
    assert.deepEqual([...problems], [])
    const names = new Set(requests.map(({ operation }) => operation))
    for (const name of [
      'get_wallet',
      'create_external_account',
      'create_transfer',
      'list_transfers',
      'history',
    ])
      assert.ok(names.has(name as 'history'), `${name} was never asked`)
  })

  it('is checked in both directions: what is only read is not asked for, and what is only written not answered', () => {
    const properties = {
      id: { type: 'string', readOnly: true },
      number: { type: 'string', writeOnly: true },
      note: { type: 'string', nullable: true },
    }
    const schema = { $ref: '#/components/schemas/Thing' }
    const json = { content: { 'application/json': { schema } } }
    const check = contractOf({
      paths: { '/things/{thingID}': { post: { requestBody: json, responses: { 201: json } } } },
      components: {
        schemas: {
          Thing: { type: 'object', required: ['id', 'number'], properties },
          Error: { type: 'object', required: ['code', 'message'] },
        },
      },
    })
    const of = (path: string, body: object, answer: { status: number; body: object }) =>
      check({ method: 'POST', path, body, answer })
    assert.deepEqual(
      of('/v0/things/1', { number: '1' }, { status: 201, body: { id: 'a', note: null } }),
      [],
    )
    assert.deepEqual(of('/v0/things/1', {}, { status: 201, body: { note: 1 } }).length, 5)
    assert.deepEqual(
      of('/v0/things/1', { number: '1' }, { status: 400, body: { code: 'frozen' } }),
      ["POST /things/{thingID}: response: it must have required property 'message'"],
    )
    assert.match(String(of('/v0/others', {}, { status: 200, body: {} })), /has no such operation/)
  })

  it('is judged by an answer that the document refers to, below the prefix that is given', () => {
    const content = { 'application/json': { schema: { type: 'object', required: ['id'] } } }
    const check = contractOf(
      {
        paths: {
          '/things': { get: { responses: { 200: { $ref: '#/components/responses/Things' } } } },
        },
        components: { responses: { Things: { content } } },
      },
      '',
    )
    const answering = (status: number, body: object) =>
      check({ method: 'GET', path: '/things', body: undefined, answer: { status, body } })
    assert.deepEqual(answering(200, { id: 'a' }), [])
    assert.deepEqual(answering(200, {}), [
      "GET /things: response: it must have required property 'id'",
    ])
    assert.deepEqual(answering(201, { id: 'a' }), ['GET /things: has no such answer'])
  })
})
