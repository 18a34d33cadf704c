/**
 * Goal: a file of accounts that cannot work is refused before anything is asked of a provider, by
 * one line that names what is wrong and shows no secret. Method: files made for each mistake, with
 * a provider of the tests' own.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { railsEnv, testProvider } from '../../../test/support/provider.ts'
import { ConfigError, readConfig } from '../../lib/config.ts'
import type { Provider } from '../ports/provider.ts'
import { stripe } from '../stripe/stripe.ts'
import { readRailsFile } from './accounts.ts'

const dir = mkdtempSync(join(tmpdir(), 'bursar-accounts-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const { provider } = testProvider()

function read(
  file: object | string,
  env: Record<string, string> = {},
  providers: readonly Provider[] = [provider],
) {
  const config = readConfig({ ...railsEnv(file), ...env })
  return readRailsFile(config.RAILS_FILE, {
    providers,
    secretOf: config.secretOf,
    baseUrl: config.BASE_URL,
  })
}

const account = { provider: 'testpay', secret_key: 'env:LIVE_KEY' }
const mode = (more: object, routes: object = {}) => ({
  accounts: { one: { ...account, ...more } },
  routes,
})
const live = (more: object, routes: object = {}) => ({ live: mode(more, routes) })
const test = (more: object, routes: object = {}) => ({
  test: mode({ secret_key: 'env:TEST_KEY', ...more }, routes),
})
const accounts = (named: object) => ({ live: { accounts: named, routes: {} } })

describe('a file of accounts', () => {
  it('needs no routes, as for `bursar rails check`', () => {
    assert.deepEqual(read({ live: { accounts: { one: account } } }).live.routes, {})
  })

  it('is read: secrets from the environment and from files, whom accounts serve, and what goes to them', () => {
    const secret = join(dir, 'secret')
    writeFileSync(secret, 'sk_live_of_a_file\n')
    const id = 'a'.repeat(24)
    const { live: read1, test: read2 } = read({
      live: {
        accounts: {
          one: {
            ...account,
            secret_key: `file:${secret}`,
            secret_key_previous: 'env:LIVE_KEY',
            serves: [id],
            float: 5,
          },
          two: {
            ...account,
            secret_key: 'env:LIVE_KEY_2',
            channels: { 'card.ngn': ['card', 'ussd'] },
          },
        },
        routes: { 'payout.ngn': ['two', 'one'], 'card.ngn': ['two'] },
      },
      ...test({ base_url: 'http://localhost:9000' }),
    })
    assert.deepEqual(
      read1.accounts.map(({ settings }) => settings),
      [
        {
          name: 'one',
          livemode: true,
          serves: [id],
          baseUrl: null,
          channels: {},
          routes: ['payout.ngn'],
          own: { secret_key: 'sk_live_of_a_file', secret_key_previous: 'sk_live_one', float: 5 },
        },
        {
          name: 'two',
          livemode: true,
          serves: '*',
          baseUrl: null,
          routes: ['payout.ngn', 'card.ngn'],
          channels: { 'card.ngn': ['card', 'ussd'] },
          own: { secret_key: 'sk_live_two' },
        },
      ],
    )
    assert.deepEqual(read1.routes, { 'payout.ngn': ['two', 'one'], 'card.ngn': ['two'] })
    assert.equal(read2.accounts[0]?.settings.baseUrl, 'http://localhost:9000')
  })

  it('may have two accounts of one key where they are two parts of one account at their provider, and no two of one part', () => {
    const key = { provider: 'stripe', secret_key: 'env:LIVE_KEY' }
    const payouts = { ...key, financial_account: 'fa_treasury' }
    const named = (some: object) =>
      read(accounts(some), {}, [stripe]).live.accounts.map(({ settings }) => settings.name)
    assert.deepEqual(named({ stripe: payouts, 'stripe-us': key }), ['stripe', 'stripe-us'])
    const signed = { webhook_secret: 'env:LIVE_KEY_2' }
    for (const [one, two] of [
      [key, key],
      [payouts, { ...payouts, financial_account: 'fa_other' }],
      [
        { ...key, ...signed },
        { ...payouts, ...signed },
      ],
    ])
      assert.throws(() => named({ one, two }), /live\.accounts: one and two have the same secret/)
  })

  it('is not needed', () => {
    const none = { accounts: [], routes: {} }
    const given = { providers: [], secretOf: assert.fail, baseUrl: null }
    assert.deepEqual(readRailsFile(null, given), { test: none, live: none })
  })

  const at = /^RAILS_FILE: live\.accounts\.one/.source
  const cases: [string, object | string, RegExp, Record<string, string>?][] = [
    [
      'no JSON, and quotes nothing of it',
      '{"live": sk_live_one}',
      /^RAILS_FILE '.*rails\.json': is not JSON$/,
    ],
    ['no JSON, by its place', '{"live": {}, }', /is not JSON \(line 1 column 14\)$/],
    [
      'a mode that does not exist',
      { prod: {} },
      /^RAILS_FILE: prod is not a known setting; there are live, test$/,
    ],
    [
      'a mode without accounts',
      { live: {} },
      /^RAILS_FILE: live must have required properties accounts$/,
    ],
    [
      'a setting that does not exist',
      live({ secret: 'env:LIVE_KEY' }),
      new RegExp(
        `${at}\\.secret is not a known setting; there are provider, serves, channels, secret_key, `,
      ),
    ],
    [
      'a setting of the wrong kind',
      live({ float: 'much' }),
      new RegExp(`${at}\\.float must be integer$`),
    ],
    [
      'a provider that does not exist',
      live({ provider: 'paypay' }),
      new RegExp(
        `${at}\\.provider: 'paypay' is not a provider of this version; there are testpay$`,
      ),
    ],
    [
      'an account without its key',
      live({ secret_key: undefined }),
      new RegExp(`${at} must have required properties`),
    ],
    [
      'a secret that is written in the file',
      live({ secret_key: 'sk_live_one' }),
      new RegExp(
        `${at}\\.secret_key: must be env:NAME or file:PATH, which say where the secret is$`,
      ),
    ],
    [
      'a secret in place of its name',
      live({ secret_key: 'env:sk_live_one' }),
      new RegExp(`${at}\\.secret_key: must be env:NAME or file:PATH`),
    ],
    [
      'a variable that is not there',
      live({ secret_key: 'env:NO_KEY' }),
      new RegExp(`${at}\\.secret_key: the environment has no such variable, or it is empty$`),
    ],
    [
      'a file that is not there',
      live({ secret_key: 'file:/sk_live_one' }),
      new RegExp(`${at}\\.secret_key: the file cannot be read \\(ENOENT\\)$`),
    ],
    [
      'a file that is empty',
      live({ secret_key: 'file:/dev/null' }),
      new RegExp(`${at}\\.secret_key: the file is empty$`),
    ],
    [
      'a test key below live',
      live({ secret_key: 'env:TEST_KEY' }),
      new RegExp(`${at}\\.secret_key: is a key of test mode; it belongs below test$`),
    ],
    [
      'a restricted test key below live',
      live({ secret_key: 'env:KEY' }),
      new RegExp(`${at}\\.secret_key: is a key of test mode; it belongs below test$`),
      { KEY: 'rk_test_one' },
    ],
    [
      'a live key below test',
      test({ secret_key: 'env:LIVE_KEY' }),
      /^RAILS_FILE: test\.accounts\.one\.secret_key: is a key of live mode; it belongs below live$/,
    ],
    [
      'a restricted live key below test, as the one before',
      test({ secret_key_previous: 'env:KEY' }),
      /^RAILS_FILE: test\.accounts\.one\.secret_key_previous: is a key of live mode; it belongs below live$/,
      { KEY: 'rk_live_one' },
    ],
    [
      'another host for a live account',
      live({ base_url: 'https://pay.example.net' }),
      new RegExp(
        `${at}\\.base_url: may be set below test only; a live account is at its provider's own host$`,
      ),
    ],
    [
      'whom nobody can be',
      live({ serves: 'all' }),
      new RegExp(`${at}\\.serves: must be "\\*", or a list of ids of bus`),
    ],
    [
      'nobody to serve',
      live({ serves: [] }),
      new RegExp(`${at}\\.serves: must be "\\*", or a list of ids`),
    ],
    [
      'channels of a route that does not lead to the account',
      live({ channels: { 'card.ngn': ['ussd'] } }, { 'payout.ngn': ['one'] }),
      new RegExp(`${at}\\.channels\\.card\\.ngn: live\\.routes has no card\\.ngn to this account$`),
    ],
    [
      'a name of other letters',
      accounts({ One: account }),
      /^RAILS_FILE: live\.accounts\.One: a name has 1 to 40 lower/,
    ],
    [
      'the name of a rail that is built in',
      accounts({ sandbox: account }),
      /^RAILS_FILE: live\.accounts\.sandbox: records carry this name for another rail$/,
    ],
    [
      'the name under which the books keep simulated funds',
      accounts({ simulated: account }),
      /^RAILS_FILE: live\.accounts\.simulated: records carry this name for another rail$/,
    ],
    [
      'two names for one account',
      accounts({ one: account, two: account }),
      /^RAILS_FILE: live\.accounts: one and two have the same secret, so they are one account$/,
    ],
    [
      'a route that does not exist',
      live({}, { 'payout.eur': ['one'] }),
      /^RAILS_FILE: live\.routes\.payout\.eur is not a known route; there are payout\.ngn, /,
    ],
    [
      'a route to nobody',
      live({}, { 'payout.ngn': ['one', 'two'] }),
      /^RAILS_FILE: live\.routes\.payout\.ngn: there is no account 'two' beside it$/,
    ],
    [
      'a route to an account of the other mode',
      {
        ...live({}, { 'payout.ngn': ['mine'] }),
        test: { accounts: { mine: account }, routes: {} },
      },
      /^RAILS_FILE: /,
    ],
    [
      'an empty route',
      live({}, { 'payout.ngn': [] }),
      /^RAILS_FILE: live\.routes\.payout\.ngn must not have fewer than 1/,
    ],
    [
      'a route that the provider does not serve',
      live({}, { 'payout.usd': ['one'] }),
      /^RAILS_FILE: live\.routes\.payout\.usd: 'one' is at testpay, which does not serve payout\.usd; it serves payout\.ngn, /,
    ],
    ...[
      '',
      'http://pay.example.com',
      'https://localhost',
      'https://127.0.0.1:4000',
      'https://[::1]',
    ].map((url): [string, object, RegExp, Record<string, string>] => [
      `live accounts where BASE_URL is ${url === '' ? 'not set' : url}`,
      live({}),
      /^BASE_URL: must be https, and not this machine, where RAILS_FILE has live accounts: /,
      { BASE_URL: url },
    ]),
  ]
  for (const [what, file, expected, env] of cases)
    it(`refuses ${what}`, () =>
      assert.throws(
        () => read(file, env),
        (error: Error) => {
          assert.ok(error instanceof ConfigError, error.stack)
          assert.match(error.message, expected)
          assert.doesNotMatch(error.message, /\n|(sk|rk)_(live|test)_\w/)
          return true
        },
      ))

  it('may have accounts of test mode where nobody comes to BASE_URL', () => {
    assert.equal(read(test({}), { BASE_URL: '' }).test.accounts.length, 1)
  })

  it('shows nothing of a secret that cannot be read', {
    skip: process.getuid?.() === 0 && 'root reads everything',
  }, () => {
    const secret = join(dir, 'closed')
    writeFileSync(secret, 'sk_live_closed')
    chmodSync(secret, 0)
    assert.throws(
      () => read(live({ secret_key: `file:${secret}` })),
      /secret_key: the file cannot be read \(EACCES\)$/,
    )
  })
})
