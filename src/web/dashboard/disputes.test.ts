/**
 * Goal: a person answers a dispute from its page, without scripts, and sees how much time is left.
 * Method: the pages over HTTP with simulated disputes, whose clock is the test clock.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hiddenOf, shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import {
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { pictures } from '../../../test/support/pictures.ts'
import { timeLeft } from './deadline.ts'

describe('the page of a dispute', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await startServer()
    owner = await signedIn(server)
  })
  after(() => server.stop())

  const dispute = async (): Promise<Json> => {
    const { id } = await must(
      server.call('POST', '/payments', { amount: 500_000, currency: 'ngn' }),
    )
    await must(server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed' }))
    return must(server.call('POST', `/payments/${id}/simulate-dispute`, {}))
  }

  it('counts the days and hours to its deadline down, by the test clock', async () => {
    const { id } = await dispute()
    const pages = [`/disputes/${id}`, '/disputes', '']
    const says = async (left: RegExp) => {
      for (const path of pages) assert.match(await shown(owner.get(path)), left)
    }
    await says(/\(6 days left\)/)
    await must(server.call('POST', '/test/clock', { advance: '6d' }))
    await says(/\(23 hours left\)/)
    await must(server.call('POST', '/test/clock', { advance: '2d' }))
    await says(/\(the deadline has passed\)/)
  })
})

describe('the answer to a dispute', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await startServer()
    owner = await signedIn(server)
  })
  after(() => server.stop())

  const disputed = async (more: object = {}): Promise<string> => {
    const order = { amount: 500_000, currency: 'ngn', ...more }
    const { id } = await must(server.call('POST', '/payments', order))
    await must(server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed' }))
    return (await must(server.call('POST', `/payments/${id}/simulate-dispute`, {}))).id
  }
  /** Sends the form of the page, with files. */
  const save = async (id: string, fields: Record<string, string | Blob>) => {
    const { key = '' } = hiddenOf(await shown(owner.get(`/disputes/${id}/evidence`)))
    const body = new FormData()
    for (const [name, value] of Object.entries({ csrf: owner.csrf, key, ...fields }))
      body.append(name, value)
    const path = `/disputes/${id}/evidence`
    return owner.send(path, body)
  }
  const evidence = (id: string) => must(server.call('GET', `/disputes/${id}/evidence`))

  it('is written, with what is known of the customer, and submitted after a review', async () => {
    const person = { name: 'Ada Okafor', email: 'ada@shop.example', phone: '+2348012345678' }
    const { id: customer } = await must(server.call('POST', '/customers', person))
    const id = await disputed({ customer })
    assert.match(await shown(owner.get(`/disputes/${id}`)), /Still needed: what was sold/)
    const form = await shown(owner.get(`/disputes/${id}/evidence`))
    for (const value of Object.values(person)) assert.ok(form.includes(value), value)
    const receipt = new Blob([new Uint8Array(pictures.png)])
    const saved = await save(id, {
      explanation: 'Handed over.',
      customer_phone: '0801 234 5678',
      receipt,
    })
    assert.equal(saved.status, 303)
    const { files, ...kept } = await evidence(id)
    assert.deepEqual(
      [files[0].kind, files[0].type, kept.explanation, kept.customer_phone],
      ['receipt', 'image/png', 'Handed over.', person.phone],
    )
    assert.match(await shown(owner.get(`/disputes/${id}?done=evidence`)), /is not submitted yet/)
    assert.match(await shown(owner.get('')), /Disputes to answer/)
    const review = await shown(owner.get(`/disputes/${id}/submit`))
    assert.match(review, /receipt or invoice go to the provider/)
    const { key = '' } = hiddenOf(review)
    const done = await owner.post(`/disputes/${id}/submit`, { step: 'do', key })
    assert.match(done.location ?? '', /done=submit/)
    await until(async () => (await evidence(id)).status === 'sent')
    const page = await shown(owner.get(`/disputes/${id}`))
    assert.match(page, /Evidence submitted/)
    assert.doesNotMatch(page, /Accept dispute/)
    // Nothing is left to do about it.
    assert.doesNotMatch(await shown(owner.get('')), /Disputes to answer/)
  })

  it('keeps what was typed when a file is refused, which is said at its field', async () => {
    const id = await disputed()
    const delivery = new Blob(['no picture'])
    const { status, html } = await save(id, { explanation: 'Typed for long.', delivery })
    assert.equal(status, 422)
    assert.match(html, /Proof of delivery is no PDF, PNG or JPEG file/)
    assert.match(html, /Typed for long\./)
    const large = await save(id, { delivery: new Blob([new Uint8Array(5_000_000)]) })
    assert.match(large.html, /The file is larger than 1 MiB/)
    assert.deepEqual((await evidence(id)).files, [])
  })

  it('is the operator’s where the provider takes none from here, with the bundle', async () => {
    const id = await disputed()
    await server.app.db.query(`update disputes set rail = 'monnify' where id = $1`, [id])
    const page = await shown(owner.get(`/disputes/${id}`))
    assert.match(page, /The operator submits it in the provider’s dashboard/)
    assert.doesNotMatch(page, /Accept dispute/)
    const bundle = await owner.get(`/disputes/${id}/bundle`)
    assert.equal(bundle.headers.get('content-type'), 'application/pdf')
    await server.app.db.query(`update disputes set rail = 'sandbox' where id = $1`, [id])
  })

  it('is shown to a viewer, who changes nothing', async () => {
    const id = await disputed()
    const viewer = await signedIn(server, 'viewer')
    const page = await shown(viewer.get(`/disputes/${id}`))
    assert.doesNotMatch(page, /Add evidence|Accept dispute/)
    const { key } = { key: `page-${'x'.repeat(24)}` }
    const body = { explanation: 'Mine.', key }
    assert.equal((await viewer.post(`/disputes/${id}/evidence`, body)).status, 403)
    assert.equal((await evidence(id)).explanation, null)
  })
})

describe('the time that is left', () => {
  it('is said in the largest unit of which there are two', () => {
    const now = new Date('2026-11-30T00:00:00Z')
    for (const [until, said] of [
      ['2026-12-02T00:00:00Z', '2 days left'],
      ['2026-12-01T23:59:00Z', '47 hours left'],
      ['2026-11-30T01:59:00Z', '119 minutes left'],
      ['2026-11-30T00:00:30Z', '1 minute left'],
      ['2026-11-30T00:00:00Z', 'the deadline has passed'],
    ] as const)
      assert.equal(timeLeft(now, new Date(until)), said)
  })
})
