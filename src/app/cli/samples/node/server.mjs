/**
 * A shop of one page: it opens payments, and ships what a verified webhook says is paid. Node.js
 * alone, no package. Settings come from the environment, or from .env beside this file.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

try {
  process.loadEnvFile(fileURLToPath(new URL('.env', import.meta.url)))
} catch {
  // There is none: the environment has it all.
}
const {
  BURSAR_URL = 'http://localhost:4000',
  BURSAR_KEY = '',
  WEBHOOK_SECRET = '',
  PORT = '3000',
} = process.env

const mostBytes = 1_000_000
/** What a webhook was sent longer ago, or ahead, than this is a replay. */
const toleranceSeconds = 5 * 60
/**
 * Events that were acted on: yours is a table with a unique key, written in the transaction of what
 * you do.
 */
const seen = new Set()

/**
 * Whether Bursar sent a webhook, and just now. Standard Webhooks: HMAC-SHA256 over
 * `id.timestamp.body`, in base64.
 * @param {Buffer} body its raw bytes, before any parser
 */
function isFromBursar(body, headers) {
  const {
    'webhook-id': id = '',
    'webhook-timestamp': time = '',
    'webhook-signature': signatures = '',
  } = headers
  if (WEBHOOK_SECRET === '' || !/^\d{1,12}$/.test(time)) return false
  if (Math.abs(Date.now() / 1000 - Number(time)) > toleranceSeconds) return false
  // `weh_…` is the key itself, `whsec_…` the base64 of it.
  const isBase64 = WEBHOOK_SECRET.startsWith('whsec_')
  const key = isBase64 ? Buffer.from(WEBHOOK_SECRET.slice(6), 'base64') : WEBHOOK_SECRET
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest()
  // There are two while a secret is rolled.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

async function bodyOf(request) {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > mostBytes) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Opens a payment. @returns where the payer goes */
async function openPayment() {
  const response = await fetch(`${BURSAR_URL}/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BURSAR_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 250_000, currency: 'ngn', description: 'Running shoes' }),
  })
  const { message, data } = await response.json()
  if (!response.ok) throw new Error(`no payment was opened: ${message}`)
  return data.checkout_url
}

const server = createServer(async (request, response) => {
  const answer = (status, text = '', headers = {}) => response.writeHead(status, headers).end(text)
  try {
    switch (`${request.method} ${request.url}`) {
      case 'GET /': {
        const page =
          '<!doctype html><title>Shop</title><form method="post" action="/pay"><button>Buy shoes for ₦2,500.00</button></form>'
        return answer(200, page, { 'content-type': 'text/html; charset=utf-8' })
      }
      case 'POST /pay':
        return answer(303, '', { location: await openPayment() })
      case 'POST /webhook': {
        const body = await bodyOf(request)
        if (!isFromBursar(body, request.headers)) {
          console.log('refused a webhook whose signature is wrong or old')
          return answer(401)
        }
        const event = JSON.parse(body.toString())
        if (!seen.has(event.id)) {
          seen.add(event.id)
          // Yours is a row in a queue; the work comes after the answer.
          console.log(`verified ${event.type} ${event.payload.id ?? ''}`)
        }
        return answer(204)
      }
      default:
        return answer(404)
    }
  } catch (error) {
    console.error(error.message)
    if (!response.headersSent) answer(500)
  }
})
server.listen(Number(PORT), '127.0.0.1', () =>
  console.log(`The shop is at http://localhost:${server.address().port}`),
)
