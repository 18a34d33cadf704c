/**
 * What the operator of the installation does while businesses work, by a key of its own that is
 * replaced now and then: it decides what waits for a person, makes and stops businesses, sets
 * prices and limits. And what people of the businesses do at the dashboard: keys, accounts of their
 * own, their test data.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Opened } from '../src/app/main.ts'
import { newId } from '../src/lib/ids.ts'
import { chance } from '../test/support/chance.ts'
import { type Client, newClient } from './client.ts'
import type { Database } from './database.ts'
import { expectHeldDeposit, expectPayout, newModel, own, touched } from './model.ts'
import { type Operation, sender, sizes } from './money.ts'
import { openDispute } from './more.ts'
import { openPerson, type Person } from './people.ts'
import { ask, type Json, until } from './requests.ts'
import type { Tally } from './tally.ts'

export type Operator = {
  operations: Operation[]
  /** An owner of a business, at the dashboard. */
  personOf(model: Client['model']): Promise<Person>
  /** A key that was revoked is refused by whoever is asked. */
  judgeRevoked(client: Pick<Client, 'asking'>, revoked: string, path: string): Promise<void>
  /** Takes another key, and revokes the one before while requests by it are on their way. */
  roll(asking: Client['asking']): Promise<void>
}

type Parts = { opened: Opened; database: Database; tally: Tally }

const listed = '0000000011'
const most = Number.MAX_SAFE_INTEGER
/** Within a second no process remembers a key that was revoked. */
const forgottenMs = 1_000
const withinMs = 60_000

