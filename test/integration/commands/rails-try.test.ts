/**
 * Goal: one run with a test key says of everything that this server asks a provider whether it is as expected, and what nobody had
 * confirmed. Method: the command over doubles of Paystack that differ in what is unconfirmed.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as unconfirmed from '../../../src/rails/paystack/unconfirmed.ts'
import type { Observation } from '../../../src/rails/trial.ts'
import { runCommand } from '../../support/command-line.ts'
import { startServer, type TestServer } from '../../support/harness.ts'
import { tryOverDouble } from '../../support/trial.ts'

/** What no walk can settle: it takes a business, a time or an answer that a test key does not get. */
const notByTrial = [
  'refusalOf',
  ...['mostResetSeconds', 'mostTransferFee', 'failurePatterns', 'pageMs', 'pageGraceMs', 'declinePatterns'],
  ...['isNameless', 'isTopUp', 'askedIn', 'disputeStateOf', 'cardBrands'],
]

describe('bursar rails try', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('prints what came beside what was expected, and what it settles', async () => {
    const { code, out, err, double } = await tryOverDouble(server.databaseUrl)
    if (process.env.SHOW_TRIAL) console.log(`\n${out}`)
    assert.equal(code, 0, err)
    assert.match(out, /^as expected {2}balance\n {13}expected {2}a balance in naira\n {13}saw {7}1,000,000.00 ngn\n/)
    assert.match(out, /\n\d+ as expected, 0 differ, 0 not tried\. Settled: 1[0-9] of what was unconfirmed\.\n$/)
    assert.match(err, /^Open http:\/\/\S+ and pay 500.00 ngn with a test card of the provider\. It is waited for\.\n$/)
    assert.deepEqual(double.violations, [])
    assert.ok(![out, err].join().includes(double.keys.test))
    assert.equal(double.requests.filter(({ mode }) => mode === 'live').length, 0)
    for (const name of Object.keys(unconfirmed))
      if (!notByTrial.includes(name)) assert.match(out, new RegExp(`settles .*\\b${name}\\b`), name)
  })

  it('says what differs, and ends with 1', async () => {
    const settings = { oneCustomerPerEmail: false, refundKeepsNote: false, dedicatedAccounts: 'not_enabled' } as const
    const { code, out } = await tryOverDouble(server.databaseUrl, ['--json'], settings)
    const seen: Observation[] = JSON.parse(out)
    const of = (fits: boolean | null) => seen.filter((one) => one.fits === fits).map(({ title }) => title)
    assert.deepEqual(
      [code, of(false), of(null)],
      [
        1,
        [
          ...['refunds of that payment', 'customer, twice with one address', 'banks of dedicated accounts'],
          ...['dedicated account', 'a dedicated account that is none'],
        ],
        ['a second one of that customer'],
      ],
    )
  })

  it('goes on without a person who pays', async () => {
    const { code, out, err } = await tryOverDouble(server.databaseUrl, ['--no-pay'])
    assert.equal(code, 0, out + err)
    assert.match(out, /\n\d+ as expected, 0 differ, 3 not tried\./)
    assert.equal(err, '')
  })

  it('is refused for an account that is none, or in live mode', async () => {
    const { code, err } = await runCommand(server.app, ['rails', 'try', 'paystack'])
    assert.equal(code, 1)
    assert.match(err, /no account 'paystack' below test/)
  })
})
