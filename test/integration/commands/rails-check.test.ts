/**
 * Goal: an operator with a test key sees what is assumed of a provider and what is so, and has a
 * report to send on. Method: the command over doubles; `test/integration/rails/assumptions.test.ts`
 * has each assumption.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type PlaceName, places } from '../../support/assumptions.ts'
import { runCommand } from '../../support/command-line.ts'
import { startServer, type TestServer } from '../../support/harness.ts'
import { checkOverDouble } from '../../support/rails-check.ts'

describe('bursar rails check', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('prints what is confirmed, and writes a report that only its owner can read', async () => {
    const { code, out, err, report, mode, violations } = await checkOverDouble(
      server.databaseUrl,
      'dojah',
    )
    assert.equal(code, 0, out + err)
    assert.match(out, /^confirmed {6}bvn_number\n {15}asked {4}GET \/api\/v1\/kyc\/bvn\/full/)
    assert.match(
      out,
      /\n\d+ confirmed, 0 contradicted, \d+ not reachable\. The report without keys and personal data: /,
    )
    assert.equal(mode, 0o600)
    const { provider, findings } = JSON.parse(report)
    assert.equal(provider, 'dojah')
    assert.deepEqual(Object.keys(findings[0]), [
      'id',
      'asked',
      'assumed',
      'source',
      'verdict',
      'saw',
    ])
    assert.deepEqual(violations, [])
  })

  it('leaves a report of what it had found where it is interrupted', async () => {
    const { code, report, mode } = await checkOverDouble(server.databaseUrl, 'dojah', {
      interruptedAt: /confirmed +nin_number/,
    })
    assert.notEqual(code, 0)
    const { complete, findings } = JSON.parse(report)
    assert.equal(complete, false)
    assert.deepEqual(
      findings.map(({ id }: { id: string }) => id),
      ['bvn_number', 'nin_number'],
    )
    assert.equal(mode, 0o600)
  })

  for (const name of Object.keys(places) as PlaceName[])
    it(`contradicts nothing that the double of ${name} does, and ends with a whole report`, async () => {
      const { code, out, err, report, secrets, violations } = await checkOverDouble(
        server.databaseUrl,
        name,
      )
      if (process.env.SHOW_CHECK) console.log(`\n${out}`)
      assert.equal(code, 0, out + err)
      assert.match(out, /[1-9]\d* confirmed, 0 contradicted/)
      assert.equal(JSON.parse(report).complete, true)
      for (const secret of secrets) assert.ok(!`${out}${report}`.includes(secret), secret)
      assert.deepEqual(violations, [])
    })

  it('asks a person to pay, and shows no keys and numbers', async () => {
    const { code, out, err, report, secrets, violations } = await checkOverDouble(
      server.databaseUrl,
      'monnify',
    )
    assert.equal(code, 0, out + err)
    assert.match(
      err,
      /^Open https:\/\/websim\S+ and send 500\.00 ngn to account \d+\. It is waited for\.\n$/,
    )
    assert.match(out, /confirmed {6}transaction\n/)
    for (const secret of [...secrets, '0123456789', '8016472829'])
      assert.ok(!`${out}${report}`.includes(secret), secret)
    assert.deepEqual(violations, [])
  })

  it('ends with 1 where something is contradicted, and says what was seen', async () => {
    const isOther = {
      on: /kyc\/nin/,
      to: () => ({ status: 200, body: { entity: { nin: '70000000009' } } }),
    }
    const { code, out } = await checkOverDouble(server.databaseUrl, 'dojah', {
      args: ['--json'],
      bends: [isOther],
    })
    const { findings } = JSON.parse(out) as {
      findings: { id: string; verdict: string; saw: string }[]
    }
    const contradicted = findings.filter(({ verdict }) => verdict === 'contradicted')
    assert.equal(code, 1)
    assert.deepEqual(
      contradicted.map(({ id, saw }) => [id, saw]),
      [
        ['nin_number', 'another number'],
        ['nin_name', 'the fields '],
      ],
    )
  })

  it('is refused with a key that the provider does not take, and asks nothing', async () => {
    const unauthorized = { on: /./, to: () => ({ status: 401, body: { error: 'Unauthorized' } }) }
    const { code, err, report } = await checkOverDouble(server.databaseUrl, 'dojah', {
      bends: [unauthorized],
    })
    assert.equal(code, 1)
    assert.match(err, /The provider of 'dojah' does not take the key/)
    assert.equal(report, '')
  })

  it('is refused for an account that is none, or in live mode', async () => {
    const { code, err } = await runCommand(server.app, ['rails', 'check', 'paystack'])
    assert.equal(code, 1)
    assert.match(err, /no account 'paystack' below test/)
  })
})
