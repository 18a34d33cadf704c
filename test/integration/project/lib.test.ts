import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { defaultPricing, makePricing } from '../../../src/books/pricing/pricing.ts'
import { manualClock } from '../../../src/lib/clock.ts'
import { ConfigError, readConfig } from '../../../src/lib/config.ts'
import { parseDuration } from '../../../src/lib/duration.ts'
import { isId, newId } from '../../../src/lib/ids.ts'
import { toJson } from '../../../src/lib/json.ts'
import {
  basisPointsUp,
  formatDecimal,
  formatMoney,
  majorOf,
  minorOf,
  multiplyDown,
  parseDecimal,
} from '../../../src/lib/money.ts'
import { keyringOf, macsOf, randomText, seal, unseal } from '../../../src/lib/secrets.ts'
import { defineStates, nextState, stateDiagram } from '../../../src/lib/states.ts'

describe('money', () => {
  it('reads and writes decimals exactly', () => {
    for (const text of ['0.5', '1550', '0.000645161290322581', '123456789012345678.1'])
      assert.equal(formatDecimal(parseDecimal(text)), text)
    assert.equal(formatDecimal(parseDecimal('1550.00')), '1550')
    for (const bad of ['', '-1', '1,5', '1e3', '.5', '1.', 'NaN', ' 1'])
      assert.throws(() => parseDecimal(bad), RangeError)
  })
  it('reads amounts in major units, and none that has more decimals than the currency', () => {
    for (const [text, amount] of [
      ['9.97', 997n],
      ['9.9', 990n],
      ['9', 900n],
      ['0.01', 1n],
      ['100.250000', 100_25n],
    ] as const)
      assert.equal(minorOf(text), amount)
    assert.equal(minorOf('100.254321', 6), 100_254_321n)
    for (const bad of ['0.001', '1.999', '-1', '1e2', '', '1,00'])
      assert.throws(() => minorOf(bad), RangeError)
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 16n), (amount) => minorOf(majorOf(amount)) === amount),
    )
  })
  it('rounds conversions down and shares up, never by more than a unit', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 16n),
        fc.bigInt(1n, 10n ** 9n),
        fc.nat(10_000),
        (amount, units, bps) => {
          const down = multiplyDown(amount, { units, scale: 6 })
          assert.ok(
            down * 1_000_000n <= amount * units && (down + 1n) * 1_000_000n > amount * units,
          )
          const up = basisPointsUp(amount, bps)
          assert.ok(
            up * 10_000n >= amount * BigInt(bps) && (up - 1n) * 10_000n < amount * BigInt(bps),
          )
        },
      ),
    )
  })
  it('is written for people', () => {
    assert.equal(formatMoney(123_456_789n, 'ngn'), '1,234,567.89 ngn')
    assert.equal(formatMoney(-5n, 'usd'), '-0.05 usd')
  })
  it('refuses to lose digits in JSON', () => {
    assert.equal(toJson({ a: 9_007_199_254_740_991n }), '{"a":9007199254740991}')
    assert.throws(() => toJson({ a: 9_007_199_254_740_992n }), RangeError)
  })
})

describe('pricing', () => {
  const pricing = makePricing(defaultPricing)
  it('has a fee that is the sum of its parts, and a net that is the rest', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 15n),
        fc.constantFrom('ngn' as const, 'usd' as const),
        fc.constantFrom('ngn' as const, 'usd' as const, 'usdc' as const, 'usdt' as const),
        (amount, currency, destinationCurrency) => {
          const method =
            destinationCurrency.length === 4 ? ('crypto' as const) : ('bank_transfer' as const)
          const price = pricing.price({
            amount,
            currency,
            method,
            destinationCurrency,
            chain: 'base',
          })
          assert.ok(price)
          assert.equal(
            price.breakdown.reduce((sum, part) => sum + part.amount, 0n),
            price.fee,
          )
          assert.equal(price.net, amount - price.fee)
          assert.ok(price.destinationAmount >= 0n)
        },
      ),
    )
  })
  it('prices a known case', () => {
    const price = pricing.price({
      amount: 1_000_000n,
      currency: 'ngn',
      method: 'bank_transfer',
      destinationCurrency: 'ngn',
      chain: null,
    })
    assert.deepEqual(
      [price?.fee, price?.net, price?.rate, price?.destinationAmount],
      [3_500n, 996_500n, '1', 996_500n],
    )
    const fx = pricing.price({
      amount: 100_000n,
      currency: 'usd',
      method: 'bank_transfer',
      destinationCurrency: 'ngn',
      chain: null,
    })
    // 0.50 + 0.25 % is 3.00; the provider takes 0.25, the spread of 0.5 % is 5.00.
    assert.deepEqual([fx?.fee, fx?.rate, fx?.destinationAmount], [825n, '1550', 99_175n * 1_550n])
  })
  it('refuses a table that is not well formed', () => {
    for (const change of [
      { rates: { usd_ngn: '0' } },
      { rates: { usd: '1' } },
      { rates: { usd_ngn: 'x' } },
      { rates: { ngn_usd: '10000000000000' } },
      { spread_bps: { default: -1 } },
      { provider: { a: 1.5 } },
    ])
      assert.throws(() => makePricing({ ...defaultPricing, ...change }), ConfigError)
  })
})

