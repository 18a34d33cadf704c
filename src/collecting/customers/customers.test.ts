/**
 * Goal: customers are kept as they were given, are one business's and one mode's only, and are
 * found by their words. Method: they are made, changed, deleted and searched over HTTP; what a
 * refusal leaves is compared row by row, and plans of searches are read.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Json,
  type Merchant,
  newBusiness,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import { ctxOf, startServer, type TestServer } from '../../../test/support/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import type { Database, Statement } from '../../db/db.ts'
import { findCustomer, hasVerifiedIdentity, list } from './customers.ts'
import { termsOf, wordsOf } from './words.ts'

const nameIsRequired = {
  path: 'name',
  message: 'name is required, or first_name and last_name',
  location: 'body',
}

describe('customers', () => {
  let server: TestServer
  let merchant: Merchant
  before(async () => {
    server = await startServer()
    merchant = newMerchant(server)
  })
  after(() => server.stop())

  const made = (body: object = {}): Promise<Json> =>
    merchant.addCustomer({ name: 'Someone', email: 'someone@example.com', ...body })

  describe('are kept', () => {
    it('with every field, and read back as they were answered', async () => {
      const sent = {
        reference: 'customer-1',
        name: 'Ada N. Okafor',
        first_name: 'Ada',
        last_name: 'Okafor',
        email: 'Ada.Okafor@example.com',
        phone: '+2348012345678',
        type: 'business',
        address: {
          line1: '12 Allen Avenue',
          city: 'Ikeja',
          state: 'Lagos',
          postal_code: '100271',
          country: 'ng',
        },
        metadata: { tier: 'gold' },
      }
      const { status, data } = await server.call('POST', '/customers', sent)
      assert.equal(status, 201)
      const { id, created_at, updated_at, ...rest } = data
      assert.match(id, /^[0-9a-f]{24}$/)
      assert.equal(created_at, updated_at)
      assert.deepEqual(rest, { ...sent, kyc_status: 'none', livemode: false })
      const read = await server.call('GET', `/customers/${id}`)
      assert.equal(read.status, 200)
      assert.deepEqual(read.data, data)
    })

    it('with defaults for what is left out', async () => {
      const {
        id: _id,
        created_at: _created,
        updated_at: _updated,
        ...rest
      } = await made({ address: { city: 'Jos' } })
      assert.deepEqual(rest, {
        reference: null,
        name: 'Someone',
        first_name: null,
        last_name: null,
        email: 'someone@example.com',
        phone: null,
        type: 'individual',
        kyc_status: 'none',
        address: { city: 'Jos' },
        livemode: false,
        metadata: {},
      })
      const empty = await made({
        phone: null,
        address: null,
        reference: null,
        first_name: null,
        last_name: null,
      })
      assert.deepEqual([empty.phone, empty.address, empty.reference], [null, null, null])
    })

    it('with no name that is made of one part', async () => {
      const whole = await made({ name: 'Ada Okafor' })
      const parted = await made({ name: undefined, first_name: 'Ada', last_name: 'Okafor' })
      for (const [{ id }, body] of [
        [whole, { first_name: 'Adaeze' }],
        [whole, { last_name: 'Eze' }],
        [parted, { last_name: null }],
        [parted, { first_name: null }],
      ] as const) {
        const answer = await merchant.isRefused(
          'PUT',
          `/customers/${id}`,
          body,
          422,
          'validation_failed',
        )
        assert.deepEqual(answer.data, [nameIsRequired])
        assert.equal((await server.call('GET', `/customers/${id}`)).data.name, 'Ada Okafor')
      }
      const both = { first_name: 'Adaeze', last_name: 'Eze' }
      assert.equal(
        (await server.call('PUT', `/customers/${whole.id}`, both)).data.name,
        'Adaeze Eze',
      )
    })

    it('with a name that is made of its parts', async () => {
      const parts = { name: undefined, first_name: 'Ada', last_name: 'Okafor' }
      const customer = await made(parts)
      assert.equal(customer.name, 'Ada Okafor')
      const change = async (body: object) =>
        (await server.call('PUT', `/customers/${customer.id}`, body)).data
      assert.equal((await change({ last_name: 'Eze' })).name, 'Ada Eze')
      assert.equal((await change({ first_name: 'Ngozi', name: 'Dr Eze' })).name, 'Dr Eze')
      assert.equal((await change({ phone: '+2348012345678' })).name, 'Dr Eze')
      assert.equal((await change({ first_name: 'Ngozi', last_name: 'Eze' })).name, 'Dr Eze')
      const single = await change({ first_name: null, name: 'Eze' })
      assert.deepEqual([single.name, single.first_name, single.last_name], ['Eze', null, 'Eze'])
      const none = await change({ last_name: null })
      assert.deepEqual([none.name, none.first_name, none.last_name], ['Eze', null, null])
      const long = { first_name: 'a'.repeat(100), last_name: 'b'.repeat(100) }
      const answer = await merchant.isRefused(
        'POST',
        '/customers',
        { email: 'a@example.com', ...long },
        422,
        'validation_failed',
      )
      assert.equal(answer.data[0].path, 'last_name')
      await merchant.isRefused('PUT', `/customers/${customer.id}`, long, 422, 'validation_failed')
    })

    it('and changed by the fields that are given', async () => {
      const customer = await made({
        phone: '+2348012345678',
        address: { city: 'Jos' },
        reference: 'change-1',
      })
      const path = `/customers/${customer.id}`
      const first = await server.call('PUT', path, {
        email: 'new@example.com',
        type: 'business',
        metadata: { a: 1 },
      })
      assert.equal(first.status, 200)
      const { updated_at, ...rest } = first.data
      const { updated_at: _updated, ...before } = customer
      assert.deepEqual(rest, {
        ...before,
        email: 'new@example.com',
        type: 'business',
        metadata: { a: 1 },
      })
      assert.ok(updated_at >= customer.updated_at)
      const cleared = await server.call('PUT', path, {
        phone: null,
        address: null,
        reference: null,
      })
      assert.deepEqual(
        [cleared.data.phone, cleared.data.address, cleared.data.reference],
        [null, null, null],
      )
      assert.deepEqual(cleared.data.metadata, { a: 1 })
      assert.equal((await server.call('PUT', path, {})).status, 200)
      assert.deepEqual((await server.call('GET', path)).data.email, 'new@example.com')
    })

    it('until they are deleted, and their records stay', async () => {
      const customer = await made({ name: 'Gone Forever', reference: 'gone-1' })
      const path = `/customers/${customer.id}`
      await server.call('POST', `${path}/documents`, { id_type: 'bvn', id_number: '22123456789' })
      const { updated_at: _before, kyc_status: _none, ...last } = customer
      const { status, data } = await server.call('DELETE', path)
      const { updated_at, kyc_status, ...deleted } = data
      assert.deepEqual([status, kyc_status, deleted], [200, 'verified', last])
      assert.ok(updated_at >= customer.updated_at)
      for (const [method, at, body] of [
        ['GET', path, undefined],
        ['PUT', path, { name: 'Back' }],
        ['DELETE', path, undefined],
        ['GET', `${path}/documents`, undefined],
        ['POST', `${path}/documents`, { id_type: 'nin', id_number: '22123456789' }],
      ] as const)
        await merchant.isRefused(method, at, body, 404, 'not_found')
      assert.deepEqual((await server.call('GET', '/customers?search=gone')).data.docs, [])
      assert.equal(await findCustomer(await ctxOf(server), customer.id), null)
      assert.equal(await hasVerifiedIdentity(await ctxOf(server), customer.id, ['bvn']), false)
      const kept = await server.app.db.query(
        'select from customer_documents where customer_id = $1',
        [customer.id],
      )
      assert.equal(kept.length, 1)
      const words = await server.app.db.query('select from customer_words where customer_id = $1', [
        customer.id,
      ])
      assert.equal(words.length, 0)
    })
  })

  it('name what is wrong with them', async () => {
    const customer = await made()
    const cases: [body: object, path: string][] = [
      [{ email: undefined }, 'email'],
      [{ email: 'nobody' }, 'email'],
      [{ email: null }, 'email'],
      [{ email: `${'a'.repeat(60)}@${'b.'.repeat(97)}ng` }, 'email'],
      [{ name: '' }, 'name'],
      [{ name: '  ' }, 'name'],
      [{ name: null }, 'name'],
      [{ name: 'a'.repeat(201) }, 'name'],
      [{ phone: '08012345678' }, 'phone'],
      [{ phone: '+0801234567' }, 'phone'],
      [{ phone: '+1234567890123456' }, 'phone'],
      [{ type: 'robot' }, 'type'],
      [{ kyc_status: 'verified' }, 'kyc_status'],
      [{ address: { country: 'Nigeria' } }, 'address.country'],
      [{ address: { country: 'n1' } }, 'address.country'],
      [{ address: { planet: 'Earth' } }, 'address.planet'],
      [{ address: 'Lagos' }, 'address'],
      [{ reference: 'with blank' }, 'reference'],
      [{ first_name: '' }, 'first_name'],
      [{ metadata: { big: 'x'.repeat(17_000) } }, 'metadata'],
      [{ nickname: 'x' }, 'nickname'],
    ]
    for (const [body, path] of cases) {
      const whole = { name: 'Someone', email: 'someone@example.com', ...body }
      const answer = await merchant.isRefused('POST', '/customers', whole, 422, 'validation_failed')
      assert.equal(answer.data[0].path, path)
      assert.equal(answer.data[0].location, 'body')
      if (JSON.stringify(body) !== '{}')
        await merchant.isRefused('PUT', `/customers/${customer.id}`, body, 422, 'validation_failed')
    }
    for (const body of [
      {},
      { first_name: 'Ada' },
      { last_name: 'Okafor' },
      { first_name: 'Ada', last_name: null },
    ]) {
      const answer = await merchant.isRefused(
        'POST',
        '/customers',
        { email: 'a@example.com', ...body },
        422,
        'validation_failed',
      )
      assert.deepEqual(answer.data, [nameIsRequired])
    }
    assert.equal((await made({ name: 'a'.repeat(200) })).name.length, 200)
    for (const query of [
      'search=',
      'email=',
      `search=${'x'.repeat(201)}`,
      'limit=0',
      'after=x',
      'name=Ada',
    ])
      await merchant.isRefused('GET', `/customers?${query}`, undefined, 422, 'validation_failed')
    // In a query, a plain `+` means a space, which no address has.
    const plus = await merchant.isRefused(
      'GET',
      '/customers?email=ada+x@example.com',
      undefined,
      422,
      'validation_failed',
    )
    assert.match(JSON.stringify(plus.data), /without spaces: in a URL, write `\+` as `%2B`/)
    assert.equal((await merchant.ask('GET', '/customers?email=ada%2Bx@example.com')).totalDocs, 0)
  })

  it('have addresses with domains in their own letters, and plus signs that a query has to write in full', async () => {
    const abroad = await made({ email: 'ada@bücher.example' })
    assert.equal(abroad.email, 'ada@bücher.example')
    const ids = async (email: string): Promise<string[]> =>
      (await server.call('GET', `/customers?email=${email}`)).data.docs.map(
        ({ id }: { id: string }) => id,
      )
    const inAscii = await made({ email: 'Ada@XN--bcher-kva.example' })
    const decomposed = await made({ email: 'ada@BU\u0308CHER.example' })
    for (const spelling of [
      'ada@bücher.example',
      'ADA@Bücher.example',
      'ada@xn--bcher-kva.example',
    ])
      assert.deepEqual(
        await ids(encodeURIComponent(spelling)),
        [decomposed.id, inAscii.id, abroad.id],
        spelling,
      )
    for (const search of ['ada@xn--bch', 'ada@büch']) {
      const { docs } = await merchant.ask('GET', `/customers?search=${encodeURIComponent(search)}`)
      assert.equal(docs.length, 3, search)
    }
    const payment = await merchant.ask('POST', '/payments', {
      amount: 1_000,
      currency: 'ngn',
      email: abroad.email,
    })
    for (const path of ['/payments', '/invoices'])
      for (const spelling of ['ada@bücher.example', 'ada@xn--bcher-kva.example']) {
        const { docs } = await merchant.ask('GET', `${path}?email=${encodeURIComponent(spelling)}`)
        assert.deepEqual(
          docs.map(({ id }: { id: string }) => id),
          path === '/payments' ? [payment.id] : [],
          spelling,
        )
      }
    const plus = await made({ email: 'ada+x@example.com' })
    assert.deepEqual(await ids('ada%2Bx@example.com'), [plus.id])
    for (const path of ['/payments', '/refunds', '/invoices'])
      await merchant.isRefused(
        'GET',
        `${path}?email=ada+x@example.com`,
        undefined,
        422,
        'validation_failed',
      )
  })

  it('are not found by others, by the other mode, or by what is no id', async () => {
    const customer = await made()
    const other = await createBusiness(server.app, 'Other Business')
    const strangers = [other.test_key, other.live_key, server.liveKey].map((key) =>
      server.callAs(key),
    )
    const ask = async (id: string, call = server.call) => {
      for (const [method, path, body] of [
        ['GET', `/customers/${id}`, undefined],
        ['PUT', `/customers/${id}`, { name: 'Mine' }],
        ['DELETE', `/customers/${id}`, undefined],
        ['GET', `/customers/${id}/documents`, undefined],
        ['POST', `/customers/${id}/documents`, { id_type: 'bvn', id_number: '22123456789' }],
      ] as const)
        await merchant.isRefused(method, path, body, 404, 'not_found', call)
    }
    for (const call of strangers) {
      await ask(customer.id, call)
      assert.equal((await call('GET', '/customers?search=someone')).data.totalDocs, 0)
      assert.equal((await call('GET', '/customers?email=someone@example.com')).data.totalDocs, 0)
      await merchant.isRefused(
        'GET',
        `/customers?after=${customer.id}`,
        undefined,
        400,
        'invalid_cursor',
        call,
      )
    }
    for (const id of [noId, 'x', 'A'.repeat(24), '%00', '%F0%9F%92%A9', "'--"]) await ask(id)
    const live = await server.callAs(server.liveKey)('POST', '/customers', {
      name: 'Live',
      email: 'live@example.com',
    })
    assert.deepEqual([live.status, live.data.livemode], [201, true])
    await ask(live.data.id)
    assert.equal((await server.call('GET', `/customers/${customer.id}`)).data.name, 'Someone')
  })

  it('have a reference of their own', async () => {
    const body = { name: 'Ref', email: 'ref@example.com', reference: 'ref-1' }
    const first = await made(body)
    await merchant.isRefused('POST', '/customers', body, 409, 'duplicate_reference')
    const second = await made({ reference: 'ref-2' })
    await merchant.isRefused(
      'PUT',
      `/customers/${second.id}`,
      { name: 'Changed', reference: 'ref-1' },
      409,
      'duplicate_reference',
    )
    const unchanged = (await server.call('GET', `/customers/${second.id}`)).data
    assert.deepEqual(unchanged, second)
    assert.equal(
      (await server.call('PUT', `/customers/${second.id}`, { reference: 'ref-2' })).status,
      200,
    )
    assert.equal(
      (await server.call('PUT', `/customers/${second.id}`, { reference: 'ref-3' })).data.reference,
      'ref-3',
    )
    await made({ reference: 'ref-2' })
    const live = await server.callAs(server.liveKey)('POST', '/customers', body)
    assert.equal(live.status, 201)
    await server.call('DELETE', `/customers/${first.id}`)
    assert.equal((await made(body)).reference, 'ref-1')
    // With a key the refusal is an answer like any other: kept, and given again.
    const key = { 'idempotency-key': 'customer-twice' }
    for (const _ of [1, 2]) {
      const again = await server.call('PUT', `/customers/${second.id}`, { reference: 'ref-1' }, key)
      assert.equal(again.code, 'duplicate_reference')
      assert.equal((await server.call('POST', '/customers', body, key)).code, 'duplicate_reference')
    }
  })

  it('give one reference to one of twenty clients', async () => {
    const body = { name: 'Race', email: 'race@example.com', reference: 'race-1' }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => server.call('POST', '/customers', body)),
    )
    assert.deepEqual(answers.map(({ status, code }) => `${status} ${code ?? ''}`).sort(), [
      '201 ',
      ...Array(19).fill('409 duplicate_reference'),
    ])
    const all = await server.app.db.query<{ id: string }>(
      'select id from customers where email = $1',
      [body.email],
    )
    assert.equal(all.length, 1)
    const two = await Promise.all([made(), made()])
    const moved = await Promise.all(
      two.map(({ id }) => server.call('PUT', `/customers/${id}`, { reference: 'race-2' })),
    )
    assert.deepEqual(moved.map(({ status }) => status).sort(), [200, 409])
  })

  it('keep every change when many are made at once', async () => {
    const customer = await made()
    const path = `/customers/${customer.id}`
    const changes = [
      { phone: '+2348012345678' },
      { type: 'business' },
      { name: 'Ada A' },
      { reference: 'many-1' },
    ]
    await Promise.all(
      [...changes, { address: { city: 'Jos' } }].map((body) => server.call('PUT', path, body)),
    )
    const { data } = await server.call('GET', path)
    assert.deepEqual(
      [data.phone, data.type, data.name, data.reference, data.address.city],
      ['+2348012345678', 'business', 'Ada A', 'many-1', 'Jos'],
    )
  })

  describe('are found', () => {
    let call: TestServer['call']
    const ids: Record<string, string> = {}
    before(async () => {
      call = await newBusiness(server, 'Searched Business')
      for (const [name, email] of [
        ['Chukwuemeka Okafor', 'Emeka.Okafor@Mail.example.com'],
        ['Ọláyínká Ṣóyínká', 'wole@example.org'],
        ['José-María O’Neil', 'jose+shop@example.com'],
        ['ACME Stores (Lagos) 24/7', 'billing@acme.example'],
      ] as const) {
        const { data } = await call('POST', '/customers', { name, email })
        ids[name] = data.id
      }
    })
    const found = async (query: Record<string, string>) => {
      const { status, data } = await call('GET', `/customers?${new URLSearchParams(query)}`)
      assert.equal(status, 200)
      assert.equal(data.totalDocs, data.docs.length)
      return data.docs.map(({ name }: { name: string }) => name.split(' ')[0]).sort()
    }

    for (const [search, names] of [
      ['okafor', ['Chukwuemeka']],
      ['OKA', ['Chukwuemeka']],
      ['chukwu oka', ['Chukwuemeka']],
      ['oka chukwu', ['Chukwuemeka']],
      ['oka oka', ['Chukwuemeka']],
      ['emeka', ['Chukwuemeka']],
      ['chukwu soyinka', []],
      ['kafor', []],
      ['olayinka', ['Ọláyínká']],
      ['Ọláyínká soy', ['Ọláyínká']],
      ['ọ', ['Chukwuemeka', 'José-María', 'Ọláyínká'].sort()],
      ['jose maria', ['José-María']],
      ['JOSÉ-MAR', ['José-María']],
      ["o'neil", ['José-María']],
      ['24', ['ACME']],
      ['(lagos)', ['ACME']],
      ['emeka.okafor@mail.example.com', ['Chukwuemeka']],
      ['Emeka.Okafor@Mail', ['Chukwuemeka']],
      ['okafor@mail', []],
      ['@acme', ['ACME']],
      ['jose+shop@ex', ['José-María']],
      ['example', ['ACME', 'Chukwuemeka', 'José-María', 'Ọláyínká']],
      ['example com', ['Chukwuemeka', 'José-María']],
      ['!!', []],
      [' ', []],
      ['%', []],
      ['okafor%', ['Chukwuemeka']],
      ['nobody', []],
    ] as const)
      it(`by '${search}': ${names.length}`, async () =>
        assert.deepEqual(await found({ search }), names))

    it('by their email address, whatever its case', async () => {
      assert.deepEqual(await found({ email: 'emeka.okafor@mail.example.com' }), ['Chukwuemeka'])
      assert.deepEqual(await found({ email: 'EMEKA.OKAFOR@mail.example.com' }), ['Chukwuemeka'])
      assert.deepEqual(await found({ email: 'emeka.okafor@mail' }), [])
      assert.deepEqual(await found({ email: 'emeka.okafor@mail.example.com', search: 'chuk' }), [
        'Chukwuemeka',
      ])
      assert.deepEqual(await found({ email: 'emeka.okafor@mail.example.com', search: 'acme' }), [])
    })

    it('by names in any script with their vowels, and whatever nobody sees', async () => {
      for (const [i, name] of ['सुनील', 'सनल', 'Ay\u200bomide'].entries())
        assert.equal(
          (await call('POST', '/customers', { name, email: `${i}@scripts.test` })).status,
          201,
        )
      assert.deepEqual(await found({ search: 'सुनी' }), ['सुनील'])
      assert.deepEqual(await found({ search: 'सन' }), ['सनल'])
      for (const search of ['ayomide', 'ayo\u200bmi', 'ayo\ufeffmide'])
        assert.deepEqual(await found({ search }), ['Ay\u200bomide'])
    })

    it('by their new words only, once they are changed', async () => {
      const path = `/customers/${ids['ACME Stores (Lagos) 24/7']}`
      await call('PUT', path, { name: 'Zenith Traders' })
      assert.deepEqual(
        [await found({ search: 'stores' }), await found({ search: 'zen tra' })],
        [[], ['Zenith']],
      )
      assert.deepEqual(await found({ search: 'acme' }), ['Zenith'])
      await call('PUT', path, { email: 'pay@zenith.example' })
      assert.deepEqual(
        [await found({ search: 'acme' }), await found({ search: 'pay@zen' })],
        [[], ['Zenith']],
      )
      assert.deepEqual(await found({ email: 'billing@acme.example' }), [])
    })

    it('by words that are few, short and whole', () => {
      const letters = Array.from({ length: 100 }, (_, at) =>
        String.fromCodePoint(0x4e00 + at),
      ).join(' ')
      const many = wordsOf({ name: letters, email: 'a.b@example.com' })
      assert.equal(many.length, 50)
      assert.equal(many[0], 'a.b@example.com')
      const [long] = wordsOf({
        name: '𝒳'.repeat(90) + '😀'.repeat(5) + '𠀀'.repeat(120),
        email: '',
      })
      assert.equal(long, 'x'.repeat(90))
      const [astral] = wordsOf({ name: '𠀀'.repeat(120), email: '' })
      assert.equal(astral, '𠀀'.repeat(100))
      assert.deepEqual(termsOf('𠀀'.repeat(120)), [astral])
      assert.deepEqual(wordsOf({ name: 'Ada ADA ada', email: 'ada@ada.ng' }), [
        'ada@ada.ng',
        'ada',
        'ng',
      ])
      assert.deepEqual(wordsOf({ name: '?!', email: '' }), [])
      assert.deepEqual(termsOf(' @ !! '), [])
    })

    it('page by page and by cursor, newest first, deleted ones left out', async () => {
      const paged = await newBusiness(server, 'Paged Business')
      const names = ['1', '2', '3', '4', '5', '6', '7']
      const made: string[] = []
      for (const name of names)
        made.push(
          (await paged('POST', '/customers', { name: `Page ${name}`, email: 'p@example.com' })).data
            .id,
        )
      await paged('DELETE', `/customers/${made[3]}`)
      const left = made.toReversed().filter((id) => id !== made[3])
      for (const filter of ['', '&email=P@example.com', '&search=page', '&search=pa%20p@ex']) {
        const first = (await paged('GET', `/customers?limit=4${filter}`)).data
        const { docs, ...numbers } = first
        assert.deepEqual(numbers, {
          totalDocs: 6,
          limit: 4,
          page: 1,
          totalPages: 2,
          hasNextPage: true,
          hasPrevPage: false,
          nextPage: 2,
          prevPage: null,
        })
        const second = (await paged('GET', `/customers?limit=4&page=2${filter}`)).data
        assert.deepEqual(
          [...docs, ...second.docs].map(({ id }: { id: string }) => id),
          left,
        )
        const after = (await paged('GET', `/customers?limit=4&after=${docs[3].id}${filter}`)).data
        assert.deepEqual(after.docs, second.docs)
        assert.equal(after.hasNextPage, false)
      }
      // Deleted while its list was read: the reader goes on from where it was.
      const gone = await paged('GET', `/customers?after=${made[3]}`)
      assert.deepEqual(
        gone.data.docs.map(({ id }: { id: string }) => id),
        made.slice(0, 3).toReversed(),
      )
    })

    it('by an index, among many', async () => {
      const { business } = await createBusiness(server.app, 'Big Business')
      await server.app.db.query(
        `insert into customers (business_id, livemode, id, name, email, type, created_at, updated_at, deleted_at)
         select $1, false, lpad(to_hex(n), 24, '0'), 'Name' || n, 'Mail' || n || '@example.com', 'individual', t.at, t.at,
                case when n % 10 = 0 then t.at end
           from generate_series(1, 6000) as n, lateral (select timestamptz '2026-01-01' + n * interval '1 minute') as t(at)`,
        [business.id],
      )
      await server.app.db.query(
        `insert into customer_words (business_id, livemode, customer_id, word)
         select business_id, livemode, id, unnest(array[lower(name), lower(email), 'example']) from customers
          where business_id = $1 and deleted_at is null`,
        [business.id],
      )
      await server.asOwner('analyze customers')
      await server.asOwner('analyze customer_words')
      const asked: { text: string; params: unknown[] }[] = []
      const noted = <Row>(
        { name, text }: Statement<Row>,
        params: unknown[] = [],
      ): Statement<Row> => {
        asked.push({ text, params })
        return { name, text }
      }
      const db: Database = {
        ...server.app.db,
        rows: (statement, params) => server.app.db.rows(noted(statement, params), params),
        row: (statement, params) => server.app.db.row(noted(statement, params), params),
      }
      const watched = outside({ ...server.app, db }, await scopeOf(server.app, business.id, false))
      const explain = async (text: string, params?: unknown[]): Promise<string> =>
        (await server.app.db.query<{ 'QUERY PLAN': string }>(text, params))
          .map((row) => row['QUERY PLAN'])
          .join('\n')
      /**
       * For each statement the plan for its values, and the one that a connection may keep for all
       * values.
       */
      const plans = async (): Promise<string[]> => {
        const lists = asked.splice(0).filter(({ text }) => !text.startsWith('select created_at'))
        const both = lists.map(({ text, params }) => [
          explain(`explain ${text}`, params),
          explain(`explain (generic_plan) ${text}`),
        ])
        return Promise.all(both.flat())
      }

      const last = (5999).toString(16).padStart(24, '0')
      // Of few records on a page the planner hopes to meet enough of them among the newest.
      for (const [query, matches, index] of [
        [{ email: 'MAIL77@example.com' }, 1, 'customers_email'],
        [{ search: 'name77' }, 10, 'customer_words_pkey'],
        [{ search: 'name77 mail77' }, 10, 'customer_words_pkey'],
        [{ search: 'name77 mail771@exa', email: 'mail771@example.com' }, 1, 'customer_words_pkey'],
        [{ search: 'nothing' }, 0, 'customer_words_pkey'],
      ] as const)
        for (const more of [{}, { limit: 1 }, { after: last }, { after: last, limit: 1 }]) {
          assert.equal((await list(watched, { ...query, ...more })).totalDocs, matches)
          const found = await plans()
          assert.ok(found.length >= 2)
          assert.ok(found.some((plan) => plan.includes(index)))
          for (const plan of found) {
            // By that index, or by the ids that it gave.
            assert.match(plan, new RegExp(`${index}|customers_pkey`), JSON.stringify(query))
            assert.ok(
              !plan.includes('Seq Scan'),
              `${JSON.stringify(query)} reads a whole table:\n${plan}`,
            )
          }
        }
      for (const cursor of [{}, { after: last }]) {
        assert.equal((await list(watched, cursor)).totalDocs, 5400)
        const found = await plans()
        // The total counts them all, whatever it reads; the page itself is read in its order.
        for (const plan of found.slice(2)) assert.match(plan, /Index Scan using customers_newest/)
      }
    })
  })
})
