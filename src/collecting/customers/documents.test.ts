import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pino from 'pino'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  ctxOf,
  makeCall,
  snapshot,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { markOf } from '../../api/http/idempotency.ts'
import { serve } from '../../app/main.ts'
import { sqlOfAll } from '../../db/db.ts'
import { sha256, unseal } from '../../lib/secrets.ts'
import { findCustomer, hasVerifiedIdentity } from './customers.ts'
import { documentOwner, idFormats, magicNumbers } from './documents.ts'
import { type IdType, idTypes } from './schema.ts'

const good: Record<IdType, string[]> = {
  bvn: ['22123456789'],
  nin: ['70123456789'],
  passport: ['A01234567', 'b 01234567'],
  drivers_license: ['ABC123456', 'ABC-12345AA1', 'abc 123456789012'],
  voters_card: ['90F5B12C4', 'ABCDEFGHI', '90F5B12C4D6E7F8A9B0'],
  cac: ['RC12345', 'bn1234567', 'IT12345678', '12345'],
  tin: ['12345678-0003', '123456789012345-0003'],
}
const bad: Record<IdType, string[]> = {
  bvn: [
    '2212345678',
    '221234567890',
    '2212345678A',
    ' 22123456789',
    '٢٢١٢٣٤٥٦٧٨٩',
    '22123456789\n',
  ],
  nin: ['7012345678', 'A0123456789'],
  passport: ['AB1234567', 'A0123456', 'A-01234567', 'A  01234567'],
  drivers_license: ['AB1234567', 'ABC12345', 'ABC--123456', 'ABC1234567890123'],
  voters_card: ['90F5B12C', '90F5B12C4D', '90F5B12C4D6E7F8A9B', '90F5B12C-'],
  cac: ['RC1234', 'RC123456789', 'XX12345', 'RC-12345'],
  tin: ['1234567-0003', '12345678-003', '123456780003', '1234567890123456-0003'],
}

