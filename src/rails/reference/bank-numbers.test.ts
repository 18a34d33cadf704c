import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAbaRouting, isNuban, nubanCheckDigit } from './bank-numbers.ts'

describe('NUBAN', () => {
  it('has the check digits of worked examples', () => {
    assert.equal(nubanCheckDigit('000011', '000001457'), 9)
    assert.equal(nubanCheckDigit('000058', '012345678'), 5)
  })

  it('takes 0 where the rule gives 10', () => {
    assert.equal(nubanCheckDigit('000011', '000000022'), 0)
    assert.ok(isNuban('000011', '0000000220'))
  })

  it('accepts one check digit of ten', () => {
    const passing = [...'0123456789'].filter((digit) => isNuban('000011', `000001457${digit}`))
    assert.deepEqual(passing, ['9'])
  })

  it('depends on the institution', () => {
    assert.ok(isNuban('000011', '0000014579'))
    assert.ok(!isNuban('000058', '0000014579'))
    assert.notEqual(nubanCheckDigit('950547', '000001457'), nubanCheckDigit('050547', '000001457'))
  })

  it('refuses what is not its digits', () => {
    const malformed: [string, string][] = [
      ['011', '0000014579'],
      ['00011A', '0000014579'],
      ['000011', '000001457'],
      ['000011', '00000014579'],
      ['000011', '000001457x'],
      ['000011', '0000014579\n'],
      ['000011', ''],
    ]
    for (const [institution, accountNumber] of malformed)
      assert.ok(
        !isNuban(institution, accountNumber),
        `${institution} ${JSON.stringify(accountNumber)}`,
      )
    assert.throws(() => nubanCheckDigit('011', '000001457'), RangeError)
    assert.throws(() => nubanCheckDigit('000011', '0000014579'), RangeError)
    assert.throws(() => nubanCheckDigit('000011', '00000145x'), RangeError)
  })
})

describe('ABA routing numbers', () => {
  /** Eight digits with the ninth that the weights ask for. */
  const complete = (eight: string): string => {
    const sum = [...eight].reduce(
      (total, digit, i) => total + Number(digit) * ([3, 7, 1][i % 3] as number),
      0,
    )
    return eight + ((10 - (sum % 10)) % 10)
  }

  it('accepts known numbers', () => {
    for (const good of ['110000000', '021000021', '026009593', '111000025'])
      assert.ok(isAbaRouting(good), good)
  })

  it('refuses any other digit in any one place', () => {
    const good = '021000021'
    for (let i = 0; i < 9; i++)
      for (const digit of '0123456789') {
        const number = good.slice(0, i) + digit + good.slice(i + 1)
        assert.equal(isAbaRouting(number), number === good, number)
      }
    assert.ok(!isAbaRouting('110000001'))
  })

  it('knows the first two digits', () => {
    const within = (prefix: number, from: number, to: number): boolean =>
      prefix >= from && prefix <= to
    for (let prefix = 0; prefix < 100; prefix++) {
      const number = complete(`${String(prefix).padStart(2, '0')}000002`)
      const expected =
        within(prefix, 0, 12) || within(prefix, 21, 32) || within(prefix, 61, 72) || prefix === 80
      assert.equal(isAbaRouting(number), expected, number)
    }
  })

  it('refuses what is not nine digits', () => {
    for (const bad of [
      '',
      '02100002',
      '0210000210',
      '02100002x',
      ' 021000021',
      '021000021\n',
      '021-000-021',
    ])
      assert.ok(!isAbaRouting(bad), JSON.stringify(bad))
  })
})
