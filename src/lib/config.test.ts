/**
 * Goal: every setting has the exact value that was meant, or is refused by its name.
 * Method: the same odd texts, as env files and shells leave them, for each setting of the table.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type Config, ConfigError, readConfig, type settings } from './config.ts'

type Name = keyof typeof settings
/**
 * @property wrong texts of another type. @property foreign what a text with an `é` in it is;
 * nothing: refused
 */
type Row = {
  text: string
  value: unknown
  wrong: string[]
  foreign?: ((text: string) => unknown) | undefined
}

const dayMs = 86_400_000
const any = (text: string): string => text
const whole = (text: string, ...more: string[]): Row => ({
  text,
  value: Number(text),
  wrong: ['many', '-1', '1.5', ...more],
})
const time = (text: string, value: number, ...more: string[]): Row => ({
  text,
  value,
  wrong: ['soon', '15', '-1s', '1.5h', '3 d', '999999999d', ...more],
})
const path = (text: string): Row => ({
  text,
  value: text,
  wrong: ['x'.repeat(4_096)],
  foreign: any,
})
const flag: Row = { text: 'true', value: true, wrong: ['yes', '1', 'TRUE'] }
const hex = 'ab'.repeat(32)
const evmKey: Row = { text: `0x${hex}`, value: `0x${hex}`, wrong: [hex, `0x${hex}0`] }
const postgres: Row = {
  text: 'postgres://bursar:s3cret@127.0.0.1/bursar',
  value: 'postgres://bursar:s3cret@127.0.0.1/bursar',
  wrong: ['mysql://x', '127.0.0.1', 'postgres://'],
  foreign: any,
}
const address = (text: string, value: string, ...wrong: string[]): Row => ({
  text,
  value,
  wrong: [
    'x',
    'ftp://pay.example',
    'http://',
    'https://user:password@pay.example',
    'https://pay.example/#a',
    ...wrong,
  ],
  foreign: any,
})
const pem = generateKeyPairSync('ed25519').privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string
const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})
/** Node.js timers end before. */
const over = '25d'

