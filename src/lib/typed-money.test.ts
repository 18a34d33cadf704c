/**
 * Goal: an amount that a person types is the amount that is booked, in every locale, or it is
 * refused with both readings. Method: examples by locale.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { columnSign, moneyFault, readMoney } from './typed-money.ts'

const read = (text: string, locale: string): string => {
  const found = readMoney(text, locale)
  return found.amount === null ? (found.readings?.join(' | ') ?? 'none') : String(found.amount)
}
const spaces = (text: string): string => text.replaceAll(/\s/g, ' ')

describe('an amount that a person types', () => {
  it('is read as the locale writes it, and its last one or two digits are decimals', () => {
    for (const [locale, text, amount] of [
      ...['en-NG', 'fr-FR', 'de-DE', 'hi-IN'].flatMap(
        (one) =>
          [
            [one, '12,50', '1250'],
            [one, '12.50', '1250'],
            [one, '1500,50', '150050'],
            [one, '40,5', '4050'],
            [one, '40.5', '4050'],
            [one, '1500', '150000'],
            [one, '1.234,5', '123450'],
            [one, '1,234.50', '123450'],
            [one, '1 500,5', '150050'],
            [one, '1\u202f500.5', '150050'],
            [one, "1'234'567.89", '123456789'],
            [one, '1’500', '150000'],
            [one, '1,234,567', '123456700'],
            [one, '1.234.567', '123456700'],
            [one, '0,05', '5'],
            [one, '٤٩٫٥', '4950'],
            [one, '١٬٥٠٠', '150000'],
            [one, '１２．５０', '1250'],
            ...[
              '',
              ' ',
              ',5',
              '5,',
              '1,2345',
              '12,50,5',
              '1.5.5',
              '1 50',
              '15 00',
              '1,500 000',
              '1.234,567',
            ].map((none) => [one, none, 'none'] as const),
            ...['-5', '5e3', '0x5', '0,500', '$5', '5 ngn', '1'.repeat(14)].map(
              (none) => [one, none, 'none'] as const,
            ),
          ] as const,
      ),
      ['en-NG', '1,500', '150000'],
      ['en-NG', '1.500', '1500 | 1.500'],
      ['en-NG', '1.501', '1501 | 1.501'],
      ['fr-FR', '1,500', '1500 | 1.500'],
      ['fr-FR', '1.500', '1500 | 1.500'],
      ['fr-FR', '1 500', '150000'],
      ['de-DE', '1.500', '150000'],
      ['de-DE', '1,500', '1500 | 1.500'],
      ['de-CH', '1’500', '150000'],
      ['hi-IN', '1,50,000', '15000000'],
      ['hi-IN', '12,34,567.50', '123456750'],
      ['hi-IN', '150,000', '15000000'],
      ['en-NG', '1,50,000', 'none'],
    ] as const)
      assert.equal(spaces(read(text, locale)), amount, `${text} in ${locale}`)
  })

  it('may stand beside the sign or the code of its currency, and beside no other', () => {
    for (const text of ['₦5,000', '5,000.00 ngn', 'NGN 5000', '₦ 5000.00'])
      assert.deepEqual(readMoney(text, 'en-NG', 'ngn'), { amount: 500_000n }, text)
    for (const text of ['$5,000', '₦₦5', '5 kg', 'ngn'])
      assert.deepEqual(readMoney(text, 'en-NG', 'ngn'), { amount: null, readings: null }, text)
    assert.deepEqual(readMoney('$5,000', 'en-NG', 'any'), { amount: 500_000n })
  })

  it('is not read of signs that only look like digits', () => {
    for (const text of ['1500¹', '5²', '①⓪', 'Ⅻ'])
      for (const locale of ['en', 'fr-FR', 'ar'])
        assert.equal(readMoney(text, locale, 'any').amount, null, text)
  })

  it('is refused with what to type', () => {
    const fault = (text: string, locale: string): string => {
      const found = readMoney(text, locale)
      return found.amount === null ? spaces(moneyFault(text, found, locale)) : 'none'
    }
    assert.equal(
      fault('1,500', 'fr-FR'),
      '“1,500” can be read as 1 500,00 or as 1,50. Type 1500,00 or 1,50.',
    )
    assert.equal(
      fault('1.501', 'en-NG'),
      '“1.501” can be read as 1,501.00 or as 1.501. Type 1501.00.',
    )
    assert.equal(
      fault('ten', 'fr-FR'),
      'Type an amount such as 1 500,50 or 1500,50, with at most two decimals.',
    )
  })

  it('of a column is read by the sign that one of its amounts shows', () => {
    assert.equal(columnSign(['1,500', '20,00'], 'en-NG'), ',')
    assert.equal(columnSign(['1.500', '1,234.5'], 'fr-FR'), '.')
    assert.equal(columnSign(['1,500', '2000', 'ten'], 'en-NG'), null)
    assert.deepEqual(columnSign(['1', '2,50', '3', '4.50'], 'en-NG'), { lines: [1, 3] })
    assert.deepEqual(readMoney('1.500', 'fr-FR', undefined, ','), { amount: 150_000n })
    assert.deepEqual(readMoney('2,50', 'fr-FR', undefined, '.'), { amount: null, readings: null })
    assert.equal(readMoney('1,500', 'en-NG', undefined, ',').amount, null)
  })
})
