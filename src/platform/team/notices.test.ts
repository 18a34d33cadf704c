/**
 * Goal: the people of a business are mailed what needs somebody, once, few at a time, and only
 * those who want it. Method: payouts, endpoints and incidents of a whole server; its mails are read
 * where they are kept, and by an SMTP server on this machine.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { keyWith } from '../../../test/support/approvers.ts'
import { hiddenOf, shown, visitor } from '../../../test/support/dashboard.ts'
import {
  bankPayout,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { type SignedIn, signIn } from '../../../test/support/people.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import type { Actor } from '../../core/app.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { manualClock } from '../../lib/clock.ts'
import { create, prepare } from '../../paying-out/payouts/payouts.ts'
import { openIncident } from '../incidents/incidents.ts'
import { watchOutages } from '../webhooks/webhooks.ts'
import { mailNotices } from './notices.ts'
import { rightsOf } from './roles.ts'

const hour = 3_600_000
const clock = manualClock(new Date('2026-11-22T09:00:00Z'))
let smtp: Awaited<ReturnType<typeof startSmtp>>
let receiver: Receiver
let server: TestServer
before(async () => {
  smtp = await startSmtp()
  receiver = await startReceiver()
  const env = {
    WEBHOOK_CA_FILE: receiver.caFile,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_RETRY_DELAYS: '1h',
  }
  server = await startServer({ SMTP_URL: smtp.url, SANDBOX_DELAY: '1h', ...env }, undefined, clock)
})
after(async () => {
  await server.stop()
  await Promise.all([smtp.stop(), receiver.stop()])
})

type Mail = { recipient: string; subject: string; body: string; status: string }
const mails = (): Promise<Mail[]> =>
  server.app.db.query(
    `select recipient, subject, body, status from mails where about like 'notice.%' order by id, recipient`,
  )

/**
 * The mails that were written since the last look: at once the task of the server may have written
 * some.
 */
let seen = 0
async function newMails(count: number): Promise<Mail[]> {
  await mailNotices(server.app)
  const all = await until(async () => {
    const written = await mails()
    return written.length >= seen + count ? written : null
  })
  const fresh = all.slice(seen)
  seen = all.length
  assert.equal(fresh.length, count, JSON.stringify(fresh))
  return fresh
}

const waiting = (): Promise<Json[]> =>
  server.app.db.query('select kind, line from team_notices order by kind, id')

/** One who is on no list by the role: told of nothing unless asked for. */
let people: Record<'owner' | 'finance' | 'developer' | 'viewer', SignedIn>
let count = 0
const failed = async (n: number): Promise<void> => {
  const made = Array.from({ length: n }, async () => {
    const reference = `fails-${++count}`
    await must(server.call('POST', '/payouts', bankPayout(reference, 500_000)))
    await must(
      server.call('POST', `/payouts/${reference}/simulate`, {
        outcome: 'failed',
        failure_reason: 'rejected',
      }),
    )
  })
  await Promise.all(made)
}

