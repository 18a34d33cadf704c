/**
 * Goal: what a server says of itself arrives, fits together, and gives nothing away. Method: a
 * server as an operator starts it, a small collector of OTLP over HTTP, and a receiver of webhooks.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { createBusiness, createKey } from '../../../src/books/businesses/businesses.ts'
import { outside } from '../../../src/core/outside.ts'
import { newDatabase } from '../../support/cluster.ts'
import { openBeside, type Served, serve } from '../../support/commands.ts'
import { bankPayout, type Json, makeCall, must, until } from '../../support/harness.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const token = 'scrape-me-with-this-token'
const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'

describe('a server with a collector', () => {
  let database: Awaited<ReturnType<typeof newDatabase>>
  let receiver: Receiver
  let collector: Server
  let served: Served
  let scraped: string
  let secrets: string[]
  /** A key that may only read. */
  let reading: Awaited<ReturnType<typeof createKey>>
  let payment: Json
  const sent: { path: string; headers: Json; body: Json }[] = []
  const env = () => ({ DATABASE_URL: database.url, SECRETS_KEY: 'cd'.repeat(32) })

  before(async () => {
    database = await newDatabase()
    receiver = await startReceiver()
    collector = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
        sent.push({ path: request.url ?? '', headers: request.headers, body })
        response.setHeader('content-type', 'application/json').end('{}')
      })
    })
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    const beside = await openBeside(env())
    const { business, test_key: key } = await createBusiness(beside.app, 'Shop')
    const scope = { businessId: business.id, livemode: false, now: beside.app.clock.now() }
    reading = await outside(beside.app, scope).write((work) =>
      createKey(work, { name: 'logged', scopes: ['read'] }),
    )
    await beside.close()
    served = await serve({
      ...env(),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '0s',
      LOG_LEVEL: 'info',
      METRICS_TOKEN: token,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collect%20me',
    })
    const call = makeCall(served.url, key)
    const webhook = await must(
      call('POST', '/webhooks', { url: `${receiver.url}/path-of-a-webhook` }),
    )
    await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 5_000_000 }))
    payment = await must(
      call(
        'POST',
        '/payments?',
        { amount: 250_000, currency: 'ngn', email: 'ada@shop.example' },
        { traceparent: `00-${trace}-${parent}-01` },
      ),
    )
    await must(call('POST', `/payments/${payment.id}/simulate`, { outcome: 'completed' }))
    await must(call('POST', '/payouts', bankPayout('one', 10_000)))
    await until(
      async () => (await must(call('GET', '/payouts/one'))).status === 'completed',
      60_000,
    )
    await until(async () => receiver.requests.length > 2, 60_000)
    assert.equal(
      (await call('POST', '/payouts', bankPayout('two', 999_999_999))).code,
      'insufficient_funds',
    )
    const reader = makeCall(served.url, reading.key)
    await must(reader('GET', '/wallets'))
    assert.equal((await reader('POST', '/payouts', {})).status, 403)
    assert.equal((await makeCall(served.url, 'sk_test_nobody')('GET', '/wallets')).status, 401)
    scraped = (await makeCall(served.url, token)('GET', '/metrics')).body
    secrets = [
      key,
      reading.key,
      webhook.secret,
      'path-of-a-webhook',
      'ada@shop.example',
      token,
      '0123456789',
    ]
    served.child.kill('SIGTERM')
    assert.equal(await served.ended, 0)
  })
  after(async () => {
    collector.close()
    await receiver.stop()
    await database.drop()
  })

  const spans = (): Json[] =>
    sent
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ body }) => body.resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope: Json) => scope.spans))
  const attributeOf = (span: Json, name: string): unknown => {
    const value = span.attributes.find((one: Json) => one.key === name)?.value
    return value && Object.values(value)[0]
  }

  it('sends spans of requests, batches, rail calls, deliveries and jobs, before it ends', () => {
    const names = new Set(spans().map(({ name }) => name))
    for (const name of [
      'POST /payments',
      'POST /payouts',
      'database batch',
      'job payouts.submit',
      'webhook payment.completed',
      'webhook payout.completed',
    ])
      assert.ok(names.has(name), `${name} is not in ${[...names].join(', ')}`)
    assert.ok([...names].some((name) => name.startsWith('sandbox ')))
    assert.equal(sent[0]?.headers['api-key'], 'collect me')
  })

  it('goes on with the trace of a request, and writes it into the log', () => {
    const request = spans().find(
      ({ name, traceId }) => name === 'POST /payments' && traceId === trace,
    )
    assert.equal(request?.parentSpanId, parent)
    assert.equal(Number(attributeOf(request, 'http.response.status_code')), 201)
    const payouts = spans().filter(({ name }) => name === 'POST /payouts')
    const batch = spans().find(
      ({ name, parentSpanId }) =>
        name === 'database batch' && payouts.some(({ spanId }) => spanId === parentSpanId),
    )
    assert.ok(Number(attributeOf(batch, 'bursar.batch.items')) >= 1)
    const line = served
      .output()
      .split('\n')
      .find((text) => text.includes(trace))
    assert.equal(JSON.parse(line ?? '{}').msg, 'request')
    assert.equal(JSON.parse(line ?? '{}').reqId, attributeOf(request, 'bursar.request'))
    const refused = spans().find(
      (span) => attributeOf(span, 'bursar.code') === 'insufficient_funds',
    )
    assert.equal(refused?.name, 'POST /payouts')
    const call = spans().find(({ name }) => name.startsWith('sandbox '))
    assert.ok(spans().some(({ spanId }) => spanId === call.parentSpanId))
  })

  it('writes the id of the key into the line of each request', () => {
    const lines = served
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line))
    const answered = lines.filter(({ key, status }) => key === reading.record.id || status === 401)
    assert.deepEqual(
      answered.map(({ status, key }) => [status, key]),
      [
        [200, reading.record.id],
        [403, reading.record.id],
        [401, undefined],
      ],
    )
  })

  it('gives no secret away', () => {
    const said =
      JSON.stringify(sent) + served.output().replaceAll(/^.*test key.*$|^ {2}curl.*$/gm, '')
    for (const secret of secrets) assert.ok(!said.includes(secret), `${secret} was said`)
  })

  it('sends the metrics that Prometheus gets', () => {
    const metrics: Json[] = sent
      .filter(({ path }) => path === '/v1/metrics')
      .flatMap(({ body }) => body.resourceMetrics)
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope: Json) => scope.metrics))
    const named = (name: string) => metrics.find((metric) => metric.name === name)
    const points = named('bursar_request_duration_seconds')?.histogram.dataPoints
    const payouts = points.find(
      (point: Json) =>
        attributeOf(point, 'route') === '/payouts' && attributeOf(point, 'status') === '2xx',
    )
    assert.ok(Number(payouts.count) >= 1)
    assert.equal(
      payouts.bucketCounts.reduce((sum: number, one: unknown) => sum + Number(one), 0),
      Number(payouts.count),
    )
    assert.ok(named('bursar_webhook_attempts_total')?.sum.dataPoints.length > 0)
    assert.ok(named('bursar_orders_in_doubt')?.gauge.dataPoints.length === 4)
  })

  it('has every metric that a panel or an alert names', () => {
    const sources = globSync(['src/api/meta/*.ts', 'src/rails/evm/evm.ts', 'src/app/main.ts'])
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n')
    const there = (name: string): boolean => {
      const plain = name.replace(/_(bucket|count|sum)$/, '')
      if (new RegExp(`^${plain}(_bucket)?[{ ]`, 'm').test(scraped)) return true
      // What this server has none of: chains, accounts at providers, an embedded database.
      return new RegExp(`'${plain.replace(/^bursar_(evm_)?/, '')}'`).test(sources)
    }
    const alerts = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')).groups.flatMap(
      (group: Json) => group.rules,
    )
    const dashboard = JSON.parse(readFileSync('deploy/grafana/bursar.json', 'utf8'))
    const panels = dashboard.panels.flatMap((panel: Json) => panel.targets ?? [])
    const expressions: string[] = [...alerts, ...panels].map(({ expr }) => expr)
    const names = new Set(expressions.flatMap((text) => text.match(/\bbursar_\w+/g) ?? []))
    assert.ok(names.size > 15)
    assert.deepEqual(
      [...names].filter((name) => !there(name)),
      [],
    )
    const page = readFileSync('docs/observability.md', 'utf8')
    const documented = (name: string) =>
      page.includes(name.replace(/_(bucket|count|sum)$/, '')) || /_(process|nodejs|evm)_/.test(name)
    assert.deepEqual(
      [...names].filter((name) => !documented(name)),
      [],
    )
    for (const { annotations } of alerts)
      assert.ok(readFileSync(annotations.runbook, 'utf8').length > 0)
  })
})
