/**
 * Goal: every form in which Monnify writes a time is read as the moment that it means, whatever
 * time zone the server is in.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { padded, slashed, spaced, withOffset } from '../../../test/doubles/monnify/times.ts'
import { isForMoney, isUnknownAccount, isUnknownReference, timeIn } from './confirmed.ts'
import { reasonIn } from './unconfirmed.ts'

describe('a time of Monnify’s', () => {
  const zone = process.env.TZ
  before(() => {
    // Whoever read a local time as the server's would be hours off.
    process.env.TZ = 'Pacific/Auckland'
  })
  after(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  const recorded: [string, string][] = [
    ['2026-06-27T08:32:49.289+00:00', '2026-06-27T08:32:49.289Z'],
    ['2022-11-03T14:13:38.140+0000', '2022-11-03T14:13:38.140Z'],
    ['2025-09-01T23:13:19Z', '2025-09-01T23:13:19.000Z'],
    ['2026-06-27T09:11:14.596774984', '2026-06-27T08:11:14.596Z'],
    ['2026-06-27T09:51:14', '2026-06-27T08:51:14.000Z'],
    ['2021-11-17 11:28:42.615', '2021-11-17T10:28:42.615Z'],
    ['2023-03-07 07:34:11.0', '2023-03-07T06:34:11.000Z'],
    ['2023-03-07 07:34:11', '2023-03-07T06:34:11.000Z'],
    ['2025-03-04 10:27:AM', '2025-03-04T09:27:00.000Z'],
    ['30/08/2023 5:13:57 PM', '2023-08-30T16:13:57.000Z'],
    ['17/03/2021 3:23:32 AM', '2021-03-17T02:23:32.000Z'],
    ['21/01/2022 03:49:28 PM', '2022-01-21T14:49:28.000Z'],
    // Day first, also where it could be a month; and the hour before midnight there is the day
    // before here.
    ['03/02/2022 12:30:00 AM', '2022-02-02T23:30:00.000Z'],
    ['03/02/2022 12:30:00 PM', '2022-02-03T11:30:00.000Z'],
    ['13/05/2023 21:18:16 PM', '2023-05-13T20:18:16.000Z'],
    ['01/01/2024 12:00:00 AM', '2023-12-31T23:00:00.000Z'],
    ['29/02/2024 1:00:00 AM', '2024-02-29T00:00:00.000Z'],
  ]
  for (const [text, moment] of recorded)
    it(`${text} is ${moment}`, () => assert.equal(timeIn(text)?.toISOString(), moment))

  it('is read back from each form that the double writes, of any moment', () => {
    const seconds = fc.integer({ min: Date.UTC(2015, 0) / 1_000, max: Date.UTC(2045, 0) / 1_000 })
    fc.assert(
      fc.property(seconds, fc.integer({ min: 0, max: 999 }), (second, ms) => {
        const [whole, exact] = [new Date(second * 1_000), new Date(second * 1_000 + ms)]
        for (const form of [withOffset, spaced])
          assert.deepEqual(timeIn(form(exact)), exact, form(exact))
        for (const form of [slashed, padded])
          assert.deepEqual(timeIn(form(exact)), whole, form(exact))
      }),
      { numRuns: 1_000 },
    )
  })

  it('is nothing where it is no time, or none of any calendar', () => {
    const wrong = [
      '',
      'soon',
      null,
      undefined,
      {},
      1_700_000_000,
      '2026-13-01 00:00:00',
      '2026-02-30 10:00:00',
      '31/04/2023 5:13:57 PM',
      '02/13/2022 03:49:28 PM',
      '21/01/2022 13:49:28 AM',
      '21/01/2022 03:49:28',
      '2026-06-27T24:00:00',
      '2026-06-27T08:61:00',
      '21/01/22 03:49:28 PM',
    ]
    for (const value of wrong) assert.equal(timeIn(value), null, String(value))
  })
})

describe('what Monnify says', () => {
  it('of a wallet with too little, in each of its words', () => {
    for (const text of [
      'You do not have sufficient balance to process this request. Please fund your account and try again.',
      'Insufficient wallet balance',
      'Insufficient balance',
    ]) {
      assert.equal(isForMoney({ transactionDescription: text }), true, text)
      assert.equal(isForMoney({ comment: text }), true, text)
    }
    for (const text of [
      'Beneficiary account limit exceeded',
      'Dormant beneficiary account',
      '',
      undefined,
    ])
      assert.equal(isForMoney({ transactionDescription: text }), false, text)
  })

  const reasons: [string, string][] = [
    ['Beneficiary bank not available', 'bank_unavailable'],
    ['Invalid response code from beneficiary Institution', 'bank_unavailable'],
    ['Transaction timed out while waiting for destination bank', 'bank_unavailable'],
    ['Beneficiary account name mismatch', 'name_mismatch'],
    ['Beneficiary account limit exceeded', 'limit_exceeded'],
    ['Dormant beneficiary account', 'invalid_account'],
    ['Unknown destination bank code', 'invalid_account'],
    ['Sender not permitted to credit beneficiary', 'rejected'],
    ['Suspected fraud', 'rejected'],
  ]
  for (const [text, reason] of reasons)
    it(`of a failed transfer: “${text}” is ${reason}`, () =>
      assert.equal(reasonIn({ transactionDescription: text }), reason))

  it('of what it does not know', () => {
    for (const message of [
      'Could not find disbursement transaction for given reference',
      'Cannot find reserved account',
      'Transaction does not exist',
    ])
      assert.equal(isUnknownReference({ status: 422, message }), true, message)
    assert.equal(
      isUnknownReference({ status: 400, message: 'An unexpected error occurred' }),
      false,
    )
  })

  it('of an account that no bank knows, and not of a bank that was away', () => {
    assert.equal(isUnknownAccount({ message: 'Invalid account details supplied.' }), true)
    assert.equal(isUnknownAccount({ message: 'Account number could not be validated' }), false)
    assert.equal(
      isUnknownAccount({ message: 'Supplied account number does not belong to merchant' }),
      false,
    )
  })
})
