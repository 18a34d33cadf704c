/**
 * Goal: of each answer of Dojah it is said what is certain, and no number is logged or reported.
 * Method: the provider alone, over the double.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type DojahDouble,
  type DojahFault,
  dojahFaults,
  startDojah,
} from '../../../test/doubles/dojah.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { ProviderParts } from '../ports/provider.ts'
import type { IdentityRail, IdentityState } from '../ports/rail.ts'
import { dojahAt } from './dojah.ts'

const number = '22212345678'
const customer = {
  id: '6925f3a1c0ffee00c0ffee01',
  businessId: '6925f3a1c0ffee00c0ffee02',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Okafor',
  phone: null,
}

/** What is certain after each fault; of the others, that it is verified. */
const states: Partial<Record<DojahFault, IdentityState['state']>> = {
  no_connection: 'refused_now',
  rate_limited: 'refused_now',
  unauthorized: 'refused_now',
  wallet_empty: 'refused_now',
  refused: 'failed',
  slow: 'verified',
  number_object: 'verified',
  entity_null: 'failed',
  other_number: 'failed',
  no_name: 'failed',
}

describe('a look-up at Dojah', () => {
  let double: DojahDouble
  const said: string[] = []
  const keep = (fields: object, message: string) =>
    void said.push(JSON.stringify({ ...fields, message }))
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep, isLevelEnabled: () => true }
  const report: ProviderParts['report'] = (kind, subject, sentence) =>
    keep({ kind, subject }, sentence)
  const settings = {
    name: 'dojah',
    livemode: true,
    serves: '*',
    baseUrl: null,
    channels: {},
    routes: ['identity.ng'],
  }
  const open = (secretKey = double.key, more: object = {}) =>
    dojahAt({ host: double.url, connectMs: 200, wholeMs: 400 }).open(
      { ...settings, own: { app_id: double.appId, secret_key: secretKey }, ...more } as never,
      { db: null as never, clock: systemClock, log, host: 'localhost', report },
    )
  const verify = (
    idType = 'bvn',
    idNumber = number,
    rail = open().ports.identity as IdentityRail,
  ) => rail.verify({ customer, idType, idNumber, account: null })
  before(async () => {
    double = await startDojah({ slowMs: 50 })
    double.people.push(
      { bvn: number, nin: '70123456789', first: 'ADA', middle: 'NGOZI', last: 'OKAFOR' },
      { bvn: '22200000001', first: 'JOHN', last: 'DOE' },
    )
  })
  after(async () => {
    await double.stop()
    assert.deepEqual(double.violations, [])
    assert.doesNotMatch(said.join('\n'), /22212345678|70123456789|22200000001|OKAFOR|prod_sk|photo/)
  })

  it('is verified by the name, by one request', async () => {
    const asked = double.requests.length
    assert.deepEqual(await verify(), { state: 'verified' })
    assert.deepEqual(await verify('nin', '70123456789'), { state: 'verified' })
    assert.deepEqual(await verify('bvn', '22200000001'), { state: 'failed', reason: 'mismatch' })
    assert.deepEqual(await verify('nin', '70000000000'), { state: 'failed', reason: 'not_found' })
    assert.equal(double.requests.length - asked, 4)
    assert.ok(
      said.some(
        (line) => line.includes('"path":"/api/v1/kyc/bvn/full"') && line.includes('asked Dojah'),
      ),
    )
  })

  it('is verified whether the number is masked or not, and fails where all of another one is said', async () => {
    for (const masks of [true, false]) {
      double.masks = masks
      assert.deepEqual(await verify(), { state: 'verified' }, String(masks))
    }
    await double.fault('other_number')
    assert.deepEqual(await verify(), { state: 'failed', reason: 'rejected' })
    await double.clearFaults()
    await double.fault('entity_null')
    assert.deepEqual(await verify(), { state: 'failed', reason: 'not_found' })
    await double.clearFaults()
  })

  for (const fault of dojahFaults)
    it(`is ${states[fault] ?? 'unknown'} where it is befallen by ${fault}`, async () => {
      await double.fault(fault)
      const { state } = await verify()
      await double.clearFaults()
      assert.equal(state, states[fault] ?? 'unknown')
    })

  it('says how the account stands', async () => {
    assert.deepEqual([(await open().check()).keyWorks, (await open().check()).warnings], [true, []])
    double.wallet = 100
    assert.match((await open().check()).warnings.join(), /has 100 naira/)
    assert.equal((await open('prod_sk_wrong').check()).keyWorks, false)
    await double.fault('no_connection')
    const { keyWorks, warnings } = await open().check()
    await double.clearFaults()
    assert.deepEqual(
      [keyWorks, warnings],
      [null, ['Dojah could not be asked for the balance (not_sent)']],
    )
    assert.throws(() => open('test_sk_one'), /is a key of test mode/)
  })
})
