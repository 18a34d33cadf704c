/**
 * Who looks after the installation, by a key of the operator.
 */
import { outside } from '../../src/core/outside.ts'
import { newId } from '../../src/lib/ids.ts'
import { openIncident } from '../../src/platform/incidents/incidents.ts'
import { createOperatorKey, operatorScope } from '../../src/platform/operator/operator.ts'
import { type Answer, type Call, must, type TestServer, until } from './harness.ts'

/** Asks with a new key of the operator. */
export const operatorOf = async (server: TestServer): Promise<Call> =>
  server.callAs(await operatorKeyOf(server))

/** A new key of the operator. */
export async function operatorKeyOf(server: TestServer): Promise<string> {
  const now = server.app.clock.now()
  const { key } = await outside(
    server.app,
    operatorScope(now, { type: 'operator', at: now }),
  ).write((work) => createOperatorKey(work, 'platform', true))
  return key
}

/** Has every write route of the operator do something. `ask` gives the data of what succeeds. */
export async function everythingOfOperator(
  server: TestServer,
  name: string,
  ask: (method: string, path: string, body?: object) => Promise<Answer['data']>,
): Promise<void> {
  const plan = (await ask('POST', '/operator/plans', { name })).id
  await ask('POST', `/operator/plans/${plan}/versions`, { prices: {} })
  const business = `/operator/businesses/${(await ask('POST', '/operator/businesses', { name, plan })).id}`
  await ask('PUT', `${business}/plan`, { plan: null })
  await ask('PUT', `${business}/limits`, { currencies: [{ currency: 'ngn', max_payout: 1_000 }] })
  await ask('PATCH', business, { status: 'suspended', reason: 'We wait for your papers.' })
  await ask('PATCH', business, { status: 'closed' })
  await ask('PUT', '/operator/exchange/limits', {
    currencies: [{ currency: 'usd', max_short: null }],
  })
  await ask('PUT', '/operator/tier-limits', {
    limits: [{ tier: 0, currency: 'usd', max_daily: null }],
  })
  for (const [act, rate] of [
    ['accept', '1'],
    ['refuse', '2'],
  ] as const) {
    const id = newId(server.app.clock.now())
    await server.app.db.query(
      `insert into exchange_rates (id, pair, rate, published_on, first_fetched_at, fetched_at, status)
       values ($1, 'usd_ngn', $2, '2020-01-01', now(), now(), 'suspect')
       on conflict (pair, published_on, rate) do update set id = excluded.id, status = 'suspect', decided_by = null`,
      [id, rate],
    )
    await ask('POST', `/operator/exchange/rates/${id}/${act}`)
  }
  await ask('POST', '/operator/ledger-verifications')
  await until(async () => {
    const { docs } = (await (await operatorOf(server))('GET', '/operator/ledger-verifications'))
      .data
    return docs[0].ended_at !== null
  })
  const incident = await openIncident(server.app.db, {
    livemode: true,
    rail: 'paystack',
    kind: 'quarantined',
    subject: name,
    detail: {},
    at: server.app.clock.now(),
  })
  await ask('POST', `/operator/incidents/${incident}/close`, { note: 'Seen.' })
  const paper = await waitingPaper(server)
  await ask('POST', `/operator/documents/${paper}/number`)
  await ask('POST', `/operator/documents/${paper}/approve`, { note: 'Seen.' })
  await ask('POST', `/operator/documents/${await waitingPaper(server)}/reject`, {
    reason: 'mismatch',
  })
  await ask('POST', `/operator/reviews/${await heldPayout(server)}/release`, {
    note: 'Another person.',
  })
  await ask('POST', `/operator/reviews/${await heldPayout(server)}/refuse`, {})
  const block = { kind: 'block', type: 'account', value: newId(server.app.clock.now()) }
  const { id: entry } = await ask('POST', '/operator/screening/entries', block)
  await ask('DELETE', `/operator/screening/entries/${entry}`)
}

/** Has a paper of a new customer wait for a person. @returns its id */
export async function waitingPaper(
  server: TestServer,
  call: Call = server.call,
  paper: object = { id_type: 'passport', id_number: 'A00000021' },
): Promise<string> {
  const customer = { first_name: 'Ada', last_name: 'Okafor', email: 'ada@example.com' }
  const { id } = (await call('POST', '/customers', customer)).data
  await call('POST', `/customers/${id}/documents`, paper)
  const rows = await server.app.db.query<{ review_id: string }>(
    'select review_id from customer_documents where customer_id = $1',
    [id],
  )
  return rows[0]?.review_id as string
}

/** The paths of both documents: of businesses, and of the operator. */
export async function documentsOf(
  server: TestServer,
): Promise<Record<string, Record<string, object>>> {
  const documents = ['/openapi.json', '/operator/openapi.json'].map((path) =>
    server.call('GET', path),
  )
  const [own, operators] = await Promise.all(documents)
  return { ...own?.body.paths, ...operators?.body.paths }
}

/** A payout of test mode that screening holds. @returns the id of its review */
export async function heldPayout(
  server: TestServer,
  call: Call = server.call,
  order: object = {},
): Promise<string> {
  const reference = newId(server.app.clock.now())
  await must(call('POST', '/wallets/simulate-fund', { currency: 'ngn', amount: 1_000_000 }))
  const { id } = await must(
    call('POST', '/payouts', {
      reference,
      amount: 100_000,
      currency: 'ngn',
      method: 'bank_transfer',
      destination: { bank_code: '058', account_number: '0000000011' },
      ...order,
    }),
  )
  // It is screened by that, which is refused then.
  await call('POST', `/payouts/${reference}/simulate`, { outcome: 'completed' })
  return until(async () => {
    const [row] = await server.app.db.query<{ id: string }>(
      'select id from screening_reviews where subject = $1',
      [id],
    )
    return row?.id
  })
}