describe('small things', () => {
  it('makes ids in order of time', () => {
    const clock = manualClock(new Date('2026-11-21T00:00:00Z'))
    let last = ''
    for (let i = 0; i < 1_000; i++) {
      const id = newId(clock.now())
      assert.ok(isId(id))
      if (!id.endsWith('000000')) assert.ok(id > last)
      last = id
      if (i % 10 === 0) clock.advance(i % 20 === 0 ? 1 : 1_000)
    }
  })
  it('makes ids in the order of milliseconds, whoever makes them', () => {
    const [one, next] = ['2026-11-21T00:00:00.999Z', '2026-11-21T00:00:01.000Z'].map((text) =>
      newId(new Date(text)),
    )
    const seconds = (Date.parse('2026-11-21T00:00:00Z') / 1000).toString(16)
    assert.equal(one?.slice(0, 11), `${seconds}3e7`)
    assert.ok((next as string).slice(0, 11) > (one as string).slice(0, 11))
  })
  it('reads durations', () => {
    assert.deepEqual(
      ['500ms', '30s', '15m', '24h', '3d'].map(parseDuration),
      [500, 30_000, 900_000, 86_400_000, 259_200_000],
    )
    for (const bad of ['', '3', 'd', '-1s', '1.5s', '3 d', '1w'])
      assert.throws(() => parseDuration(bad), RangeError)
  })
  it('refuses a bad setting in one line that names it', () => {
    const bad = {
      PORT: '70000',
      RATE_LIMIT_MAX: '-1',
      RATE_LIMIT_WINDOW: '15',
      TRUST_PROXY: 'true',
      WEBHOOK_RETRY_DELAYS: '1s;2s',
      STOP_TIMEOUT: '25d',
      SECRETS_KEY: 'short',
      SECRETS_KEYS_OLD: `${'ab'.repeat(32)},short`,
      LOG_LEVEL: 'loud',
      BASE_URL: 'x',
      DATABASE_URL: 'mysql://x',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'yes',
    }
    for (const [name, value] of Object.entries(bad))
      assert.throws(
        () => readConfig({ [name]: value }),
        (error: Error) =>
          error instanceof ConfigError &&
          error.message.startsWith(name) &&
          !error.message.includes('\n'),
      )
    for (const name of ['SECRETS_KEY', 'SECRETS_KEYS_OLD'])
      assert.throws(
        () => readConfig({ [name]: 'short' }),
        (error: Error) => !/short/.test(error.message),
      )
    const two = `${'ab'.repeat(32)}, ${Buffer.alloc(32, 7).toString('base64')}`
    assert.deepEqual(readConfig({ SECRETS_KEYS_OLD: two }).SECRETS_KEYS_OLD, [
      Buffer.alloc(32, 0xab),
      Buffer.alloc(32, 7),
    ])
    assert.deepEqual(readConfig({}).WEBHOOK_RETRY_DELAYS, [30_000, 300_000, 1_800_000])
  })
  it('reads secrets from files too, and shows nothing of them', () => {
    const dir = mkdtempSync(join(tmpdir(), 'bursar-config-'))
    const file = join(dir, 'secret')
    const readFrom = (name: string, content: string, env = {}) => {
      writeFileSync(file, content)
      return readConfig({ [`${name}_FILE`]: file, ...env })
    }
    const refusal = (read: () => unknown): string => {
      try {
        read()
      } catch (error) {
        assert.ok(error instanceof ConfigError)
        return error.message
      }
      throw new Error('it was taken')
    }
    const key = `0x${'a1'.repeat(32)}`
    for (const [name, value] of [
      ['DATABASE_URL', 'postgres://bursar:s3cret@127.0.0.1/bursar'],
      ['EVM_PAYOUT_KEY', key],
      ['EVM_TEST_PAYOUT_KEY', key],
      ['METRICS_TOKEN', 'scrape me if you can'],
      ['SECRETS_KEY', 'ab'.repeat(32)],
      ['SECRETS_KEYS_OLD', `${'ab'.repeat(32)}\n${'cd'.repeat(32)}`],
      ['SMTP_URL', 'smtp://bursar:s3cret@127.0.0.1'],
    ] as const) {
      const expected = readConfig({ [name]: value })[name]
      assert.ok(expected !== null)
      for (const end of ['', '\n', '\r\n'])
        assert.deepEqual(readFrom(name, value + end)[name], expected, name)
      // An empty text is a setting that is not given, in either place.
      assert.deepEqual(readFrom(name, value, { [name]: '' })[name], expected)
      assert.deepEqual(readConfig({ [name]: value, [`${name}_FILE`]: '' })[name], expected)
      assert.equal(
        refusal(() => readFrom(name, value, { [name]: value })),
        `${name} and ${name}_FILE: only one of them can be given`,
      )
      assert.equal(
        refusal(() => readFrom(name, '\n')),
        `${name}_FILE: the file is empty`,
      )
      assert.equal(
        refusal(() => readConfig({ [`${name}_FILE`]: value })),
        `${name}_FILE: ${value.includes('\n') ? 'has a control character in it (U+000A)' : 'the file cannot be read (ENOENT)'}`,
      )
      assert.equal(
        refusal(() => readConfig({ [`${name}_FILE`]: dir })),
        `${name}_FILE: the file cannot be read (EISDIR)`,
      )
    }
    assert.equal(
      refusal(() => readFrom('EVM_PAYOUT_KEY', `${key}00`)),
      'EVM_PAYOUT_KEY_FILE: must be 0x and 64 hex digits',
    )
    rmSync(dir, { recursive: true, force: true })
  })
  it('seals secrets for their owner only', () => {
    const keys = keyringOf(Buffer.alloc(32, 7))
    const sealed = seal(keys, 'webhook secret', 'weh_secret', 'owner')
    assert.equal(unseal(keys, 'webhook secret', sealed, 'owner'), 'weh_secret')
    assert.throws(() => unseal(keys, 'webhook secret', sealed, 'another'))
    assert.throws(() => unseal(keys, 'identity number', sealed, 'owner'))
    assert.throws(
      () => unseal(keyringOf(Buffer.alloc(32, 8)), 'webhook secret', sealed, 'owner'),
      /under key [0-9a-f]{16}/,
    )
    assert.ok(!sealed.includes('weh_secret'))
    assert.match(randomText(32), /^[0-9A-Za-z]{32}$/)
  })
  it('opens what old keys have sealed, and seals under the key in use', () => {
    const [old, current] = [Buffer.alloc(32, 7), Buffer.alloc(32, 9)]
    const both = keyringOf(current, [old, current])
    assert.equal(both.length, 2)
    const sealed = seal(keyringOf(old), 'kept answer', 'text', 'owner')
    assert.equal(unseal(both, 'kept answer', sealed, 'owner'), 'text')
    assert.equal(
      unseal(
        keyringOf(current),
        'kept answer',
        seal(both, 'kept answer', 'text', 'owner'),
        'owner',
      ),
      'text',
    )
    // Who changes the key id, or any other byte, opens nothing.
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] as number) ^ 1
      assert.throws(() => unseal(both, 'kept answer', changed, 'owner'))
    }
    assert.equal(
      macsOf(both, 'checkout form', 'x')[1],
      macsOf(keyringOf(old), 'checkout form', 'x')[0],
    )
    // The id of a key tells nothing of it: it is none of what is derived for use, and no part of
    // the key.
    const [{ id, raw }] = both
    assert.ok(!raw.export().toString('hex').includes(id))
  })
  it('keeps to state tables', () => {
    const door = defineStates('door', 'open', { open: { close: 'shut' }, shut: { open: 'open' } })
    assert.deepEqual(
      [nextState(door, 'open', 'close'), nextState(door, 'open', 'open')],
      ['shut', null],
    )
    assert.match(stateDiagram(door), /open --> shut: close/)
    assert.throws(() => defineStates('bad', 'a', { a: { go: 'nowhere' } }))
  })
})
