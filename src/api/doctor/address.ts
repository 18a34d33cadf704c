/** Checks the settings' names and the server's address, as seen from this machine. */
import { get as getPlain, type IncomingMessage } from 'node:http'
import { get as getSecure } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { type Finding, fail, ok, type Settings, warn } from './finding.ts'

const waitMs = 5_000
const longestAnswer = 64 * 1024
const dayMs = 24 * 60 * 60 * 1_000
/** Automatic renewal replaces certificates weeks before their end. */
const renewMs = 14 * dayMs

type Seen = { status: number; body: string; validTo: Date | null }

/**
 * @throws {Error} when there is no answer in time; with a TLS `code` for an untrusted certificate
 */
function ask(url: string): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? getSecure : getPlain
    const asked = get(
      url,
      { signal: AbortSignal.timeout(waitMs), agent: false },
      (answer: IncomingMessage) => {
        const certificate = (answer.socket as TLSSocket).getPeerCertificate?.()
        const validTo = certificate?.valid_to ? new Date(certificate.valid_to) : null
        let body = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk
          if (body.length > longestAnswer)
            asked.destroy(new Error('it answers with more than 64 KiB'))
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body, validTo }))
        answer.on('error', reject)
      },
    )
    asked.on('error', reject)
  })
}

/** Returns the answer of `/health`, or null if another program answers. */
function healthIn(
  body: string,
): { status: string; database: boolean; migrations: boolean; workers: boolean | null } | null {
  try {
    const { data } = JSON.parse(body)
    return typeof data?.status === 'string' && 'migrations' in data ? data : null
  } catch {
    return null
  }
}

const local = (url: string): boolean =>
  /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|\/|$)/i.test(url)

const isTls = (code: string): boolean => /CERT|SELF_SIGNED|ALTNAME|TLS|SSL|UNABLE_TO/.test(code)

export async function address({ config, clock, url }: Settings): Promise<Finding[]> {
  const { BASE_URL: given } = config
  const said =
    given === null
      ? [
          warn(
            'address',
            `BASE_URL is not set: links to pages and in mails lead to ${url}`,
            'Set it to the address that payers and people use.',
          ),
        ]
      : given.startsWith('http:') && !local(given)
        ? [
            fail(
              'address',
              `BASE_URL is ${given}: cards, passwords and sessions would cross the network in the clear`,
              'Put TLS in front of the server, and set BASE_URL to its https:// address.',
            ),
          ]
        : []
  // Only the server itself knows a port that it chose at its start.
  if (given === null && url.endsWith(':0')) return said
  return [...said, ...(await reach(url, given !== null, clock.now()))]
}

async function reach(url: string, named: boolean, now: Date): Promise<Finding[]> {
  const todo = named
    ? 'See that the server runs, that the name leads to the proxy, and the proxy to HOST:PORT.'
    : 'Start it: `bursar serve`.'
  let seen: Seen
  try {
    seen = await ask(`${url}/health`)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (isTls(code))
      return [
        fail(
          'address',
          `the certificate of ${url} is not trusted here: ${message}`,
          'Renew or mend it, with its whole chain.',
        ),
      ]
    const found = `nothing answers at ${url}: ${message || code}`
    return [named ? fail('address', found, todo) : warn('address', found, todo)]
  }
  const health = healthIn(seen.body)
  if (health === null)
    return [
      fail(
        'address',
        `something else than Bursar answers at ${url}/health (status ${seen.status})`,
        todo,
      ),
    ]
  const broken = (['database', 'migrations', 'workers'] as const).filter(
    (part) => health[part] === false,
  )
  const { validTo } = seen
  const left = validTo === null ? Number.POSITIVE_INFINITY : validTo.getTime() - now.getTime()
  return [
    broken.length > 0
      ? fail(
          'address',
          `the server at ${url} is not ready: ${broken.join(', ')}`,
          'Look into its log.',
        )
      : ok('address', `the server answers at ${url}`),
    ...(left < renewMs
      ? [
          warn(
            'address',
            `its certificate ends in ${Math.max(0, Math.floor(left / dayMs))} days, on ${validTo?.toISOString()}`,
            'Renew it, and see why that was not done by itself.',
          ),
        ]
      : []),
  ]
}

/** Finds variables with misspelled names of settings. */
export async function names({ config }: Settings): Promise<Finding[]> {
  if (config.unknown.length === 0)
    return [ok('settings', 'no variable has a name that only looks like a setting')]
  return config.unknown.map((sentence) =>
    warn('settings', sentence, 'Rename the variable, or take it away.'),
  )
}

/** The server speaks only http, so an https address needs a proxy in front of it. */
export async function proxy({ config }: Settings): Promise<Finding[]> {
  const behind = config.BASE_URL?.startsWith('https:') === true
  if (behind && config.TRUST_PROXY === false)
    return [
      warn(
        'proxy',
        'TRUST_PROXY is not set, and BASE_URL has a proxy before it: rate limits and allow-lists of keys see the proxy’s address',
        'Set TRUST_PROXY to the number of proxies, or to their addresses.',
      ),
    ]
  return [
    ok(
      'proxy',
      behind ? 'X-Forwarded-For of TRUST_PROXY is believed' : 'none is expected before the server',
    ),
  ]
}
