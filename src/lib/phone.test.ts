import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readPhone } from './phone.ts'

describe('phone numbers', () => {
  it('are read as they are dialled in the country, or with its code', () => {
    for (const [text, country, read] of [
      ['0803 123 4567', 'ng', '+2348031234567'],
      ['+234 803 123 4567', 'gb', '+2348031234567'],
      ['020 7946 0018', 'gb', '+442079460018'],
      ['01 90 01 23 45', 'bj', '+2290190012345'],
      ['12', 'ng', null],
      ['my phone', 'ng', null],
      ['0803 123 4567', 'xx', null],
    ] as const)
      assert.equal(readPhone(text, country), read, `${text} in ${country}`)
  })
})