describe('identity documents', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer({ SANDBOX_DELAY: '30s' })
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  const give = (id: string, id_type: string, id_number: string) =>
    server.call('POST', `/customers/${id}/documents`, { id_type, id_number })
  const listed = async (id: string) => (await server.call('GET', `/customers/${id}/documents`)).data
  const kycStatus = async (id: string) =>
    (await server.call('GET', `/customers/${id}`)).data.kyc_status

  for (const type of idTypes)
    it(`take a ${type} in its form, and in no other`, async () => {
      const id = (await merchant.addCustomer()).id
      for (const number of good[type]) {
        const { status, data } = await give(id, type, number)
        assert.equal(status, 201, number)
        const { created_at, updated_at, verified_at, ...rest } = data
        const masked = '*'.repeat(number.length - 4) + number.slice(-4)
        const expected = {
          id_type: type,
          id_number: masked,
          status: 'verified',
          failure_reason: null,
          review: null,
        }
        assert.deepEqual(rest, expected)
        assert.equal(verified_at, updated_at)
        assert.ok(created_at <= updated_at)
        assert.deepEqual(await listed(id), [data])
      }
      const before = await snapshot(server.app)
      const kept = await listed(id)
      for (const number of bad[type]) {
        const { status, code, body } = await give(id, type, number)
        assert.deepEqual([status, code], [422, 'validation_failed'], number)
        assert.deepEqual(body.data, [
          {
            path: 'id_number',
            message: `id_number of a ${type} must be ${idFormats[type].says}`,
            location: 'body',
          },
        ])
        assert.ok(!JSON.stringify(body).includes(number.trim()), `${number} is echoed`)
      }
      assert.deepEqual(await snapshot(server.app), before)
      assert.deepEqual(await listed(id), kept)
    })

  it('name what else is wrong', async () => {
    const id = (await merchant.addCustomer()).id
    for (const [body, path] of [
      [{}, 'id_type'],
      [{ id_type: 'bvn' }, 'id_number'],
      [{ id_type: 'selfie', id_number: '22123456789' }, 'id_type'],
      [{ id_type: 'bvn', id_number: 22123456789 }, 'id_number'],
      [{ id_type: 'bvn', id_number: '2'.repeat(41) }, 'id_number'],
      [{ id_type: 'bvn', id_number: '22123456789', country: 'NG' }, 'country'],
    ] as const) {
      const before = await snapshot(server.app)
      const { status, data } = await server.call('POST', `/customers/${id}/documents`, body)
      assert.deepEqual([status, data[0].path], [422, path])
      assert.ok(!JSON.stringify(data).includes('2212345678'))
      assert.deepEqual(await snapshot(server.app), before)
    }
  })

  it('come out by the sandbox’s magic numbers', async () => {
    assert.deepEqual(
      Object.entries(magicNumbers).map(([digits, { failure }]) => [digits, failure]),
      [
        ['1', 'mismatch'],
        ['2', 'not_found'],
        ['11', null],
        ['12', 'mismatch'],
        ['21', null],
      ],
    )
    for (const [type, number, reason] of [
      ['bvn', '00000000001', 'mismatch'],
      ['bvn', '00000000002', 'not_found'],
      ['bvn', '00000000003', null],
      ['bvn', '00000000000', null],
      ['bvn', '10000000000', null],
      ['nin', '00000000001', 'mismatch'],
      ['passport', 'A00000001', 'mismatch'],
      ['passport', 'a 00000002', 'not_found'],
      ['drivers_license', 'ABC-000001', 'mismatch'],
      ['drivers_license', 'ABC00000AA2', 'not_found'],
      ['voters_card', '000000001', 'mismatch'],
      ['voters_card', 'ABCDEFGH2', 'not_found'],
      ['voters_card', 'ABCDEFGHI', null],
      ['cac', 'RC00001', 'mismatch'],
      ['cac', '00002', 'not_found'],
      ['tin', '00000000-0001', 'mismatch'],
      ['tin', '00000001-0000', null],
    ] as const) {
      const id = (await merchant.addCustomer()).id
      const { status, data } = await give(id, type, number)
      assert.equal(status, 201)
      assert.deepEqual(
        [data.status, data.failure_reason],
        [reason ? 'failed' : 'verified', reason],
        `${type} ${number}`,
      )
      assert.equal(data.verified_at === null, reason !== null)
      assert.equal((await listed(id)).length, reason ? 0 : 1)
      assert.equal(await kycStatus(id), reason ? 'rejected' : 'verified')
    }
  })

  it('come out later by those that say so, as from a provider', async () => {
    const customer = async () => (await merchant.addCustomer()).id
    const [fits, differs] = [await customer(), await customer()]
    for (const [id, number] of [
      [fits, 'A00000011'],
      [differs, 'A00000012'],
    ] as const) {
      const { status, data } = await give(id, 'passport', number)
      assert.deepEqual(
        [status, data.status, data.failure_reason, data.verified_at],
        [201, 'pending', null, null],
      )
      assert.deepEqual([await listed(id), await kycStatus(id)], [[], 'none'])
      const again = await give(id, 'passport', number)
      assert.deepEqual([again.status, again.code], [409, 'document_pending'])
    }
    await merchant.advance('1m')
    const eventsOf = async (outcome: string) =>
      (await server.call('GET', `/events?type=customer.document.${outcome}`)).data.docs
    await until(
      async () =>
        (await eventsOf('verified')).length === 1 && (await eventsOf('failed')).length === 1,
    )
    const [[verified], [failed]] = [await eventsOf('verified'), await eventsOf('failed')]
    assert.deepEqual(
      [verified, failed].map(({ payload }) => [
        payload.customer,
        payload.status,
        payload.failure_reason,
      ]),
      [
        [fits, 'verified', null],
        [differs, 'failed', 'mismatch'],
      ],
    )
    assert.deepEqual([await kycStatus(fits), await kycStatus(differs)], ['verified', 'rejected'])
    assert.deepEqual((await listed(fits)).length, 1)
    const again = await give(fits, 'passport', 'A00000011')
    assert.deepEqual([again.status, again.code], [409, 'document_verified'])
  })

  it('replace the one of their type, but a failed one never a verified one', async () => {
    const id = (await merchant.addCustomer({ name: 'Kyc', email: 'kyc@example.com' })).id
    assert.equal(await kycStatus(id), 'none')
    assert.deepEqual(await listed(id), [])
    const stored = () =>
      server.app.db.query(
        'select * from customer_documents where customer_id = $1 order by id_type',
        [id],
      )

    const failed = await give(id, 'bvn', '00000000001')
    assert.equal(failed.data.failure_reason, 'mismatch')
    const other = await give(id, 'bvn', '00000000002')
    assert.equal(other.data.failure_reason, 'not_found')
    assert.equal(other.data.created_at, failed.data.created_at)
    assert.deepEqual([(await stored()).length, await kycStatus(id)], [1, 'rejected'])

    const verified = await give(id, 'bvn', '22123456789')
    assert.deepEqual([await listed(id), await kycStatus(id)], [[verified.data], 'verified'])
    const before = [await stored(), (await server.call('GET', `/customers/${id}`)).data]
    const refused = await give(id, 'bvn', '00000000001')
    assert.deepEqual(
      [refused.status, refused.data.status, refused.data.verified_at],
      [201, 'failed', null],
    )
    assert.equal(refused.data.id_number, '*******0001')
    assert.deepEqual([await stored(), (await server.call('GET', `/customers/${id}`)).data], before)

    const newer = await give(id, 'bvn', '33123450000')
    assert.deepEqual(await listed(id), [newer.data])
    assert.equal(newer.data.id_number, '*******0000')
    await give(id, 'nin', '00000000001')
    assert.deepEqual([(await stored()).length, await kycStatus(id)], [2, 'verified'])
    assert.deepEqual(await listed(id), [newer.data])
    await give(id, 'passport', 'A01234567')
    assert.deepEqual(
      (await listed(id)).map(({ id_type }: { id_type: string }) => id_type),
      ['bvn', 'passport'],
    )
    assert.deepEqual(await findCustomer(await ctxOf(server), id), {
      id,
      name: 'Kyc',
      email: 'kyc@example.com',
      first_name: null,
      last_name: null,
      phone: null,
      kyc: 'verified',
    })
    for (const [types, has] of [
      [['bvn'], true],
      [['nin'], false],
      [['nin', 'passport'], true],
      [['cac', 'tin'], false],
      [[], false],
    ] as const)
      assert.equal(await hasVerifiedIdentity(await ctxOf(server), id, types), has, types.join())
    assert.equal(await hasVerifiedIdentity(await ctxOf(server), 'x', ['bvn']), false)
  })

  it('agree with the status when many come at once', async () => {
    const id = (await merchant.addCustomer()).id
    const numbers = Array.from({ length: 20 }, (_, at) =>
      at % 2 ? '00000000001' : `221234567${10 + at}`,
    )
    const answers = await Promise.all(
      numbers.map((number, at) => give(id, at % 4 < 2 ? 'bvn' : 'nin', number)),
    )
    assert.ok(answers.every(({ status }) => status === 201))
    assert.equal(await kycStatus(id), 'verified')
    assert.deepEqual((await listed(id)).map(({ id_type }: { id_type: string }) => id_type).sort(), [
      'bvn',
      'nin',
    ])
    const racing = (await merchant.addCustomer()).id
    const [deleted] = await Promise.all([
      server.call('DELETE', `/customers/${racing}`),
      ...numbers.map((number) => give(racing, 'bvn', number)),
    ])
    assert.equal(deleted.status, 200)
  })

  it('are sealed at rest, for their customer and type alone', async () => {
    const [id, other] = [(await merchant.addCustomer()).id, (await merchant.addCustomer()).id]
    await give(id, 'bvn', '22987654321')
    const [row] = await server.app.db.query<{ id_number: Buffer; masked: string; all: string }>(
      'select id_number, masked, d::text as all from customer_documents d where customer_id = $1',
      [id],
    )
    assert.ok(row)
    assert.ok(!row.id_number.includes('22987654321') && !row.id_number.includes('2298765'))
    assert.ok(!row.all.includes('22987654321'))
    assert.equal(row.masked, '*******4321')
    const { secrets } = server.app
    assert.equal(
      documentOwner(await ctxOf(server), id, 'bvn'),
      `${server.businessId},false,${id},bvn`,
    )
    assert.equal(
      unseal(secrets, 'identity number', row.id_number, `${server.businessId},false,${id},bvn`),
      '22987654321',
    )
    assert.throws(() =>
      unseal(secrets, 'kept answer', row.id_number, `${server.businessId},false,${id},bvn`),
    )
    for (const owner of [
      `${server.businessId},false,${other},bvn`,
      `${server.businessId},false,${id},nin`,
    ])
      assert.throws(() => unseal(secrets, 'identity number', row.id_number, owner))
  })

  it('are in no log and in no stored answer', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const second = await serve({ app: { ...server.app, log }, url: server.databaseUrl, evm: null })
    try {
      const call = makeCall(second.url, server.testKey)
      const { data } = await call('POST', '/customers', {
        name: 'Quiet',
        email: 'quiet@example.com',
      })
      const path = `/customers/${data.id}/documents`
      for (const [body, status] of [
        [{ id_type: 'bvn', id_number: '44987654321' }, 201],
        [{ id_type: 'tin', id_number: '44987654321' }, 422],
        [{ id_type: 'bvn', id_number: '44987654321', extra: 1 }, 422],
        [{ id_type: 'bvn', id_number: 44987654321 }, 422],
      ] as const) {
        const answer = await call('POST', path, body, {
          'idempotency-key': `quiet-${status}-${Object.keys(body).length}-${body.id_type}`,
        })
        assert.equal(answer.status, status)
        assert.ok(!JSON.stringify(answer.body).includes('44987654321'))
      }
      assert.equal((await call('POST', path, '{"id_number":"44987654321"')).status, 400)
      await server.asOwner('alter table customer_documents rename to hidden_documents')
      try {
        const broken = await call('POST', path, { id_type: 'nin', id_number: '44987654321' })
        assert.equal(broken.status, 500)
        assert.ok(!JSON.stringify(broken.body).includes('44987654321'))
      } finally {
        await server.asOwner('alter table hidden_documents rename to customer_documents')
      }
    } finally {
      await second.stop()
    }
    assert.ok(lines.some((line) => line.includes('/customers/:id/documents')))
    assert.ok(lines.some((line) => line.includes('a request failed')))
    assert.ok(!lines.join('').includes('44987654321'))
    const stored = await server.app.db.rows(
      sqlOfAll<{ text: string }>(
        'test.stored_answers',
        'select k::text as text from idempotency_keys k',
      ),
    )
    assert.ok(stored.length > 0 && !stored.some(({ text }) => text.includes('44987654321')))
  })

  it('are verified once for an Idempotency-Key', async () => {
    const id = (await merchant.addCustomer()).id
    const key = { 'idempotency-key': 'document-1' }
    const body = { id_type: 'bvn', id_number: '22123456789' }
    const first = await server.call('POST', `/customers/${id}/documents`, body, key)
    const again = await server.call('POST', `/customers/${id}/documents`, body, key)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.body, first.body)
    const changed = { ...body, id_number: '22123456780' }
    const other = await server.call('POST', `/customers/${id}/documents`, changed, key)
    assert.deepEqual([other.status, other.code], [409, 'idempotency_key_reused'])
    // What is kept of the request must not tell the number to someone who tries them all.
    const [kept] = await server.app.db.query<{ body: Buffer }>(
      'select body from idempotency_keys where business_id = $1 and key = $2',
      [server.businessId, 'document-1'],
    )
    assert.ok(kept)
    const { mark } = markOf('POST', `/customers/${id}/documents`, body)
    assert.equal(
      mark,
      sha256(`POST /customers/${id}/documents\n${JSON.stringify(body)}`).toString('hex'),
    )
    assert.ok(!kept.body.includes(mark) && !kept.body.includes(Buffer.from(mark, 'hex')))
    const opened = unseal(
      server.app.secrets,
      'kept answer',
      kept.body,
      `${server.businessId},false,document-1`,
    )
    assert.ok(opened.startsWith(`${mark} {`))
  })

  it('cannot be verified in live mode', async () => {
    const live = server.callAs(server.liveKey)
    const { data } = await live('POST', '/customers', { name: 'Live', email: 'live@example.com' })
    const before = await snapshot(server.app)
    const path = `/customers/${data.id}/documents`
    const refused = await live('POST', path, { id_type: 'bvn', id_number: '22123456789' })
    assert.deepEqual([refused.status, refused.code], [400, 'rail_not_configured'])
    assert.equal(
      refused.body.message,
      'No identity verification is configured for live mode on this server.',
    )
    assert.deepEqual(await snapshot(server.app), before)
    assert.deepEqual((await live('GET', path)).data, [])
    assert.equal((await live('GET', `/customers/${data.id}`)).data.kyc_status, 'none')
  })
})
