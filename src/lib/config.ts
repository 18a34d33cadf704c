/**
 * All settings of the server in one typed table, which reads the environment, reports invalid
 * values and generates the docs.
 */
import { readFileSync } from 'node:fs'
import {
  baseUrl,
  boolean,
  cell,
  cleanText,
  databaseUrl,
  duration,
  evmKey,
  file,
  files,
  folder,
  headerList,
  host,
  mailbox,
  oneOf,
  origin,
  passphrase,
  ports,
  proofKey,
  type Reader,
  retryDelays,
  secretsKey,
  secretsKeys,
  sender,
  smtpUrl,
  token,
  trustProxy,
  url,
  wholeNumber,
} from './setting-readers.ts'
import { namedIn, unknownSettings } from './unknown-settings.ts'

/**
 * @property default the value if the variable is unset
 * @property none the value if it is unset and has no default
 */
type Setting<T> = { default: string | null; none: T | null; description: string; reader: Reader<T> }

const setting = <T>(fallback: string, description: string, reader: Reader<T>): Setting<T> => ({
  default: fallback,
  none: null,
  description,
  reader,
})

/** An optional setting: null if it is unset or `none`. */
const optional = <T, N = null>(
  description: string,
  reader: Reader<T>,
  none = null as N,
): Setting<T | N> => ({
  default: null,
  none,
  description,
  reader,
})