describe('notices to the team', () => {
  before(async () => {
    await server.fund('ngn', 100_000_000)
    people = {
      owner: await signIn(server, 'owner'),
      finance: await signIn(server, 'finance'),
      developer: await signIn(server, 'developer'),
      viewer: await signIn(server, 'viewer'),
    }
  })
  const emailsOf = (mails: Mail[]) => mails.map(({ recipient }) => recipient)

  it('are of payouts that fail, to the roles that they concern: one mail in an hour, with their number', async () => {
    await failed(1)
    const first = await newMails(2)
    assert.deepEqual(emailsOf(first), [people.owner.email, people.finance.email])
    const { subject, body = '', status } = first[0] as Mail
    assert.equal(subject, 'A payout failed or came back – Test Business')
    assert.match(body, /^- fails-1: ₦5,000\.00, failed \(rejected\)$/m)
    assert.match(body, new RegExp(`${server.url}/dashboard/${server.businessId}/test/payouts\n`))
    assert.deepEqual([status, /\(Test mode/.test(body)], ['captured', true])

    await failed(12)
    await mailNotices(server.app)
    assert.equal((await waiting()).length, 12)
    clock.advance(hour)
    // Of two processes at once, one mails.
    await Promise.all([mailNotices(server.app), mailNotices(server.app)])
    const [digest] = await newMails(2)
    assert.equal(digest?.subject, '12 payouts failed or came back – Test Business')
    assert.equal([...(digest?.body ?? '').matchAll(/^- /gm)].length, 10)
    assert.match(digest?.body ?? '', /^and 2 more\.$/m)
    assert.deepEqual(await waiting(), [])
  })

  it('are of payouts that come back', async () => {
    clock.advance(hour)
    await must(server.call('POST', '/payouts', bankPayout('back-1', 500_000)))
    for (const outcome of ['completed', 'returned'])
      await must(server.call('POST', '/payouts/back-1/simulate', { outcome }))
    const [mail] = await newMails(2)
    assert.match(mail?.body ?? '', /^- back-1: ₦5,000\.00, returned/m)
  })

  it('are of disputes, with the payment, the deadline and a link to each', async () => {
    clock.advance(hour)
    const order = { amount: 450_000, currency: 'ngn', reference: 'order-7' }
    const { id } = await must(server.call('POST', '/payments', order))
    await must(server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed' }))
    const dispute = await must(server.call('POST', `/payments/${id}/simulate-dispute`, {}))
    const link = `${server.url}/dashboard/${server.businessId}/test/disputes/${dispute.id}`
    const [opened] = await newMails(2)
    const due = '29 November 2026 at \\d\\d:00 \\(UTC\\)'
    const said = `The payer’s bank disputes ₦4,500.00 of payment order-7. Send your evidence by ${due}.`
    assert.match(opened?.body ?? '', new RegExp(`^- ${said} ${link}$`, 'm'))
    clock.advance(hour)
    await must(server.call('POST', `/disputes/${dispute.id}/simulate`, { outcome: 'lost' }))
    const [decided] = await newMails(2)
    const lost = `- You lost the dispute of ₦4,500.00 of payment order-7. ${link}\n`
    assert.ok(decided?.body.includes(lost), decided?.body)
  })

  it('are of payouts that wait, but to who made them', async () => {
    const manager = await keyWith(server, ['manage'])
    const limit = (approve_above: number | null) =>
      must(manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above }] }))
    await limit(0)
    const { personId: id, email: hint } = people.finance
    const at = clock.now()
    const actor: Actor = {
      type: 'person',
      id,
      hint,
      scopes: rightsOf('finance', false),
      address: '::1',
      at,
    }
    const ctx = outside(server.app, {
      ...(await scopeOf(server.app, server.businessId, false)),
      actor,
    })
    const order = await prepare(ctx, bankPayout('waits-1', 100_000) as never)
    await ctx.write((work) => create(work, order))
    const mails = await newMails(1)
    assert.deepEqual(emailsOf(mails), [people.owner.email])
    assert.match(
      mails[0]?.body ?? '',
      /^A payout waits for a second person \(Test Business\)\.\n\n- waits-1: ₦1,000\.00$/m,
    )
    assert.match(mails[0]?.body ?? '', /\/test\/approvals$/m)
    await limit(null)
  })

  it('are of an endpoint that takes nothing, once until something comes', async () => {
    receiver.answer = 500
    const { id } = await must(
      server.call('POST', '/webhooks', { url: receiver.url, events: ['*'] }),
    )
    const sample = () =>
      must(server.call('POST', `/webhooks/${id}/test`, { type: 'payout.failed' }))
    await sample()
    const isTried = async () =>
      (await server.app.db.query('select from webhook_attempts where response_status = 500'))
        .length > 0
    await until(isTried)
    await watchOutages(server.app)
    assert.deepEqual(
      (await waiting()).filter(({ kind }) => kind === 'endpoint_failing'),
      [],
      'not at once',
    )
    clock.advance(15 * 60_000)
    for (let n = 0; n < 2; n++) await watchOutages(server.app)
    const mails = await newMails(2)
    assert.deepEqual(emailsOf(mails), [people.owner.email, people.developer.email])
    assert.match(mails[0]?.body ?? '', new RegExp(`^- ${receiver.url}`, 'm'))
    clock.advance(2 * hour)
    await watchOutages(server.app)
    assert.deepEqual(
      (await waiting()).filter(({ kind }) => kind === 'endpoint_failing'),
      [],
    )
    receiver.answer = 200
    await sample()
    await until(
      async () =>
        (await server.app.db.query(`select from webhook_deliveries where status = 'succeeded'`))
          .length > 0,
    )
    await watchOutages(server.app)
    assert.deepEqual(await server.app.db.query('select from webhook_outages'), [])
    await must(server.call('DELETE', `/webhooks/${id}`))
  })

  it('are of incidents about a record of the business, by mail in live mode, as each person wants them', async () => {
    const open = (subject: string, businessId?: string) =>
      openIncident(server.app.db, {
        livemode: true,
        rail: 'acme',
        kind: 'amount_differs',
        subject,
        detail: {},
        at: clock.now(),
        ...(businessId !== undefined && { businessId }),
      })
    const pageOf = (who: SignedIn) => visitor(server.url, '/dashboard/account', who.headers.cookie)
    const choose = async (who: SignedIn, chosen: string[], business = server.businessId) => {
      const { csrf = '' } = hiddenOf(await shown(pageOf(who).get('/dashboard/account')))
      const boxes = Object.fromEntries(chosen.map((kind) => [`${business}.${kind}`, 'true']))
      return pageOf(who).post('/notices', { csrf, business, ...boxes })
    }
    assert.equal(
      (await choose(people.viewer, ['incident'])).location,
      '/dashboard/account?done=notices',
    )
    await choose(people.owner, ['payout_failed'])
    // Of a business that is not theirs, nothing is said.
    const foreign = await choose(people.viewer, ['incident'], '0'.repeat(24))
    assert.equal(foreign.location, '/dashboard/account')
    const page = await shown(pageOf(people.viewer).get('/dashboard/account'))
    const boxes = [...page.matchAll(/<input type="checkbox"[^>]*>/g)].map(([box]) =>
      box.includes(' checked'),
    )
    assert.deepEqual(boxes, [false, false, false, true, false])

    await open('one', server.businessId)
    await open('one', server.businessId)
    await open('of the operator alone')
    const mails = await newMails(2)
    assert.deepEqual(emailsOf(mails), [people.finance.email, people.viewer.email])
    const got = await until(async () => {
      const sent = smtp.received.filter(({ text }) => text.includes('differ'))
      return sent.length === 2 && sent
    })
    assert.deepEqual(got.map(({ to }) => to).sort(), emailsOf(mails).sort())
    assert.match(got[0]?.text ?? '', /- amount differs, at acme/)
    assert.equal(smtp.received.length, 2, 'nothing of test mode was sent')
  })

  it('are dropped in live mode without a mail server', async () => {
    const { config } = server.app
    const url = config.SMTP_URL
    Object.assign(config, { SMTP_URL: null })
    try {
      clock.advance(hour)
      const at = clock.now()
      const { businessId } = server
      await openIncident(server.app.db, {
        livemode: true,
        rail: 'acme',
        kind: 'stuck',
        subject: 'x',
        detail: {},
        at,
        businessId,
      })
      await newMails(0)
      await until(async () => (await waiting()).length === 0)
      const page = await shown(
        visitor(server.url, '', people.owner.headers.cookie).get('/dashboard/account'),
      )
      assert.match(page, /This server does not send email/)
    } finally {
      Object.assign(config, { SMTP_URL: url })
    }
  })
})
