import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { findLossyNumbers } from './json.ts'

describe('a number that JSON readers change', () => {
  const lossy = (number: string): boolean =>
    findLossyNumbers(`{"a": [{"b": ${number}}]}`).length > 0

  it('is found with its place, and any other is none', () => {
    assert.deepEqual(
      findLossyNumbers(
        '{"metadata": {"order_id":820982911946154508, "x":[1, 1e400]}, "id": "820982911946154508"}',
      ),
      [
        { path: 'metadata.x.1', value: Number.POSITIVE_INFINITY },
        { path: 'metadata.order_id', value: 820982911946154500 },
      ],
    )
    for (const number of [
      '820982911946154508',
      '820982911946154500',
      '-9007199254740993',
      '1e400',
      '-1e400',
      '1e-400',
      '1.0000000000000000001e21',
    ])
      assert.ok(lossy(number), number)
    for (const number of [
      '0.10000000000000000001',
      '3.14159265358979323846',
      '123456789.123456789123',
      '33.333333333333334',
    ])
      assert.ok(lossy(number), number)
    for (const number of [
      '9007199254740991',
      '0.1',
      '-0.30',
      '1.50',
      '1e3',
      '1.5E-7',
      '5e-324',
      '0',
      '-0',
      '0e5',
      '1e21',
      '-1e+300',
      '100',
      '123456789012.25',
      '12345.678901234567',
      // As programs write them that give 17 digits of every double: 0.1, the least and the largest
      // one.
      '0.10000000000000001',
      '4.9406564584124654e-324',
      '1.7976931348623157e308',
      '9.9999999999999992e22',
    ])
      assert.ok(!lossy(number), number)
    assert.deepEqual(findLossyNumbers('{"a": "x, 1e400 and [820982911946154508"}'), [])
  })

  it('is none that a program wrote of a double, with as few digits as tell it or with 17', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true })),
        (value) => {
          for (const text of [
            JSON.stringify(value),
            value.toPrecision(17),
            value.toExponential(16),
          ]) {
            if (/^-?\d+$/.test(text) && !Number.isSafeInteger(value)) continue
            assert.ok(!lossy(text), text)
          }
        },
      ),
    )
  })
})
