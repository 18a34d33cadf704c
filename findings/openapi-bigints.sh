#!/usr/bin/env bash
# Amounts above 2^53 through TypeScript clients that are generated with a "bigint" option.
#
# One would guess: a generator that declares integers of format int64 as `bigint` also carries them:
# 9007199254740993 in an answer is 9007199254740993n, and 9007199254740993n in a request is a number.
# True: both generators change the type, and neither touches the JSON. hey-api parses the answer first
# and makes a bigint of what was rounded (…992n); in a request it sends the amount in quotes, which a
# server that validates integers refuses. orval returns a plain number where its type says bigint,
# and its request throws, since JSON.stringify takes no bigint.
#
# Why it matters to who runs payments: the types say that amounts are exact while they are not. Amounts
# in minor units stay below 2^53 for most currencies; base units of tokens (18 decimals) do not.
#
# Versions: @hey-api/openapi-ts 0.99.0, orval 8.38.0, typescript 5.9.3.
# Source: seen by running; hey-api docs, plugin Transformers, option bigInt; orval docs, override.useBigInt.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{ "type": "module" }' > package.json
npm install --silent --no-audit --no-fund @hey-api/openapi-ts@0.99.0 orval@8.38.0 typescript@5.9.3

cat > spec.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Payouts", "version": "1" },
  "servers": [{ "url": "http://127.0.0.1" }],
  "paths": { "/payouts": { "post": {
    "operationId": "createPayout",
    "requestBody": { "required": true, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Payout" } } } },
    "responses": { "201": { "description": "Made", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Payout" } } } } }
  } } },
  "components": { "schemas": { "Payout": {
    "type": "object", "required": ["amount"], "properties": { "amount": { "type": "integer", "format": "int64" } }
  } } }
}
JSON
cat > openapi-ts.config.mjs <<'JS'
export default {
  input: 'spec.json',
  output: 'hey',
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', { name: '@hey-api/transformers', bigInt: true }, { name: '@hey-api/sdk', transformer: true }],
}
JS
cat > orval.config.mjs <<'JS'
export default { payouts: { input: 'spec.json', output: { target: 'orval/client.ts', client: 'fetch', override: { useBigInt: true } } } }
JS
npx openapi-ts > /dev/null
npx orval --config orval.config.mjs > /dev/null
npx tsc --outDir out --module esnext --target es2022 --moduleResolution bundler --skipLibCheck --noCheck hey/*.ts hey/*/*.ts orval/client.ts
grep -h 'amount' hey/types.gen.ts orval/client.ts | sort -u
printf 'export { resolve }\nasync function resolve(name, context, next) {\n  return next(name, context).catch(() => next(`${name}.js`, context).catch(() => next(`${name}/index.js`, context)))\n}\n' > loader.mjs

cat > try.mjs <<'JS'
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { register } from 'node:module'

register('./loader.mjs', import.meta.url)
let received = ''
const server = createServer(async (request, response) => {
  received = ''
  for await (const chunk of request) received += chunk
  response.writeHead(201, { 'content-type': 'application/json' }).end('{"amount":9007199254740993}')
}).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const baseUrl = `http://127.0.0.1:${server.address().port}`

const { client } = await import('./out/hey/client.gen.js')
const hey = await import('./out/hey/sdk.gen.js')
client.setConfig({ baseUrl })
const { data } = await hey.createPayout({ body: { amount: 9007199254740993n } })
console.log('hey-api sent', received, 'and returned', data)
assert.equal(received, '{"amount":"9007199254740993"}')
assert.equal(data.amount, 9007199254740992n)

const native = globalThis.fetch
globalThis.fetch = (url, options) => native(baseUrl + new URL(url, baseUrl).pathname, options)
const orval = await import('./out/orval/client.js')
const error = await orval.createPayout({ amount: 9007199254740993n }).catch((error) => error)
const answer = await orval.createPayout({ amount: 1 })
console.log('orval threw', `${error.name}: ${error.message}`, 'and returned', answer.data)
assert.ok(error instanceof TypeError)
assert.equal(answer.data.amount, 9007199254740992)
server.close()
JS
node try.mjs