const rows: Record<Name, Row> = {
  PORT: whole('4100', '65536'),
  HOST: {
    text: '0.0.0.0',
    value: '0.0.0.0',
    wrong: [
      '*',
      '127.0.0.1:80',
      'http://localhost',
      '[::1]',
      'two words',
      '127.1',
      '0',
      '0x7f000001',
      '-a',
    ],
  },
  BASE_URL: {
    ...address(
      'https://Pay.example:443/',
      'https://pay.example',
      'https://pay.example/pay',
      'https://pay.example?a=1',
    ),
    foreign: undefined,
  },
  DATABASE_URL: postgres,
  MIGRATE_DATABASE_URL: postgres,
  DIRECT_DATABASE_URL: postgres,
  DATABASE_POOL: whole('30', '3', '151'),
  DATA_DIR: path('/var/lib/bursar'),
  WAL_ARCHIVE_DIR: path('/var/lib/wal'),
  WAL_ARCHIVE_TIMEOUT: time('90s', 90_000, over, '0s'),
  STOP_TIMEOUT: time('10s', 10_000, '25h', '0s'),
  CELL: { text: 'b', value: 'b', wrong: ['B', 'ab', '1'] },
  CELL_ACCEPTS: { ...flag, text: 'false', value: false },
  CELLS_FILE: path('/etc/bursar/cells.json'),
  LIMITS_DATABASE_URL: postgres,
  READ_URL: postgres,
  RATE_LIMIT_MAX: whole('0', '1000000001'),
  RATE_LIMIT_WINDOW: time('1h', 3_600_000, over),
  CARD_TRIES_MAX: whole('5', '1000001'),
  CARD_DECLINES_MAX: whole('5', '1000001'),
  CARD_TRIES_WINDOW: time('2h', 7_200_000, over),
  REQUESTS_KEEP: time('0', 0),
  PROVIDER_EVENTS_KEEP: time('30d', 30 * dayMs, '0'),
  EVENTS_KEEP: time('1d', dayMs, '23h'),
  DELETED_CUSTOMERS_KEEP: time('30d', 30 * dayMs),
  PAYERS_KEEP: time('30d', 30 * dayMs),
  MAILS_KEEP: time('30d', 30 * dayMs),
  TRUST_PROXY: {
    text: '10.0.0.0/8, loopback',
    value: ['10.0.0.0/8', 'loopback'],
    wrong: ['true', '100', '10.0.0.0/33'],
  },
  WEBHOOK_ALLOW_PRIVATE_TARGETS: flag,
  WEBHOOK_PORTS: {
    text: '443, 8443',
    value: [443, 8443],
    wrong: ['http', '0', '65536', '443,', '1.5'],
  },
  WEBHOOK_CA_FILE: path('/etc/bursar/ca.pem'),
  WEBHOOK_TIMEOUT: time('1d', dayMs, '60d', '0s'),
  WEBHOOK_RETRY_DELAYS: {
    text: '1s, 2m',
    value: [1_000, 120_000],
    wrong: ['1s;2s', '1s,', '366d', Array(11).fill('1s').join()],
  },
  WORKER_CONCURRENCY: whole('8', '0', '101'),
  SANDBOX_DELAY: time('0s', 0, over),
  PRICING_FILE: path('/etc/bursar/pricing.json'),
  EXCHANGE_RATES_URL: address(
    'https://rates.example/frankfurter/',
    'https://rates.example/frankfurter',
    'https://rates.example/?a=1',
  ),
  EXCHANGE_RATES_MAX_AGE: time('36h', 36 * 3_600_000),
  EXCHANGE_RATES_MAX_MOVE: whole('7', '0', '101'),
  EVM_FILE: path('/etc/bursar/evm.json'),
  EVM_PAYOUT_KEY: evmKey,
  EVM_MNEMONIC_FILE: path('/etc/bursar/words'),
  EVM_TEST_PAYOUT_KEY: evmKey,
  EVM_TEST_MNEMONIC_FILE: path('/etc/bursar/words'),
  EVM_SWEEP_EVERY: time('24d', 24 * dayMs, over, '0s'),
  EVM_SWEEP_MIN: whole('500', '0', '1000000000001'),
  RAILS_FILE: path('/etc/bursar/rails.json'),
  SCREENING_FILE: path('/etc/bursar/Sanções.csv'),
  SCREENING_MAX_AGE: time('2d', 2 * dayMs),
  METRICS_TOKEN: {
    text: 'a-token-of-16-chars',
    value: 'a-token-of-16-chars',
    wrong: ['short', 'x'.repeat(1_025)],
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: address(
    'http://localhost:4318/',
    'http://localhost:4318',
    'http://localhost:4318?a=1',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: {
    text: 'api-key=a%20b, x=1',
    value: { 'api-key': 'a b', x: '1' },
    wrong: ['api-key', 'x=%zz', 'a b=1', 'x=a%0Ab', 'x=%E2%82%A6'],
  },
  SMTP_URL: {
    text: 'smtps://user:password@mail.example:465',
    value: 'smtps://user:password@mail.example:465',
    wrong: ['https://mail.example', 'mail.example:25', 'smtp://:99999'],
  },
  SMTP_ALLOW_PLAINTEXT: flag,
  MAIL_FROM: {
    text: 'Ada’s Books <pay@shop.example>',
    value: 'Ada’s Books <pay@shop.example>',
    wrong: [
      'Ada’s Books',
      'Ada <pay@shop.example',
      'Books, Ltd <pay@shop.example>',
      'pay@',
      `${'A'.repeat(201)} <pay@shop.example>`,
    ],
  },
  OPERATOR_EMAIL: {
    text: 'ops@shop.example',
    value: 'ops@shop.example',
    wrong: ['ops', 'a@b.example, c@d.example'],
    foreign: () => 'ops@shop.xn--example-hya',
  },
  OPERATOR_WEBHOOK_URL: address(
    'https://hooks.example/T1/?key=3/',
    'https://hooks.example/T1/?key=3/',
  ),
  PDF_FONTS: {
    text: '/a.ttf, /b b.otf',
    value: ['/a.ttf', '/b b.otf'],
    wrong: ['/a.ttf,', ',/a.ttf'],
    foreign: () => ['/a.ttf', '/b b.otfé'],
  },
  SECRETS_KEY: { text: hex, value: Buffer.from(hex, 'hex'), wrong: ['short', `${hex}ab`] },
  SECRETS_KEYS_OLD: {
    text: `${hex}\n${Buffer.alloc(32, 7).toString('base64')}`,
    value: [Buffer.from(hex, 'hex'), Buffer.alloc(32, 7)],
    wrong: ['short', `${hex},short`],
  },
  PROOF_KEY: { text: pem, value: pem, wrong: ['short', rsa as string], foreign: () => pem },
  BACKUP_PASSPHRASE: {
    text: 'twelve letters',
    value: 'twelve letters',
    wrong: ['short', 'x'.repeat(1_025)],
    foreign: any,
  },
  LOG_LEVEL: { text: 'debug', value: 'debug', wrong: ['loud', 'INFO'] },
}

/** A key cannot be compared, but its text can. */
const shown = (value: unknown): unknown =>
  value !== null && typeof value === 'object' && 'asymmetricKeyType' in value
    ? (value as KeyObject).export({ type: 'pkcs8', format: 'pem' })
    : value

const read = (name: Name, text: string): unknown =>
  shown((readConfig({ [name]: text }) as Config)[name])
const none = readConfig({})

/** The one line by which a text is refused. */
function refusalOf(name: Name, text: string): string {
  try {
    readConfig({ [name]: text })
  } catch (error) {
    assert.ok(error instanceof ConfigError, `${name}: ${(error as Error).stack}`)
    assert.match(error.message, new RegExp(`^${name}(: | ')`))
    assert.doesNotMatch(error.message, /[\r\n]/)
    assert.ok(error.message.length < 400, error.message)
    return error.message
  }
  return assert.fail(`${name} took '${text.slice(0, 80)}'`)
}

/** Settings whose values are never shown. */
const hidden =
  /^(SECRETS_KEY|SECRETS_KEYS_OLD|PROOF_KEY|.*DATABASE_URL|READ_URL|SMTP_URL|OPERATOR_WEBHOOK_URL|EVM_(TEST_)?PAYOUT_KEY|METRICS_TOKEN|OTEL_EXPORTER_OTLP_HEADERS|BACKUP_PASSPHRASE)$/

describe('settings as env files and shells leave them', () => {
  for (const [name, { text, value, wrong, foreign }] of Object.entries(rows) as [Name, Row][])
    it(name, () => {
      assert.deepEqual(read(name, text), value)
      // Left out: nothing, and blanks.
      for (const empty of ['', ' \t ', '\r'])
        assert.deepEqual(read(name, empty), shown(none[name]), JSON.stringify(empty))
      // What a line of an env file has around a value.
      for (const around of [`${text}\r`, `  ${text} `, `\ufeff${text}\r\n`])
        assert.deepEqual(read(name, around), value)
      for (const quote of ['"', "'"]) {
        const sentence = refusalOf(name, `${quote}${text}${quote}`)
        assert.match(sentence, /is in quotes, which become part of it: write it without them/)
        const shows = sentence.includes(text.replace(/\s+/g, ' '))
        if (text !== pem && !text.includes('\n')) assert.equal(shows, !hidden.test(name), sentence)
      }
      for (const other of wrong) {
        const sentence = refusalOf(name, other)
        if (hidden.test(name)) assert.ok(!sentence.includes(`'${other}'`), sentence)
      }
      refusalOf(name, 'x'.repeat(100_000))
      assert.match(refusalOf(name, `${text}\u0007`), /has a control character in it \(U\+0007\)/)
      if (foreign === undefined) refusalOf(name, `${text}é`)
      else assert.deepEqual(read(name, `${text}é`), foreign(`${text}é`))
    })

  it('says what to write instead, with an example', () => {
    for (const [env, sentence] of [
      [
        { PORT: '"4000"' },
        `PORT '"4000"': is in quotes, which become part of it: write it without them, as PORT=4000`,
      ],
      [
        { SECRETS_KEY: `"${hex}"` },
        'SECRETS_KEY: is in quotes, which become part of it: write it without them',
      ],
      [{ PORT: 'http' }, "PORT 'http': must be a whole number from 0 to 65535, such as 4000"],
      [
        { WEBHOOK_TIMEOUT: '60d' },
        "WEBHOOK_TIMEOUT '60d': must be a duration from 1ms to 1d, such as 10s",
      ],
      [
        { EVM_SWEEP_EVERY: '25d' },
        "EVM_SWEEP_EVERY '25d': must be a duration from 1ms to 24d, such as 1h",
      ],
      [
        { HOST: '*' },
        "HOST '*': must be an IP address or a host name without a port, such as 127.0.0.1",
      ],
      [
        { BASE_URL: 'http://localhost:4697/pay/' },
        "BASE_URL 'http://localhost:4697/pay/': must be a scheme and a host alone: pages and forms begin at its root, so Bursar needs a host name of its own, such as https://payments.example",
      ],
      [
        { LOG_LEVEL: 'loud' },
        "LOG_LEVEL 'loud': must be one of fatal, error, warn, info, debug, trace, silent",
      ],
    ] as const)
      assert.throws(() => readConfig(env), { message: sentence })
  })

  it('cleans what secrets are read from, too', () => {
    const dir = mkdtempSync(join(tmpdir(), 'bursar-config-'))
    const file = join(dir, 'secret')
    writeFileSync(file, `\ufeff  ${hex} \r\n`)
    try {
      assert.deepEqual(
        readConfig({ SECRETS_KEY_FILE: ` ${file}\r`, SECRETS_KEY: ' ' }).SECRETS_KEY,
        Buffer.from(hex, 'hex'),
      )
      const { secretOf } = readConfig({ PAYSTACK: 'sk_test_1\r', QUOTED: '"sk_test_1"' })
      assert.equal(secretOf('env:PAYSTACK'), 'sk_test_1')
      assert.equal(secretOf(`file:${file}`), hex)
      assert.throws(() => secretOf('env:QUOTED'), { name: 'RangeError', message: /^is in quotes/ })
      assert.throws(() => readConfig({ SECRETS_KEY_FILE: `"${file}"` }), {
        message: /^SECRETS_KEY_FILE: is in quotes/,
      })
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it('listens on the names that machines and containers have', () => {
    for (const HOST of [
      '4f8a9c1d2e3b',
      'api_1',
      '3com.example',
      'localhost',
      '::',
      '::1',
      '0.0.0.0',
    ])
      assert.equal(readConfig({ HOST }).HOST, HOST)
  })

  it('names no variable that a file of settings names', () => {
    const dir = mkdtempSync(join(tmpdir(), 'bursar-config-'))
    try {
      for (const setting of ['RAILS_FILE', 'CELLS_FILE']) {
        const file = join(dir, setting)
        const env = { [setting]: file, BURSAR_PAYSTACK_KEY: 'sk_live_1', BURSAR_FAST: '1' }
        assert.equal(
          readConfig(env).unknown.length,
          2,
          'a file that is missing is for its own reader to refuse',
        )
        writeFileSync(
          file,
          '{ "live": { "accounts": { "one": { "secret_key": "env:BURSAR_PAYSTACK_KEY" } } } }',
        )
        assert.deepEqual(readConfig(env).unknown, ['BURSAR_FAST is no setting and has no effect'])
      }
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  it('names variables that look like settings, and no others', () => {
    const unknown = (env: Record<string, string>): string[] => [...readConfig(env).unknown]
    for (const [name, sentence] of [
      ['RATE_LIMITMAX', 'write RATE_LIMIT_MAX'],
      ['RATE_LIMT_MAX', 'write RATE_LIMIT_MAX'],
      ['MAX_RATE_LIMIT', 'write RATE_LIMIT_MAX'],
      ['base_url', 'write BASE_URL'],
      ['BASEURL', 'write BASE_URL'],
      ['DATABASE_ULR', 'write DATABASE_URL'],
      ['LOG_LEVELS', 'write LOG_LEVEL'],
      ['BURSAR_PORT', 'write PORT'],
      ['BURSAR_BASE_URL', 'write BASE_URL'],
      ['SECRET_KEY_FILE', 'write SECRETS_KEY_FILE'],
      ['MAIL_FROM_FILE', 'MAIL_FROM is not read from a file'],
    ] as const)
      assert.deepEqual(unknown({ [name]: '1' }), [`${name} is no setting: ${sentence}`])
    assert.deepEqual(unknown({ BURSAR_FAST: '1' }), ['BURSAR_FAST is no setting and has no effect'])
    assert.deepEqual(
      unknown({
        PATH: '/bin',
        HOME: '/root',
        HOSTNAME: 'a',
        MAIL: '/var/mail',
        LANG: 'C',
        PWD: '/',
        NODE_ENV: 'production',
        BURSAR_URL: 'http://localhost:4000',
        BURSAR_KEY: 'sk_test_1',
        BURSAR_WEBHOOK_SECRET: 'whsec_1',
        RATE_LIMITMAX: '',
        BURSAR_SERVICE_HOST: '10.0.0.1',
        BURSAR_SERVICE_PORT_HTTP: '80',
        BURSAR_PORT: 'tcp://10.0.0.1:80',
        BURSAR_PORT_80_TCP_ADDR: '10.0.0.1',
        DATABASE_URL_2: 'postgres://x',
        SECRETS_KEY: hex,
        PAYSTACK_KEY: 'sk',
        LIMITS_DATABASE_URL_FILE: '',
        npm_config_user_agent: 'npm',
        DOMAIN: 'pay.example',
      }),
      [],
    )
  })
})
