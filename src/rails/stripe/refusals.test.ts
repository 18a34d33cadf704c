/**
 * Goal: a refusal of Stripe's is certain by its type or code alone, never by a word in its
 * sentence, and each line says where that is written.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { meaningOfRefusal } from '../http/refusals.ts'
import { payoutRefusals, recipientRefusals, refundRefusals } from './refusals.ts'

const tables = { payoutRefusals, recipientRefusals, refundRefusals }

describe('the certain refusals of Stripe', () => {
  for (const [name, table] of Object.entries(tables))
    it(`names a source in each line of ${name}, and takes no word of a sentence for a code`, () => {
      for (const { source, message, type, code } of table) {
        assert.ok(source.length > 10 && message === undefined && (type ?? code) !== undefined)
        for (const pattern of [type, code]) assert.match(pattern?.source ?? '^$', /^\^.*\$$/)
      }
      const message = 'insufficient_funds recipient limit exceeded invalid_fields amount too small'
      for (const status of [400, 401, 402, 403, 404, 422])
        for (const code of ['', 'new_code', 'recipient_new', 'insufficient_new', 'amount_new'])
          assert.equal(
            meaningOfRefusal(table, { status, code, type: 'of_next_year', message }),
            null,
          )
    })

  it('takes the code of a payee before the type that it shares with the account', () => {
    const of = (type: string, code: string) =>
      meaningOfRefusal(payoutRefusals, { status: 400, type, code, message: '' })
    assert.equal(of('feature_not_enabled', 'recipient_feature_not_active'), 'payee_not_enabled')
    assert.equal(of('feature_not_enabled', 'storer_capability_missing'), 'account_not_enabled')
    assert.equal(of('quota_exceeded', 'recipient_count_limit_exceeded'), 'payee_limit')
  })
})
