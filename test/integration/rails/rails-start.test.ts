/**
 * Goal: a server starts with accounts that can work, says what a person should mend, and shows how
 * they stand; it shows no secret. Method: the parts of a server opened with files of a provider of
 * the tests' own, and the command with its own settings.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accountsNow } from '../../../src/api/installation/installation.ts'
import { linesOf } from '../../../src/app/cli/rails.ts'
import { open } from '../../../src/app/main.ts'
import { providers as builtIn } from '../../../src/app/rails.ts'
import { ConfigError, readConfig } from '../../../src/lib/config.ts'
import { toJson } from '../../../src/lib/json.ts'
import { readRailsFile } from '../../../src/rails/accounts/accounts.ts'
import { checkAccounts } from '../../../src/rails/accounts/checks.ts'
import type { Provider } from '../../../src/rails/ports/provider.ts'
import { newDatabase } from '../../support/cluster.ts'
import { runCommandWith } from '../../support/command-line.ts'
import { railsEnv, type TestAccount, testProvider, wellChecked } from '../../support/provider.ts'

const key = (name: string) => ({ provider: 'testpay', secret_key: `env:${name}` })

describe('a server that starts with accounts', () => {
  const { provider, accounts } = testProvider()
  const others = testProvider('otherpay').provider
  const file = (more: object = {}, routes: object = { 'payout.ngn': ['one'] }) => ({
    live: { accounts: { one: { ...key('LIVE_KEY'), ...more } }, routes },
  })
  let database: Awaited<ReturnType<typeof newDatabase>>
  const configOf = (content: object) =>
    readConfig({
      ...railsEnv(content),
      DATABASE_URL: database.url,
      SECRETS_KEY: 'ab'.repeat(32),
      LOG_LEVEL: 'silent',
      RATE_LIMIT_MAX: '0',
    })
  const start = (content: object, use: Provider[] = [provider, others]) =>
    open(configOf(content), 'api', { providers: use })
  const refusedBy = async (content: object, expected: RegExp, use?: Provider[]) =>
    assert.rejects(start(content, use), (error: Error) => {
      assert.ok(error instanceof ConfigError, error.stack)
      assert.match(error.message, expected)
      assert.doesNotMatch(error.message, /sk_live_one/)
      return true
    })
  /** What a start with this file, whose provider checks its account so, warns of. */
  async function warningsOf(content: object, check: TestAccount['check']): Promise<string[]> {
    const config = configOf(content)
    const opened = await start(content)
    const warned: string[] = []
    const log = {
      ...opened.app.log,
      warn: (_fields: object, message: string) => warned.push(message),
    }
    const given = {
      providers: [provider, others],
      secretOf: config.secretOf,
      baseUrl: config.BASE_URL,
    }
    ;(accounts.one as TestAccount).check = check
    await checkAccounts(readRailsFile(config.RAILS_FILE, given), opened.app.rails, {
      db: opened.app.db,
      log,
      now: new Date(),
    }).finally(opened.close)
    return warned
  }

  before(async () => {
    database = await newDatabase()
  })
  after(() => database.drop())

  it('is refused a name that was another provider\u2019s, in its mode only', async () => {
    await (await start(file())).close()
    await (await start(file())).close()
    await refusedBy(
      file({ provider: 'otherpay' }),
      /^RAILS_FILE: live\.accounts\.one: records carry this name for an account at testpay; give this one another name$/,
    )
    const mine = { provider: 'otherpay', secret_key: 'env:TEST_KEY' }
    await (await start({ test: { accounts: { one: mine }, routes: {} } })).close()
  })

  it('is refused what its provider cannot open, without its secret', () =>
    refusedBy(file({ float: 13 }), /^RAILS_FILE: live\.accounts\.one: float: 13 brings … no luck$/))

  it('is refused an account that its provider says is of the other mode', async () => {
    const says = { ...wellChecked, fatal: 'the key is of test mode' }
    await assert.rejects(
      warningsOf(file(), async () => says),
      /^Error: RAILS_FILE: live\.accounts\.one: the key is of test mode$/,
    )
  })

  it('warns of what a person should mend, and of a provider that cannot be asked', async () => {
    assert.deepEqual(await warningsOf(file(), async () => wellChecked), [])
    const nobody = 'a'.repeat(24)
    assert.deepEqual(await warningsOf(file({ serves: [nobody] }, {}), async () => wellChecked), [
      `RAILS_FILE: live.accounts.one.serves: there is no business ${nobody}`,
      'RAILS_FILE: live.accounts.one is in no route, so nothing goes to it',
    ])
    const poor = {
      ...wellChecked,
      keyWorks: false,
      warnings: ['the bank wema-bank is not one of its own'],
    }
    assert.deepEqual(await warningsOf(file(), async () => poor), [
      'RAILS_FILE: live.accounts.one: testpay does not take its key',
      'RAILS_FILE: live.accounts.one: the bank wema-bank is not one of its own',
    ])
    assert.deepEqual(await warningsOf(file(), () => Promise.reject(new Error('fetch failed'))), [
      'RAILS_FILE: live.accounts.one: testpay could not be asked: fetch failed',
    ])
  })

  it('tells by `bursar rails status` how each account stands', async () => {
    const opened = await start({
      ...file({}, { 'payout.ngn': ['one'], 'lookup.ngn': ['one'] }),
      test: {
        accounts: {
          mine: { provider: 'testpay', secret_key: 'env:TEST_KEY' },
          spare: { provider: 'testpay', secret_key: 'env:TEST_KEY_2', serves: ['a'.repeat(24)] },
        },
        routes: { 'payout.ngn': ['mine', 'spare'] },
      },
    })
    ;(accounts.one as TestAccount).check = async () => ({
      ...wellChecked,
      obstacle: 'otp_required',
    })
    ;(accounts.mine as TestAccount).check = () => Promise.reject(new Error('fetch failed'))
    ;(accounts.spare as TestAccount).check = async () => ({
      ...wellChecked,
      keyWorks: false,
      balances: {},
    })
    const now = await accountsNow(opened.app)
    assert.deepEqual(JSON.parse(toJson(now[0])), {
      mode: 'live',
      name: 'one',
      provider: 'testpay',
      serves: '*',
      routes: [
        { route: 'payout.ngn', before: 0 },
        { route: 'lookup.ngn', before: 0 },
      ],
      key: 'works',
      obstacle: 'otp_required',
      balances: { ngn: 5_000_000 },
      webhook: 'https://pay.example.com/rails/one/live/webhook',
      approval: null,
      warnings: [],
    })
    assert.deepEqual(now.map(linesOf), [
      [
        'live  one  at testpay, for every business',
        '  routes   payout.ngn, lookup.ngn',
        '  key      works',
        '  holds    50,000.00 ngn',
        '  payouts  wait: otp_required',
        '  webhook  https://pay.example.com/rails/one/live/webhook',
      ],
      [
        'test  mine  at testpay, for every business',
        '  routes   payout.ngn',
        '  key      could not be tried',
        '  webhook  https://pay.example.com/rails/mine/test/webhook',
        '  LOOK     testpay could not be asked: fetch failed',
      ],
      [
        `test  spare  at testpay, for business ${'a'.repeat(24)}`,
        '  routes   payout.ngn (after 1 other)',
        '  key      is refused',
        '  webhook  https://pay.example.com/rails/spare/test/webhook',
      ],
    ])
    await opened.close()
    const env = { DATABASE_URL: database.url, SECRETS_KEY: 'ab'.repeat(32) }
    const { code, out, err } = await runCommandWith(env, ['rails', 'status'])
    assert.deepEqual([code, out, err], [0, 'No account is configured: set RAILS_FILE.\n', ''])
    assert.equal((await runCommandWith(env, ['rails', 'status', '--json'])).out, '[]\n')
    const wrong = await runCommandWith({ ...env, ...railsEnv(file({ provider: 'paypay' })) }, [
      'rails',
      'status',
    ])
    assert.deepEqual(
      [wrong.code, wrong.err],
      [
        1,
        `bursar: RAILS_FILE: live.accounts.one.provider: 'paypay' is not a provider of this version; there are ${builtIn.map(({ name }) => name).join(', ')}\n`,
      ],
    )
  })
})
