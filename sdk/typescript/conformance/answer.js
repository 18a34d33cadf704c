/**
 * Does what a line of the conformance list asks for, with the installed package.
 */
import { Bursar, webhooks } from '@bursar/sdk'

const exact = (_name, value) =>
  typeof value === 'bigint'
    ? `@integer:${value}`
    : value instanceof Uint8Array
      ? { bytes: base64(value) }
      : value

/** JSON, with each bigint as the integer that it is. */
export const write = (value) => JSON.stringify(value, exact).replaceAll(/"@integer:(-?\d+)"/g, '$1')

const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))

/** A value of the list, whose long integers are `{$int}`. */
function given(value, money) {
  if (typeof value !== 'object' || value === null) return value
  if ('$int' in value) return money === 'bigint' ? BigInt(value.$int) : Number(value.$int)
  if (Array.isArray(value)) return value.map((item) => given(item, money))
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, given(child, money)]),
  )
}

const clients = new Map()

function clientOf(options) {
  const name = JSON.stringify(options)
  const { base_url: baseUrl, api_key: apiKey, max_retries: maxRetries, money } = options
  const timeout = timeOf(options.timeout_ms)
  if (!clients.has(name))
    clients.set(name, new Bursar({ baseUrl, apiKey, maxRetries, money, timeout }))
  return clients.get(name)
}

/** `Infinity` and `NaN` come as texts. */
const timeOf = (ms) => (ms === undefined ? undefined : Number(ms))

/** All that a client, and an error of it, can be made to show. */
async function show(options) {
  const bursar = clientOf(options)
  const error = await bursar.wallets.list().catch((thrown) => thrown)
  const { inspect = String } = await import('node:util').catch(() => ({}))
  const whole = { depth: 12, showHidden: true, getters: true }
  return [bursar, bursar.wallets, bursar.events.stream(), error, error.cause].flatMap((one) => [
    String(one),
    JSON.stringify(one) ?? '',
    inspect(one, whole),
    String(one?.stack),
    JSON.stringify(Object.entries(one ?? {}).map(String)),
  ])
}

async function run({
  show: shows,
  call,
  collect,
  verify,
  args = [],
  query,
  body,
  options = {},
  take,
  client,
}) {
  if (verify) {
    const { body: text, parsed, headers, secrets, tolerance, allowXSignature } = verify
    const raw = text === undefined ? parsed : bytesOf(text)
    return webhooks.verify(raw, headers, secrets, { tolerance, allowXSignature })
  }
  if (shows) return show(client)
  const [resource, method] = (call ?? collect).split('.')
  const of = clientOf(client)[resource]
  const more = [query, body]
    .filter((one) => one !== undefined)
    .map((one) => given(one, client.money))
  const { idempotency_key: idempotencyKey, max_retries: maxRetries, timeout_ms } = options
  const asked = of[method](...args, ...more, {
    idempotencyKey,
    maxRetries,
    timeout: timeOf(timeout_ms),
  })
  if (call) return await asked
  const taken = []
  for await (const one of asked) if (taken.push(one) === take) break
  return taken
}

/** What comes of a message. */
export async function answer(message) {
  try {
    return { ok: await run(message) }
  } catch (error) {
    const {
      name: type,
      status,
      code,
      message: said,
      requestId: request_id,
      errors,
      retryAfter: retry_after,
    } = error
    return { error: { type, status, code, message: said, request_id, errors, retry_after } }
  }
}
