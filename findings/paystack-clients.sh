#!/usr/bin/env bash
# What Paystack's client libraries tell their caller of POST /transfer: taken, refused, or nobody knows.
#
# One would guess: a client returns the transfer that Paystack took; of a refusal and of a 5xx it gives status and
# code, so that the caller knows whether money may have left (only after a refusal is it certain that none has).
# True for paystack-api and paystack-sdk (npm). Not for the others:
#   @paystack/paystack-sdk   the official one: its newest version on npm has no code in it, and cannot be loaded
#   pypaystack2              a transfer that was taken comes back as `data` None: its model asks for a `session`,
#                            which Paystack's own OpenAPI does not have in this answer. `raw` has the transfer
#   paystackapi (PyPI)       a 5xx with a body of JSON is returned as any answer is, without its status: the same
#                            shape as a refusal
#   @alexasomba/paystack-node  a 5xx is thrown as a TypeError without status, code and body: it tries again with a
#                            request whose body it has used. It takes every POST for a GET, so the header of its
#                            `idempotencyKey` is never sent
#
# Why it matters to who runs payments: code that reads `response.data.transfer_code` fails after the money left,
# and whoever takes that error, a TypeError or `status: false` for a refusal pays again. Send a `reference` with
# each transfer, keep it before you send, and after anything but a refusal that you know ask
# GET /transfer/verify/{reference}: only the reference keeps Paystack from paying twice.
#
# Versions: @paystack/paystack-sdk 1.2.1, paystack-sdk 4.2.1, paystack-api 2.0.6, @alexasomba/paystack-node 1.1.6
# (openapi-fetch 0.15.2), pypaystack2 3.4.0 (pydantic 2.14.4, httpx 0.28.1), paystackapi 2.1.3 (requests 2.34.2).
# Needs: npm, Node 20 or newer, Python 3.11.
# Source: seen by running, against a local server that answers in the form of TransferCreateResponse of Paystack's
# OpenAPI (github.com/PaystackOSS/openapi) and of its published errors (paystack.com/docs/api/errors).
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"; [ -z "${server:-}" ] || kill "$server" 2> /dev/null || true' EXIT
cd "$dir"
echo '{ "type": "module", "overrides": { "openapi-fetch": "0.15.2" } }' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts @paystack/paystack-sdk@1.2.1 paystack-sdk@4.2.1 \
  paystack-api@2.0.6 @alexasomba/paystack-node@1.1.6 openapi-fetch@0.15.2 > install.log 2>&1 || { cat install.log; exit 2; }
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pypaystack2==3.4.0 pydantic==2.14.4 httpx==0.28.1 \
  paystackapi==2.1.3 requests==2.34.2

cat > server.mjs <<'JS'
import { createServer } from 'node:http'
import { appendFileSync, writeFileSync } from 'node:fs'

const transfer = {
  transfersessionid: [], transfertrials: [], domain: 'test', amount: 500000, currency: 'NGN', reference: 'taken',
  source: 'balance', source_details: null, reason: 'Payout', status: 'pending', failures: null,
  transfer_code: 'TRF_4kqz0d1example', titan_code: null, transferred_at: null, id: 14, integration: 100001,
  request: 15, recipient: 28, createdAt: '2026-02-03T17:21:54.508Z', updatedAt: '2026-02-03T17:21:54.508Z',
}
const refusal = { status: false, message: 'Please provide a unique reference. Reference already exists on a transfer',
  code: 'duplicate_transfer_reference', type: 'validation_error' }
/** By the reference of the transfer. */
const answers = {
  taken: [200, 'application/json', { status: true, message: 'Transfer has been queued', data: transfer }],
  refused: [400, 'application/json', refusal],
  broken: [500, 'application/json', { status: false, message: 'An error occurred' }],
  gateway: [504, 'text/html', '<html><body>504 Gateway Time-out</body></html>'],
}
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => { body += chunk })
  request.on('end', () => {
    const { reference } = JSON.parse(body)
    appendFileSync('asked.log', `${reference} ${'idempotency-key' in request.headers ? 'with' : 'without'} a key\n`)
    const [status, type, answer] = answers[reference]
    response.writeHead(status, { 'content-type': type }).end(type === 'text/html' ? answer : JSON.stringify(answer))
  })
})
server.listen(0, '127.0.0.1', () => writeFileSync('port', String(server.address().port)))
JS
node server.mjs &
server=$!
while [ ! -s port ]; do sleep 0.1; done

# The clients whose host cannot be set are led to the local server beneath them.
cat > lead.cjs <<'JS'
const http = require('node:http')
const https = require('node:https')
const port = Number(require('node:fs').readFileSync('port', 'utf8'))
https.request = ({ method, path, headers }, done) => http.request({ method, path, headers, host: '127.0.0.1', port }, done)
const { fetch } = globalThis
globalThis.fetch = (url, init) =>
  fetch(typeof url === 'string' ? url.replace('https://api.paystack.co', `http://127.0.0.1:${port}`) : url, init)
JS
cat > clients.mjs <<'JS'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createPaystackClient } from '@alexasomba/paystack-node'

