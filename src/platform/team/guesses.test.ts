/**
 * Goal: who has a password and guesses at the second factor is noticed: the person gets a mail, and
 * the audit log an entry. Method: the module's functions on a real database, with mail to a real
 * SMTP server, under a clock that tests move.
 */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import {
  browserAt,
  codeAt,
  goodPassword,
  sessionOf,
  withPassword,
} from '../../../test/support/people.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { manualClock } from '../../lib/clock.ts'
import { addMember, confirmTotp, showSecondFactor, signIn, startTotp } from './team.ts'

const hour = 3_600_000
const clock = manualClock(new Date('2026-11-01T12:00:00Z'))
let server: TestServer
let smtp: Awaited<ReturnType<typeof startSmtp>>
before(async () => {
  smtp = await startSmtp()
  server = await startServer(
    { SMTP_URL: smtp.url, MAIL_FROM: 'bursar@example.com' },
    undefined,
    clock,
  )
})
after(async () => {
  await server.stop()
  await smtp.stop()
})

/** Says the password and wrong codes, a few from an address within a quarter of an hour. */
async function guess(email: string, times: number, address: string): Promise<void> {
  const end = await signIn(server.app, { email, password: goodPassword }, browserAt(address))
  assert.ok(end.state === 'second_factor')
  for (let n = 0; n < times; n++) {
    const { state } = await showSecondFactor(
      server.app,
      '000000',
      browserAt(address, { session: end.session }),
    )
    assert.equal(state, 'wrong')
  }
}

it('guesses at a second factor are mailed to the person and stand in each audit log, once a day, however slow they are', async () => {
  const { id, email } = await withPassword(server, 'finance')
  const { business: other } = await createBusiness(server.app, 'Other')
  await addMember(server.app, other.id, id, 'viewer')
  const end = await signIn(server.app, { email, password: goodPassword }, browserAt())
  assert.ok(end.state === 'signed_in')
  const held = await sessionOf(server, end.session)
  const { secret } = await startTotp(server.app, held)
  await confirmTotp(server.app, held, codeAt(secret, clock.now()), browserAt())
  const entries = async () =>
    server.app.db.query(
      `select business_id, livemode, address, after from audit_log where subject = $1 and action = 'person.second_factor_refused' order by 1, 2`,
      [id],
    )
  const mails = () => smtp.received.filter(({ to }) => to === email)

  await guess(email, 4, '198.51.100.1')
  assert.deepEqual(await entries(), [])
  clock.advance(hour)
  await guess(email, 4, '198.51.100.2')
  assert.deepEqual(
    await entries(),
    [server.businessId, other.id].sort().flatMap((business_id) =>
      [false, true].map((livemode) => ({
        business_id,
        livemode,
        address: '198.51.100.2',
        after: { wrong_codes: 5 },
      })),
    ),
  )
  const [mail, ...more] = await until(async () => mails().length > 0 && mails())
  assert.deepEqual(more, [])
  assert.match(mail?.text ?? '', /198\.51\.100\.2/)
  assert.match(mail?.text ?? '', /\/dashboard\/account/)

  clock.advance(24 * hour)
  await guess(email, 5, '198.51.100.3')
  await until(async () => mails().length === 2)
  assert.equal((await entries()).length, 8)
})
