/**
 * Goal: a merchant answers a dispute once, with texts and files that nobody can read at rest.
 * Method: test keys over HTTP, and the tables behind them.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { extractText, getDocumentProxy } from 'unpdf'
import {
  ctxOf,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { makePng, pictures } from '../../../test/support/pictures.ts'
import { verifyBooks } from '../../app/open.ts'
import type { Ctx } from '../../core/outside.ts'
import { later } from '../../lib/clock.ts'
import { answerTasks } from './answering.ts'
import { readEvidenceFile } from './files.ts'
import { forgetEvidenceTask } from './personal.ts'

const dayMs = 86_400_000
const neverStops = new AbortController().signal

const pdf = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n')
const base64 = (bytes: Buffer): string => bytes.toString('base64')

describe('the evidence of a dispute', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  const disputed = async (more: object = {}): Promise<Json> => {
    const order = { amount: 500_000, currency: 'ngn', ...more }
    const { id } = await must(server.call('POST', '/payments', order))
    await must(server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed' }))
    return must(server.call('POST', `/payments/${id}/simulate-dispute`, {}))
  }
  const read = ({ id }: Json) => must(server.call('GET', `/disputes/${id}/evidence`))
  const put = ({ id }: Json, body: object) => server.call('PUT', `/disputes/${id}/evidence`, body)
  const send = ({ id }: Json, act: 'submit' | 'accept') =>
    server.call('POST', `/disputes/${id}/${act}`)
  const ended = (dispute: Json) =>
    until(async () => {
      const now = await read(dispute)
      return now.status === 'sending' ? null : now
    })
  /** Refused, and nothing of the evidence changed. */
  const refused = async (
    dispute: Json,
    call: () => Promise<Json>,
    status: number,
    code: string,
  ) => {
    const before = await read(dispute)
    const answer = await call()
    assert.deepEqual([answer.status, answer.code], [status, code])
    assert.deepEqual(await read(dispute), before)
  }

  it('is texts and files, of which what is left out stays, and null takes away', async () => {
    const dispute = await disputed()
    assert.deepEqual((await read(dispute)).needs, ['explanation'])
    const files = { receipt: base64(pdf), other: base64(makePng({ width: 40 })) }
    await must(put(dispute, { explanation: 'Delivered by hand.', files }))
    await must(put(dispute, { customer_name: 'Ada', files: { other: null } }))
    const now = await read(dispute)
    assert.deepEqual(
      [now.explanation, now.customer_name, now.status, now.by_api, now.needs],
      ['Delivered by hand.', 'Ada', 'draft', true, []],
    )
    assert.deepEqual(
      now.files.map(({ kind, type, bytes }: Json) => [kind, type, bytes]),
      [['receipt', 'application/pdf', pdf.length]],
    )
  })

  it('takes files by their content and size, and refuses others at their place', async () => {
    const dispute = await disputed()
    for (const [file, said] of [
      [Buffer.from('<html>%PDF-1.4</html>'), 'files.receipt is no PDF, PNG or JPEG file'],
      [Buffer.from('%PDF-1.4 cut'), 'files.receipt is a PDF that is cut off'],
      [Buffer.from('%PDF-1.4 /Encrypt %%EOF'), 'files.receipt is a PDF with a password'],
      [makePng({ width: 40 }).subarray(0, 60), 'files.receipt is'],
    ] as const) {
      const answer = await put(dispute, { explanation: 'x', files: { receipt: base64(file) } })
      assert.deepEqual([answer.status, answer.code], [422, 'validation_failed'])
      assert.ok(answer.data[0].message.startsWith(said), JSON.stringify(answer.data))
    }
    const large = Buffer.concat([pdf, Buffer.alloc(1_048_577)])
    await refused(
      dispute,
      () => put(dispute, { files: { receipt: base64(large) } }),
      422,
      'validation_failed',
    )
    assert.equal((await read(dispute)).explanation, null)
    const jpeg = readEvidenceFile(pictures.jpeg)
    assert.equal(typeof jpeg === 'string' ? jpeg : jpeg.type, 'image/jpeg')
  })

  it('is encrypted at rest', async () => {
    const dispute = await disputed()
    await must(put(dispute, { explanation: 'Nobody reads this.', files: { receipt: base64(pdf) } }))
    const [row] = await server.app.db.query<{ texts: Buffer; content: Buffer }>(
      'select e.texts, f.content from dispute_evidence e join dispute_files f on f.dispute_id = e.id where e.id = $1',
      [dispute.id],
    )
    for (const bytes of [row?.texts, row?.content]) {
      assert.equal(bytes?.[0], 2)
      for (const secret of ['Nobody', '%PDF', base64(pdf)]) assert.ok(!bytes?.includes(secret))
    }
  })

  it('is submitted once, when what is needed is there', async () => {
    const dispute = await disputed()
    await refused(dispute, () => send(dispute, 'submit'), 400, 'evidence_incomplete')
    await must(put(dispute, { explanation: 'Delivered.' }))
    await must(send(dispute, 'submit'))
    const sent = await ended(dispute)
    assert.deepEqual([sent.status, sent.accepts], ['sent', false])
    assert.ok(sent.submitted_at)
    for (const call of [
      () => send(dispute, 'submit'),
      () => send(dispute, 'accept'),
      () => put(dispute, { explanation: 'Another.' }),
    ])
      await refused(dispute, call, 409, 'dispute_answered')
    const { docs } = await must(server.call('GET', '/audit?limit=5'))
    assert.equal(docs[0].action, 'dispute.evidence_submitted')
  })

  it('is not needed to accept a dispute, which is lost then; a decided one takes no answer', async () => {
    const dispute = await disputed()
    await must(send(dispute, 'accept'))
    await ended(dispute)
    assert.equal((await must(server.call('GET', `/disputes/${dispute.id}`))).status, 'lost')
    for (const call of [
      () => send(dispute, 'submit'),
      () => send(dispute, 'accept'),
      () => put(dispute, { explanation: 'Late.' }),
    ])
      await refused(dispute, call, 400, 'dispute_already_closed')
  })

  it('is not sent where the provider takes no answers', async () => {
    const dispute = await disputed()
    await must(put(dispute, { explanation: 'Delivered.' }))
    await server.app.db.query(`update disputes set rail = 'monnify' where id = $1`, [dispute.id])
    assert.equal((await read(dispute)).by_api, false)
    for (const act of ['submit', 'accept'] as const)
      await refused(dispute, () => send(dispute, act), 400, 'dispute_answered_elsewhere')
    await server.app.db.query(`update disputes set rail = 'sandbox' where id = $1`, [dispute.id])
  })

  it('is nobody else’s', async () => {
    const dispute = await disputed()
    const other = server.callAs(server.liveKey)
    for (const [method, path, body] of [
      ['GET', 'evidence', undefined],
      ['GET', 'evidence/pdf', undefined],
      ['PUT', 'evidence', { explanation: 'Mine.' }],
      ['POST', 'submit', undefined],
      ['POST', 'accept', undefined],
    ] as const) {
      const answer = await other(method, `/disputes/${dispute.id}/${path}`, body)
      assert.deepEqual([answer.status, answer.code], [404, 'not_found'])
    }
    assert.equal((await read(dispute)).explanation, null)
  })

  it('is one PDF with the receipt, the delivery log and the proof of the ledger', async () => {
    const dispute = await disputed({ reference: 'order-9', description: 'Three dresses' })
    const files = { receipt: base64(pdf), delivery: base64(makePng({ width: 400 })) }
    await must(put(dispute, { explanation: 'Handed over in the shop.', files }))
    const response = await fetch(`${server.url}/disputes/${dispute.id}/evidence/pdf`, {
      headers: { authorization: `Bearer ${server.testKey}` },
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    assert.equal(response.headers.get('content-type'), 'application/pdf')
    assert.ok(Buffer.from(bytes).includes('/EmbeddedFile'), 'the attached PDF')
    // It takes the bytes away.
    const document = await getDocumentProxy(bytes)
    const { text, totalPages } = await extractText(document, { mergePages: true })
    for (const said of [
      'Handed over in the shop.',
      'order-9',
      'Three dresses',
      '₦5,000.00',
      'Delivery log',
      'Proof of the ledger',
      'Proof of delivery',
    ])
      assert.ok(text.includes(said), `${said}: ${text}`)
    assert.equal(totalPages, 2)
  })

  it('goes with the payer', async () => {
    const person = { name: 'Ada Okafor', email: 'ada.evidence@shop.example' }
    const { id: customer } = await must(server.call('POST', '/customers', person))
    const dispute = await disputed({ customer })
    await must(put(dispute, { explanation: 'Ada has it.', files: { receipt: base64(pdf) } }))
    await must(server.call('POST', `/disputes/${dispute.id}/simulate`, { outcome: 'won' }))
    await must(server.call('DELETE', `/customers/${customer}`))
    await must(server.call('POST', `/customers/${customer}/erase`))
    const [row] = await server.app.db.query<{ texts: null; content: null }>(
      'select e.texts, f.content from dispute_evidence e join dispute_files f on f.dispute_id = e.id where e.id = $1',
      [dispute.id],
    )
    assert.deepEqual(row, { texts: null, content: null })
  })

  const stored = async ({ id }: Json): Promise<Json> => {
    const [row] = await server.app.db.query<Json>(
      `select e.texts is null as no_texts, e.failure, bool_and(f.content is null) as no_files
         from dispute_evidence e left join dispute_files f on f.dispute_id = e.id where e.id = $1 group by e.texts, e.failure`,
      [id],
    )
    return row as Json
  }
  const kept = { no_texts: false, failure: null, no_files: false }
  const empty = { no_texts: true, failure: null, no_files: true }
  const eraseByEmail = async (email: string): Promise<void> => {
    const { id } = await must(server.call('POST', '/customers', { name: 'Ada', email }))
    await must(server.call('DELETE', `/customers/${id}`))
    await must(server.call('POST', `/customers/${id}/erase`))
  }

  it('of an open dispute stays when its payer, who is no customer, is erased, and goes once it is decided', async () => {
    const email = 'guest.evidence@shop.example'
    const dispute = await disputed({ email })
    const failed = await disputed({ email })
    for (const one of [dispute, failed])
      await must(put(one, { explanation: 'She has it.', files: { receipt: base64(pdf) } }))
    await server.app.db.query(
      `update dispute_evidence set status = 'refused', failure = 'Not from Ada' where id = $1`,
      [failed.id],
    )
    await eraseByEmail(email)
    assert.deepEqual(await stored(dispute), kept)
    await must(send(dispute, 'submit'))
    assert.equal((await ended(dispute)).status, 'sent')
    for (const { id } of [dispute, failed])
      await must(server.call('POST', `/disputes/${id}/simulate`, { outcome: 'won' }))
    assert.deepEqual(await stored(dispute), empty)
    assert.deepEqual(await stored(failed), { ...empty, failure: 'erased' })
  })

  it('of a decided dispute goes with its payer, who is no customer', async () => {
    const email = 'guest.decided@shop.example'
    const dispute = await disputed({ email })
    await must(put(dispute, { explanation: 'She has it.', files: { receipt: base64(pdf) } }))
    await must(server.call('POST', `/disputes/${dispute.id}/simulate`, { outcome: 'lost' }))
    assert.deepEqual(await stored(dispute), kept)
    await eraseByEmail(email)
    assert.deepEqual(await stored(dispute), empty)
  })

  it('is not sent without texts, and says why', async () => {
    const dispute = await disputed()
    await must(put(dispute, { explanation: 'She has it.' }))
    await server.asOwner(`create function forget_texts() returns trigger language plpgsql as $$
      begin new.texts = null; return new; end $$;
      create trigger forget_texts before update on dispute_evidence for each row
        when (new.id = '${dispute.id}' and new.status = 'sending') execute function forget_texts()`)
    await must(send(dispute, 'submit'))
    const { status, failure } = await ended(dispute)
    assert.deepEqual([status, failure], ['refused', 'The evidence was erased before it was sent.'])
    await server.asOwner('drop function forget_texts() cascade')
  })

  it('is not marked as sent by a late run that sent the answer before it', async () => {
    const dispute = await disputed()
    await must(put(dispute, { explanation: 'She has it.' }))
    const change = (set: string) =>
      server.app.db.query(`update dispute_evidence set ${set} where id = $1`, [dispute.id])
    await change(`status = 'sending'`)
    const ctx = await ctxOf(server)
    const resubmitted: Ctx = {
      ...ctx,
      async write(run) {
        await change('answer_number = answer_number + 1')
        return ctx.write(run)
      },
    }
    await answerTasks['disputes.answer']?.(resubmitted, { dispute_id: dispute.id }, neverStops)
    assert.equal((await read(dispute)).status, 'sending')
    await answerTasks['disputes.answer']?.(ctx, { dispute_id: dispute.id }, neverStops)
    assert.equal((await read(dispute)).status, 'sent')
  })

  it('of a guest that was written after its payer was erased goes after PAYERS_KEEP, once the dispute is decided', async () => {
    const email = 'guest.late@shop.example'
    const [dispute, open] = [await disputed({ email }), await disputed({ email })]
    await eraseByEmail(email)
    for (const one of [dispute, open])
      await must(put(one, { explanation: 'She has it.', files: { receipt: base64(pdf) } }))
    await must(server.call('POST', `/disputes/${dispute.id}/simulate`, { outcome: 'won' }))
    const run = (days: number, keepDays: number) => {
      const clock = { ...server.app.clock, now: () => later(new Date(), days * dayMs) }
      const config = { ...server.app.config, PAYERS_KEEP: keepDays * dayMs }
      return forgetEvidenceTask({ ...server.app, clock, config }).run('test')
    }
    await run(400, 0)
    await run(89, 90)
    assert.deepEqual(await stored(dispute), kept)
    await run(91, 90)
    assert.deepEqual([await stored(dispute), await stored(open)], [empty, kept])
  })

  it('that is being sent without a job is a fault that the check of the books finds', async () => {
    const dispute = await disputed()
    await must(put(dispute, { explanation: 'She has it.' }))
    const change = (status: string) =>
      server.app.db.query('update dispute_evidence set status = $2 where id = $1', [
        dispute.id,
        status,
      ])
    await change('sending')
    const { differences } = await verifyBooks(server.app)
    assert.ok(differences.some(({ what }) => what === `the answer to dispute ${dispute.id}`))
    await change('draft')
  })
})