const require = createRequire(import.meta.url)
const names = ['taken', 'refused', 'broken', 'gateway']
const order = (reference) => ({ source: 'balance', amount: 500000, recipient: 'RCP_example', reason: 'Payout', reference })

async function tell(client, send) {
  for (const name of names) {
    let came
    try {
      const said = await send(order(name))
      const body = said.data?.data ? said.data : (said.error ?? said)
      came = `returns ${body.data?.transfer_code ?? body.code ?? 'nothing'}, status ${said.response?.status ?? 'not told'}`
    } catch (error) {
      const body = error.body ?? error.error
      came = `throws ${error.constructor.name}, status ${error.statusCode ?? error.status ?? 'not told'}, code ${body?.code ?? 'none'}`
    }
    console.log(`${client}: ${name}: ${came}`)
  }
}

try {
  require('@paystack/paystack-sdk')
  console.log('@paystack/paystack-sdk: loaded')
} catch (error) {
  console.log(`@paystack/paystack-sdk: ${error.code}`)
}
const api = require('paystack-api')('sk_test_example')
await tell('paystack-api', (body) => api.transfer.create(body))
const sdk = new (require('paystack-sdk'))('sk_test_example')
await tell('paystack-sdk', (body) => sdk.transfer.initiate(body))
const baseUrl = `http://127.0.0.1:${readFileSync('port', 'utf8')}`
const typed = createPaystackClient({ secretKey: 'sk_test_example', baseUrl, idempotencyKey: 'auto' })
await tell('@alexasomba/paystack-node', (body) => typed.POST('/transfer', { body }))
JS
cat > clients.py <<'PY'
import logging

import paystackapi
import pypaystack2.base_clients
from pypaystack2 import PaystackClient
from pypaystack2.enums import Currency

logging.disable(logging.CRITICAL)
base = f"http://127.0.0.1:{open('port').read()}"
pypaystack2.base_clients.BaseAPIClient._BASE_URL = base
paystackapi.API_URL = f"{base}/"
from paystackapi.transfer import Transfer

client = PaystackClient(secret_key="sk_test_example")
for name in ["taken", "refused", "broken", "gateway"]:
    said = client.transfers.initiate(
        amount=500000, recipient="RCP_example", reason="Payout", reference=name, source="balance", currency=Currency.NGN
    )
    kept = (said.raw.get("data") or {}).get("transfer_code") if isinstance(said.raw, dict) else None
    print(f"pypaystack2: {name}: returns data {said.data}, status {int(said.status_code)}, code {said.code}, raw {kept}")
for name in ["taken", "refused", "broken", "gateway"]:
    order = dict(source="balance", amount=500000, recipient="RCP_example", reason="Payout", reference=name)
    try:
        said = Transfer.initiate(**order)
        print(f"paystackapi: {name}: returns {(said.get('data') or {}).get('transfer_code') or said.get('code') or 'nothing'}, status not told")
    except Exception as error:
        print(f"paystackapi: {name}: raises {type(error).__name__}, status not told")
PY
{
  node --require ./lead.cjs clients.mjs
  venv/bin/python clients.py 2> /dev/null
} | tee seen
sort asked.log | uniq -c | sed 's/^ */asked: /' | tee -a seen
cat > expected <<'TXT'
@paystack/paystack-sdk: MODULE_NOT_FOUND
paystack-api: taken: returns TRF_4kqz0d1example, status not told
paystack-api: refused: throws StatusCodeError, status 400, code duplicate_transfer_reference
paystack-api: broken: throws StatusCodeError, status 500, code none
paystack-api: gateway: throws StatusCodeError, status 504, code none
paystack-sdk: taken: returns TRF_4kqz0d1example, status not told
paystack-sdk: refused: throws PaystackHttpError, status 400, code duplicate_transfer_reference
paystack-sdk: broken: throws PaystackHttpError, status 500, code none
paystack-sdk: gateway: throws PaystackHttpError, status 504, code none
@alexasomba/paystack-node: taken: returns TRF_4kqz0d1example, status 200
@alexasomba/paystack-node: refused: returns duplicate_transfer_reference, status 400
@alexasomba/paystack-node: broken: throws TypeError, status not told, code none
@alexasomba/paystack-node: gateway: throws TypeError, status not told, code none
pypaystack2: taken: returns data None, status 200, code None, raw TRF_4kqz0d1example
pypaystack2: refused: returns data None, status 400, code duplicate_transfer_reference, raw None
pypaystack2: broken: returns data None, status 500, code None, raw None
pypaystack2: gateway: returns data None, status 504, code None, raw None
paystackapi: taken: returns TRF_4kqz0d1example, status not told
paystackapi: refused: returns duplicate_transfer_reference, status not told
paystackapi: broken: returns nothing, status not told
paystackapi: gateway: raises JSONDecodeError, status not told
asked: 5 broken without a key
asked: 5 gateway without a key
asked: 5 refused without a key
asked: 5 taken without a key
TXT
diff expected seen || { echo 'This is no longer so.'; exit 1; }