export const settings = {
  PORT: setting('4000', 'Port the server listens on; 0 takes a free one.', wholeNumber(0, 65_535)),
  HOST: setting(
    '127.0.0.1',
    'Address the server listens on; `0.0.0.0` for every IPv4 address of the machine, `::` for IPv6 too.',
    host,
  ),
  BASE_URL: optional(
    'Public address of the server, for links: a scheme and a host, without a path. Left out: `http://localhost:PORT`, or with the `HOST` that it listens on.',
    origin,
  ),
  DATABASE_URL: optional(
    'Your PostgreSQL 15 or newer; with standbys, several hosts in one URL. Empty: an embedded PostgreSQL in `DATA_DIR`.',
    databaseUrl,
  ),
  MIGRATE_DATABASE_URL: optional(
    'The same database as the role that owns the tables. Then the role of `DATABASE_URL` only serves, and needs no right to change them.',
    databaseUrl,
  ),
  DIRECT_DATABASE_URL: optional(
    'The same database and role without the pooler that `DATABASE_URL` leads through, such as PgBouncer. Then only `--role api` uses the pooler, for requests.',
    databaseUrl,
  ),
  DATABASE_POOL: setting(
    '20',
    'Most database connections one process opens for requests and jobs.',
    wholeNumber(4, 150),
  ),
  DATA_DIR: setting(
    './data',
    'Where the embedded database and the generated secrets key live.',
    folder,
  ),
  WAL_ARCHIVE_DIR: optional(
    'Where the embedded database archives its WAL, to be restored to any moment.',
    folder,
  ),
  WAL_ARCHIVE_TIMEOUT: setting(
    '5m',
    'The longest that a change waits for that archive.',
    duration({ to: '24d' }),
  ),
  STOP_TIMEOUT: setting(
    '5s',
    'How long a stop may take before the process ends anyway.',
    duration({ to: '1d' }),
  ),
  CELL: setting(
    'a',
    'Which cell the database is: one letter, which keys and pages that are made here name.',
    cell,
  ),
  CELL_ACCEPTS: setting('true', 'Whether new businesses may be made in this cell.', boolean),
  CELLS_FILE: optional(
    'JSON file of several cells, each a database with all of its businesses: docs/cells.md.',
    file,
  ),
  LIMITS_DATABASE_URL: optional(
    'Where the rate limit is counted; where it is left out, in the database of `DATABASE_URL`. A server over cells sets it.',
    databaseUrl,
  ),
  READ_URL: optional(
    'A replica of that database, by the role that serves: lists, reports and exports are read there, as far as it has all that was committed when they were asked for.',
    databaseUrl,
  ),
  RATE_LIMIT_MAX: optional(
    'Requests one address may make in a window; 0 turns the limit off. Left out: 100, and requests with a test key that come from this machine are not counted.',
    wholeNumber(0, 1e9),
  ),
  RATE_LIMIT_WINDOW: setting('15m', 'Length of the rate limit window.', duration({ to: '24d' })),
  CARD_TRIES_MAX: setting(
    '300',
    'Cards that one address may try on hosted pages in a window, against card testing; 0 turns it off.',
    wholeNumber(0, 1e6),
  ),
  CARD_DECLINES_MAX: setting(
    '30',
    'Cards of one address that may be declined in a row there, in a window; 0 turns it off.',
    wholeNumber(0, 1e6),
  ),
  CARD_TRIES_WINDOW: setting(
    '1h',
    'Length of that window, from its first try on.',
    duration({ to: '24d' }),
  ),
  REQUESTS_KEEP: setting(
    '7d',
    'How long `GET /requests` shows a request; `0` records none.',
    duration({ zero: true }),
  ),
  PROVIDER_EVENTS_KEEP: setting(
    '90d',
    'How long what a payment provider notified of is kept once it is applied; of its body nothing is kept then.',
    duration(),
  ),
  EVENTS_KEEP: setting(
    '0',
    'How long events and their deliveries are kept, before whole months of them are dropped; `0`: for ever.',
    duration({ from: '1d', zero: true }),
  ),
  DELETED_CUSTOMERS_KEEP: setting(
    '0',
    'How long after it was deleted a customer is erased for good; `0`: never by itself.',
    duration({ zero: true }),
  ),
  PAYERS_KEEP: setting(
    '0',
    'How long payments and refunds of no customer keep who paid, after the payment was made; `0`: until it is erased.',
    duration({ zero: true }),
  ),
  MAILS_KEEP: setting(
    '0',
    'How long mails are kept as they were sent; `0`: until who got them is erased.',
    duration({ zero: true }),
  ),
  TRUST_PROXY: setting(
    'false',
    'Whose `X-Forwarded-For` is believed: `false`, a number of hops, or proxy addresses and CIDRs, comma-separated.',
    trustProxy,
  ),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: setting(
    'false',
    'Let webhooks go to private and loopback addresses.',
    boolean,
  ),
  WEBHOOK_PORTS: setting(
    '443,8443',
    'Ports that a new webhook URL may have, comma-separated; `*` for any. Private targets that are allowed may have any.',
    ports,
  ),
  WEBHOOK_CA_FILE: optional(
    'PEM file of further authorities that webhook targets may be signed by.',
    file,
  ),
  WEBHOOK_TIMEOUT: setting(
    '10s',
    'How long a webhook target may take to answer.',
    duration({ to: '1d' }),
  ),
  WEBHOOK_RETRY_DELAYS: setting(
    '30s,5m,30m',
    'Waits before each further try, with 10 % jitter; `none`: there is no further try.',
    retryDelays,
  ),
  WORKER_CONCURRENCY: setting(
    '64',
    'Tasks one process runs at once, besides what is tried again, webhook deliveries and mail.',
    wholeNumber(1, 100),
  ),
  SANDBOX_DELAY: setting(
    '1s',
    'How long the sandbox rail takes for each of its steps.',
    duration({ to: '24d', zero: true }),
  ),
  PRICING_FILE: optional(
    'JSON file of fees and exchange rates. Default: the table that is built in.',
    file,
  ),
  EXCHANGE_RATES_URL: optional(
    'Where official exchange rates are fetched once an hour, by the interface of Frankfurter: `https://api.frankfurter.dev`, or a server of your own.',
    baseUrl,
  ),
  EXCHANGE_RATES_MAX_AGE: setting(
    '24h',
    'How long an official rate is used after it was fetched.',
    duration(),
  ),
  EXCHANGE_RATES_MAX_MOVE: setting(
    '5',
    'How far an official rate may be from the last one, in percent: one that is further waits until a person accepts it.',
    wholeNumber(1, 100),
  ),
  EVM_FILE: optional(
    'JSON file of the EVM networks to speak to, with their RPC URLs and the extended public keys of deposit addresses.',
    file,
  ),
  EVM_PAYOUT_KEY: optional(
    'Private key that live stablecoin payouts are paid from, `0x` and 64 hex digits.',
    evmKey,
  ),
  EVM_MNEMONIC_FILE: optional(
    'File with the mnemonic of live deposit addresses, to sweep them; payouts are paid from it too without `EVM_PAYOUT_KEY`.',
    file,
  ),
  EVM_TEST_PAYOUT_KEY: optional('The same for test mode.', evmKey),
  EVM_TEST_MNEMONIC_FILE: optional('The same for test mode.', file),
  EVM_SWEEP_EVERY: optional(
    'How often deposit addresses are swept to the treasury. Empty: by command only.',
    duration({ to: '24d', example: '1h' }),
  ),
  EVM_SWEEP_MIN: setting(
    '1000',
    'Least that is swept from an address, in cents.',
    wholeNumber(1, 1e12),
  ),
  RAILS_FILE: optional(
    'JSON file of the accounts at payment providers, and what goes to which of them. Secrets are named in it, not written.',
    file,
  ),
  SCREENING_FILE: optional(
    'File of sanctioned addresses, accounts and names, JSON or CSV: payouts to them wait for a person. It is read again once it has changed.',
    file,
  ),
  SCREENING_MAX_AGE: setting(
    '7d',
    'How old that file may be before `bursar doctor` warns of it.',
    duration(),
  ),
  METRICS_TOKEN: optional(
    'Bearer token of `GET /metrics`, of at least 16 characters. Empty: there are no metrics.',
    token,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'Where traces and metrics are sent, to a collector of OpenTelemetry by OTLP over HTTP, such as `http://localhost:4318`. Empty: nowhere.',
    baseUrl,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(
    'What is sent along, such as `api-key=…`; comma-separated.',
    headerList,
    {} as Record<string, string>,
  ),
  SMTP_URL: optional(
    'Where mail goes out, such as `smtps://user:password@mail.example:465`. Empty: test mode captures mail, live mode refuses to send.',
    smtpUrl,
  ),
  SMTP_ALLOW_PLAINTEXT: setting(
    'false',
    'Let mail, and the password in `SMTP_URL`, cross the network without TLS where `smtp://` is given and the SMTP server offers no STARTTLS. Without it, only one on this machine is spoken to without TLS.',
    boolean,
  ),
  MAIL_FROM: setting('Bursar <no-reply@localhost>', 'The sender of mail to customers.', sender),
  OPERATOR_EMAIL: optional(
    'The address for mail about problems that need a person: incidents, low balances at providers, a treasury that lacks tokens or gas. Needs `SMTP_URL`. Empty: no mail.',
    mailbox,
  ),
  OPERATOR_WEBHOOK_URL: optional(
    'Where the same is posted as JSON, whose `text` chat systems show. Empty: nowhere.',
    url,
  ),
  PDF_FONTS: optional(
    'Font files (TTF, OTF) for scripts that DejaVu Sans lacks, such as Chinese; comma-separated, in order.',
    files,
    [] as string[],
  ),
  SECRETS_KEY: optional(
    '32 bytes that seal secrets at rest, as hex or base64. Generated for the embedded database, required otherwise.',
    secretsKey,
  ),
  SECRETS_KEYS_OLD: optional(
    'Keys before `SECRETS_KEY`, comma-separated: what they sealed is opened too, until `bursar secrets rotate` has sealed it again.',
    secretsKeys,
    [] as Buffer[],
  ),
  PROOF_KEY: optional(
    'Ed25519 private key in PEM that signs the proofs of days (docs/proofs.md), made by `openssl genpkey -algorithm ed25519`. Empty: none is signed, and there are no receipts with proofs.',
    proofKey,
  ),
  BACKUP_PASSPHRASE: optional(
    'What `bursar backup` seals `secrets.key` by, and `bursar restore` opens it by; at least 12 characters. Empty: the key is left out.',
    passphrase,
  ),
  LOG_LEVEL: setting(
    'info',
    'Least level that is logged.',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
}

type Settings = typeof settings
export type Config = { [K in keyof Settings]: ReturnType<Settings[K]['reader']['read']> } & {
  /**
   * Resolves a secret that a settings file names as `env:NAME` or `file:PATH`.
   * @throws {RangeError} that says why it is missing, without showing it or its path
   */
  secretOf(reference: string): string
  /** Warnings about variables that look like misspelt settings. */
  unknown: readonly string[]
}

/**
 * Settings that are never shown. Each can be given as `NAME_FILE`, the path of a file with the
 * value.
 */
const secrets = [
  'SECRETS_KEY',
  'SECRETS_KEYS_OLD',
  'PROOF_KEY',
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'DIRECT_DATABASE_URL',
  'LIMITS_DATABASE_URL',
  'READ_URL',
  'SMTP_URL',
  'OPERATOR_WEBHOOK_URL',
  'EVM_PAYOUT_KEY',
  'EVM_TEST_PAYOUT_KEY',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'BACKUP_PASSPHRASE',
]

/** A setting with which the server cannot start. The message is one line that names it. */
export class ConfigError extends Error {}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Reports an invalid variable.
 * @param secret whether its text must not be shown
 */
function refuseText(name: string, text: string, secret: boolean, sentence: string): never {
  const plain = text.replace(/\p{Cc}+/gu, ' ').trim()
  const short = plain.length > 100 ? `${plain.slice(0, 100)}…` : plain
  const instead = sentence.startsWith('is in quotes')
    ? `, as ${name}=${short.replace(/^["']|["']$/g, '')}`
    : ''
  throw new ConfigError(
    secret ? `${name}: ${sentence}` : `${name} '${short}': ${sentence}${instead}`,
  )
}

/** @throws {ConfigError} */
function cleanVariable(
  env: Env,
  name: string,
  { secret, lines }: { secret: boolean; lines?: true | undefined },
): string {
  const text = env[name] ?? ''
  try {
    return cleanText(text, { lines })
  } catch (error) {
    return refuseText(name, text, secret, (error as Error).message)
  }
}

/**
 * Returns the text of a variable, trimmed of the blanks and line breaks of env files; empty if
 * unset.
 * @throws {ConfigError} with one line that names it
 */
export const textOf = (env: Env, name: string): string =>
  cleanVariable(env, name, { secret: !(name in settings) || secrets.includes(name) })

/** Returns the text of a setting, and the variable with it: its own name, or `NAME_FILE`. */
function given(env: Env, name: string, { lines }: Reader<unknown>): { by: string; text: string } {
  const secret = secrets.includes(name)
  const text = cleanVariable(env, name, { secret, lines })
  const by = `${name}_FILE`
  // By mistake, the path may be the secret itself.
  const from = secret ? cleanVariable(env, by, { secret }) : ''
  if (from === '') return { by: name, text }
  if (text !== '') throw new ConfigError(`${name} and ${by}: only one of them can be given`)
  let held: string
  try {
    held = cleanText(readSecretFile(from), { lines })
  } catch (error) {
    throw new ConfigError(`${by}: ${(error as Error).message}`)
  }
  // An empty secret would silently disable a feature, such as metrics.
  if (held === '') throw new ConfigError(`${by}: the file is empty`)
  return { by, text: held }
}

/**
 * Reads the configuration, including files with secrets. An empty variable counts as unset.
 * @throws {ConfigError} with one line that names the first invalid setting
 */
export function readConfig(env: Env): Config {
  const config: Record<string, unknown> = {}
  for (const [name, { default: fallback, none, reader }] of Object.entries<Setting<unknown>>(
    settings,
  )) {
    const { by, text } = given(env, name, reader)
    const { example = fallback } = reader
    try {
      config[name] =
        text !== '' ? reader.read(text) : fallback === null ? none : reader.read(fallback)
    } catch (error) {
      const sentence = (error as Error).message
      refuseText(
        by,
        text,
        secrets.includes(name),
        example === null ? sentence : `${sentence}, such as ${example}`,
      )
    }
  }
  config.secretOf = (reference: string) => secretOf(env, reference)
  const named = [config.RAILS_FILE, config.CELLS_FILE].flatMap((file) =>
    namedIn(file as string | null),
  )
  config.unknown = unknownSettings(env, Object.keys(settings), secrets, named)
  return config as Config
}

function secretOf(env: Env, reference: string): string {
  const [kind, where] = [
    reference.slice(0, reference.indexOf(':')),
    reference.slice(reference.indexOf(':') + 1),
  ]
  if (kind === 'file')
    return cleanText(readSecretFile(where), { lines: true }) || throwRange('the file is empty')
  if (kind !== 'env' || !/^[A-Z][A-Z0-9_]*$/.test(where))
    throwRange('must be env:NAME or file:PATH, which say where the secret is')
  return (
    cleanText(env[where] ?? '', { lines: true }) ||
    throwRange('the environment has no such variable, or it is empty')
  )
}

function throwRange(message: string): never {
  throw new RangeError(message)
}

/** @throws {RangeError} without the path, which could be the secret itself */
function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new RangeError(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Returns the table as Markdown, for `docs/configuration.md`. */
export function configurationTable(): string {
  const rows = Object.entries<Setting<unknown>>(settings).map(
    ([name, { default: fallback, description, reader }]) =>
      `| \`${name}\`${secrets.includes(name) ? ` or \`${name}_FILE\`` : ''} | ${reader.type} | ${fallback ? `\`${fallback}\`` : ''} | ${description} |`,
  )
  return ['| Variable | Type | Default | Meaning |', '|---|---|---|---|', ...rows].join('\n')
}
