/**
 * Goal: a refusal of Bridge's is certain by its code, and each line says where that is written; a
 * key that is used up is no refusal.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { meaningOfRefusal } from '../http/refusals.ts'
import { isSpentKey, payoutRefusals, recipientRefusals } from './refusals.ts'

const tables = { payoutRefusals, recipientRefusals }

describe('the certain refusals of Bridge', () => {
  for (const [name, table] of Object.entries(tables))
    it(`names a source and a code in each line of ${name}, and takes no word of a sentence for a code`, () => {
      for (const { source, code } of table) {
        assert.ok(source.length > 10)
        assert.match(code?.source ?? '', /^\^.*\$$/)
      }
      const message = 'insufficient_funds: the maximum amount of external_account_id, address'
      for (const status of [400, 401, 403, 404, 409, 422])
        for (const code of [
          'new_code',
          'bad_request',
          'kyc_new',
          'limit_new',
          'external_account_new',
          'unprocessable_entity',
        ])
          assert.equal(meaningOfRefusal(table, { status, code, message }), null)
    })

  it('knows a key that is used up by both codes, and after a day by the status', () => {
    const of = (status: number, code: string) => isSpentKey({ status, code, message: '' })
    assert.deepEqual(
      [
        of(400, 'duplicate_record'),
        of(400, 'not_truly_idempotent'),
        of(422, 'unprocessable_entity'),
      ],
      [true, true, true],
    )
    assert.deepEqual(
      [of(400, 'duplicate_external_account'), of(400, 'invalid_parameters')],
      [false, false],
    )
    for (const code of ['duplicate_record', 'not_truly_idempotent'])
      assert.equal(meaningOfRefusal(payoutRefusals, { status: 400, code, message: '' }), null)
  })
})