export async function openOperator({ opened, database, tally }: Parts): Promise<Operator> {
  const self = await openPerson(opened, null, tally)
  const people = new Map<string, Promise<Person>>()
  /** An owner of the business that a client is of. */
  const personOf = ({ id, livemode }: Client['model']): Promise<Person> => {
    const known = people.get(id) ?? openPerson(opened, { id, livemode }, tally)
    people.set(id, known)
    return known
  }
  const makeKey = async (): Promise<{ id: string; key: string }> => {
    const made = await self('createOperatorKey', {
      body: { name: 'looks after it', reviews: true },
    })
    if (!made) throw new Error('no key of the operator')
    return made.data
  }
  let key = await makeKey()

  const clients = new Map<Client, Client>()
  /**
   * The operator, who does what belongs to something that a client does. Nobody else's requests
   * have its idempotency keys.
   */
  const operatorOf = (client: Client): Client => {
    const number = 100_000 * (1 + Number(client.model.name.split('-')[1])) + client.number
    const known = clients.get(client)
    if (known) return known
    const asking = { ...client.asking, by: chance(client.by.below(2 ** 31)), key: () => key.key }
    const made = newClient(asking, client.model, number)
    clients.set(client, made)
    return made
  }
  const otherwise = (what: string): void => tally.finding('answered otherwise', what)
  const judgeRevoked = async (
    client: Pick<Client, 'asking'>,
    revoked: string,
    path: string,
  ): Promise<void> => {
    await sleep(forgottenMs)
    // Where it is refused, `ask` asks again only if there is a newer one.
    const { status } = await ask({ ...client.asking, key: () => revoked }, 'GET', path)
    tally.check('revoked keys')
    if (status !== 401)
      tally.finding('revoked key', `${path} answers ${status} to a key that was revoked`)
  }

  /** A payout to whom a list has. */
  async function heldPayout(client: Client): Promise<void> {
    const { by, model } = client
    const reference = client.name('held')
    const body = {
      reference,
      amount: 10_000 + by.below(90_000),
      currency: 'ngn',
      method: 'bank_transfer',
      destination: { bank_code: '058', account_number: listed },
    }
    const made = await client.write('createPayout (held)', 'POST', '/payouts', body, sizes)
    if (!made) return void model.absent.add(`/payouts/${reference}`)
    const { id } = made.data
    expectPayout(model, made.data, false)
    const expected = touched(model, id)
    expected.ends = new Set(['pending'])
    expected.events = ({ status }) =>
      [
        'payout.initiated',
        'payout.review_opened',
        ...(status === 'pending' ? [] : [`payout.${status}`]),
      ].sort()
    const review = await reviewOf(id)
    if (review === null) return
    const how = by.one(['release', 'release', 'refuse', 'refuse', 'cancel', 'leave'] as const)
    const end = { release: 'completed', refuse: 'failed', cancel: 'canceled', leave: 'pending' }[
      how
    ]
    if (how === 'cancel')
      await client.write('cancelPayout (held)', 'POST', `/payouts/${reference}/cancel`, undefined)
    else if (how !== 'leave') await decide(client, how, review)
    expected.ends = new Set([end])
  }
  /**
   * Where it is held only later, nobody decides: that it is held by then is looked at when all is
   * quiet.
   */
  const reviewOf = (subject: string): Promise<string | null> =>
    until(async () => {
      const rows = await database.ask<{ id: string }>(
        'select id from screening_reviews where subject = $1',
        [subject],
      )
      return rows[0]?.id
    }, withinMs)
  const decide = (client: Client, how: 'release' | 'refuse', review: string, body: Json = {}) =>
    operatorOf(client).write(`${how}Review`, 'POST', `/operator/reviews/${review}/${how}`, body)

  /** Money from whom a list has: nobody's to spend, until a person has let it go. */
  async function heldDeposit(client: Client): Promise<void> {
    const { by, model } = client
    const opened = await client.write('createVirtualAccount', 'POST', '/virtual-accounts', {
      kind: 'dynamic',
      currency: 'ngn',
      amount: 50_000,
    })
    if (!opened) return
    const at = `/virtual-accounts/${opened.data.id}/simulate-deposit`
    const body = { amount: 50_000, sender: { ...sender, account_number: listed } }
    const made = await client.write('simulateVirtualAccountDeposit', 'POST', at, body, sizes)
    if (!made) return
    const { id } = made.data
    expectHeldDeposit(model, made.data)
    const review = await reviewOf(id)
    if (review === null) return
    const how = by.one(['release', 'refuse', 'later', 'leave'] as const)
    if (how === 'leave') return
    await decide(client, how === 'release' ? 'release' : 'refuse', review)
    if (how === 'later') await decide(client, 'release', review, { after_refusal: true })
    if (how !== 'refuse') touched(model, id).ends = new Set(['completed'])
  }

  /** A paper that a person looks at. */
  async function paper(client: Client): Promise<void> {
    const { by } = client
    const customer = await client.write('createCustomer', 'POST', '/customers', {
      first_name: 'Ada',
      last_name: 'Okafor',
      email: `${client.name('paper')}@example.com`,
    })
    if (!customer) return
    const number = 'A00000021'
    const at = `/customers/${customer.data.id}/documents`
    const given = { id_type: 'passport', id_number: number }
    if (!(await client.write('verifyCustomerDocument', 'POST', at, given))) return
    const rows = await database.ask<{ id: string }>(
      'select review_id as id from customer_documents where customer_id = $1',
      [customer.data.id],
    )
    const operator = operatorOf(client)
    const path = `/operator/documents/${rows[0]?.id}`
    const shown = await operator.write('showDocumentNumber', 'POST', `${path}/number`, undefined)
    // It is shown once: whoever has lost the answer asks anew.
    if (shown && !shown.again && shown.data.id_number !== number)
      otherwise(`${path} has another number`)
    const how = by.one(['approve', 'reject'] as const)
    const body = how === 'approve' ? { note: 'Held against the paper.' } : { reason: 'mismatch' }
    await operator.write(`${how}Document`, 'POST', `${path}/${how}`, body)
    const { data } = await client.get(at)
    // Those that are verified are listed, and no others.
    if (data.length !== (how === 'approve' ? 1 : 0))
      otherwise(`${at} has ${JSON.stringify(data)} after ${how}`)
  }

  /**
   * A dispute whose money the operator decides about: held, given back, or taken once it is lost.
   */
  async function dispute(client: Client): Promise<void> {
    const { by, model } = client
    const opened = await openDispute(client, 1_000_000)
    if (opened === null) return
    const { id, amount } = opened
    const operator = operatorOf(client)
    const act = (how: 'hold' | 'release' | 'take', body?: Json) =>
      operator.write(`${how}ForDispute`, 'POST', `/operator/disputes/${id}/${how}`, body, [
        'insufficient_funds',
      ])
    const part = (): Json => (by.happens(0.5) ? {} : { amount: 1 + by.below(amount) })
    let held = (await act('hold', part())) !== null
    if (held && by.happens(0.5)) {
      await act('release')
      held = by.happens(0.5) && (await act('hold', part())) !== null
    }
    const outcome = by.one(['won', 'lost', 'lost', 'lost', 'open'])
    if (outcome !== 'open')
      await client.write('simulateDisputeEnd', 'POST', `/disputes/${id}/simulate`, { outcome })
    touched(model, id).ends = new Set([outcome])
    if (outcome === 'lost') await act('take', held ? {} : part())
  }

  /**
   * A business of its own, from its making to its end: what is stopped does nothing new, and what
   * is emptied is gone.
   */
  async function business(client: Client): Promise<void> {
    const { by } = client
    const operator = operatorOf(client)
    const name = operator.name('spare')
    const made = await operator.write('createOperatorBusiness', 'POST', '/operator/businesses', {
      name,
    })
    if (!made) return
    const { id, test_key } = made.data
    // Its keys are answered once.
    if (!test_key) return
    const path = `/operator/businesses/${id}`
    const model = Object.assign(newModel(name), { id })
    const shop = newClient({ ...client.asking, key: () => test_key }, model, operator.number)
    const body = { currencies: [{ currency: 'ngn', max_payout: 1_000 + by.below(most) }] }
    await operator.write('changeOperatorLimits', 'PUT', `${path}/limits`, body)
    await operator.write('changeOperatorBusinessPlan', 'PUT', `${path}/plan`, { plan: null })
    const plan = plans.length > 0 ? by.one(plans) : null
    if (plan !== null)
      await operator.write('changeOperatorBusinessPlan', 'PUT', `${path}/plan`, { plan })
    await shop.write('simulateFunding', 'POST', '/wallets/simulate-fund', {
      currency: 'ngn',
      amount: 100_000,
    })
    const pay = { amount: 10_000, currency: 'ngn' }
    await shop.write('createPayment', 'POST', '/payments', pay)
    const to = (status: string): Promise<unknown> =>
      operator.write('changeOperatorBusiness', 'PATCH', path, { status })
    await to('suspended')
    const stopped = await shop.write('createPayment', 'POST', '/payments', pay, [
      'business_suspended',
    ])
    if (stopped !== null) otherwise(`${name} was suspended, and collects`)
    await to('active')
    await shop.write('createPayment', 'POST', '/payments', pay)
    if (by.happens(0.7)) await empty(shop, name)
    await to('closed')
  }

  async function empty(shop: Client, name: string): Promise<void> {
    const owner = await personOf(shop.model)
    if ((await owner('emptyTestData', { body: { name } })) === null) return
    const over = await until(async () => {
      const rows = await database.ask<{ open: boolean }>(
        'select bool_or(ended_at is null) as open from test_data_removals where business_id = $1',
        [shop.model.id],
      )
      return !rows[0]?.open
    }, withinMs)
    if (over === null) return tally.finding('end', `the test data of ${name} are not emptied`)
    await sleep(forgottenMs)
    const [payments, wallets] = [await shop.get('/payments'), await shop.get('/wallets')]
    const left = wallets.data.filter((one: Json) => one.available + one.pending !== 0)
    if (payments.data.totalDocs !== 0 || left.length > 0)
      otherwise(`${name} was emptied, and has something`)
  }

  /** Plans that there are: the newest of them. */
  const plans: string[] = []
  async function prices(client: Client): Promise<void> {
    const operator = operatorOf(client)
    const rule = { flat: client.by.below(100), bps: 25, min: 0, max: 30_000 }
    const made = await operator.write('createPlan', 'POST', '/operator/plans', {
      name: operator.name('plan'),
    })
    if (!made) return
    plans.push(made.data.id)
    if (plans.length > 20) plans.shift()
    await operator.write('addPlanVersion', 'POST', `/operator/plans/${made.data.id}/versions`, {
      prices: { deposit: { 'bank_transfer.ngn': rule } },
    })
  }

  /** Nothing is as high as these limits: what they refuse is not what is tried here. */
  async function limits(client: Client): Promise<void> {
    const { by, model } = client
    const operator = operatorOf(client)
    const limit = by.one([null, most])
    await operator.write('changeTierLimits', 'PUT', '/operator/tier-limits', {
      limits: [{ tier: by.below(3), currency: by.one(['ngn', 'usd']), max_deposit: limit }],
    })
    const short = { currencies: [{ currency: by.one(['ngn', 'usd']), max_short: limit }] }
    await operator.write('changeExchangeLimits', 'PUT', '/operator/exchange/limits', short)
    const payouts = { currencies: [{ currency: 'ngn', max_payout: limit }] }
    await operator.write(
      'changeOperatorLimits',
      'PUT',
      `/operator/businesses/${model.id}/limits`,
      payouts,
    )
  }

  let rated = 0
  /** A rate that had moved too far, of a day long gone: nothing is priced by it. */
  async function rate(client: Client): Promise<void> {
    const id = newId(new Date())
    await database.ask(
      `insert into exchange_rates (id, pair, rate, published_on, first_fetched_at, fetched_at, status)
       values ($1, 'usd_ngn', $2, '2020-01-01', now(), now(), 'suspect') on conflict do nothing`,
      [id, `${1 + ++rated}.5`],
    )
    const how = client.by.one(['accept', 'refuse'] as const)
    const name = how === 'accept' ? 'acceptExchangeRate' : 'refuseExchangeRate'
    await operatorOf(client).write(name, 'POST', `/operator/exchange/rates/${id}/${how}`, undefined)
  }

  let entries = 0
  async function lists(client: Client): Promise<void> {
    const operator = operatorOf(client)
    const entry = { kind: 'block', type: 'account', value: String(9_900_000_000 + entries++) }
    const made = await operator.write(
      'addScreeningEntry',
      'POST',
      '/operator/screening/entries',
      entry,
    )
    if (!made || client.by.happens(0.1)) return
    const path = `/operator/screening/entries/${made.data.id}`
    await operator.write('removeScreeningEntry', 'DELETE', path, undefined, ['not_found'])
  }

  /**
   * Whoever closes an incident has looked at it: that it was there is held against it all the same.
   */
  async function incident(client: Client): Promise<void> {
    const [one] = await database.ask<{ id: string }>(
      'select id from provider_incidents order by closed_at is not null, id desc limit 1',
    )
    if (one === undefined) return
    const path = `/operator/incidents/${one.id}/close`
    await operatorOf(client).write('closeIncident', 'POST', path, { note: 'Seen.' })
  }

  async function verification(client: Client): Promise<void> {
    await operatorOf(client).write(
      'startLedgerVerification',
      'POST',
      '/operator/ledger-verifications',
      undefined,
    )
  }

  /** A key beside the business' own, from its making to its end. */
  async function keys(client: Client): Promise<void> {
    const { model } = client
    const owner = await personOf(model)
    const made = await owner('createKey', { body: { name: 'beside', scopes: ['read'] } })
    if (!made) return
    let { id, key: secret } = made.data
    const wallets = async (due: number): Promise<void> => {
      const { status } = await ask({ ...client.asking, key: () => secret }, 'GET', '/wallets')
      if (status !== due)
        otherwise(`${model.name}: a key beside is answered ${status}, and was to be ${due}`)
    }
    await wallets(200)
    await owner('changeKeyScopes', { params: { id }, body: { scopes: ['collect'] } })
    await sleep(forgottenMs)
    await wallets(403)
    const before = secret
    const rolled = await owner('rollKey', { params: { id }, body: { overlap_hours: 0 } })
    if (rolled) {
      ;({ id, key: secret } = rolled.data)
    }
    await owner('revokeKey', { params: { id } })
    await judgeRevoked(client, secret, '/wallets')
    if (rolled) await judgeRevoked(client, before, '/wallets')
  }

  async function account(client: Client): Promise<void> {
    const body = {
      label: 'Ours',
      method: 'bank_transfer',
      own: true,
      destination: { bank_code: '058', account_number: '0123456789' },
    }
    const made = await client.write('createBeneficiary', 'POST', '/beneficiaries', body)
    if (!made) return
    const owner = await personOf(client.model)
    const { id, updated_at: seen } = made.data
    const done = await owner('confirmBeneficiary', { params: { id }, body: { seen } })
    if (done) own(client.model, `/beneficiaries/${id}`, done.data)
  }

  return {
    personOf,
    judgeRevoked,
    operations: [
      { weight: 20, run: heldPayout },
      { weight: 16, run: heldDeposit },
      { weight: 26, run: paper },
      { weight: 32, run: dispute },
      { weight: 16, run: business },
      { weight: 16, run: prices },
      { weight: 13, run: limits },
      { weight: 30, run: rate },
      { weight: 14, run: lists },
      { weight: 18, run: incident },
      { weight: 20, run: verification },
      { weight: 24, run: keys },
      { weight: 12, run: account },
    ],
    async roll(asking) {
      const before = key
      key = await makeKey()
      await self('revokeOperatorKey', { params: { id: before.id } })
      tally.fault('key of the operator revoked')
      await judgeRevoked({ asking }, before.key, '/operator/plans')
    },
  }
}
