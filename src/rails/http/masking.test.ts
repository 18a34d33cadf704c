/** Goal: a report that leaves the house has no long number in it. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { masked } from './masking.ts'

for (const text of [
  '0123456789_ngn',
  'ref 22222222222abc',
  '2348012345678Z',
  '0123 456 789',
  '+234 801 234 5678',
])
  it(`masks all but four digits of ${text}`, () => {
    assert.doesNotMatch(masked(text).replace(/\D/g, ''), /\d{5,}/)
  })
