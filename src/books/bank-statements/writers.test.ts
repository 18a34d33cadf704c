/**
 * Goal: whatever moves, files keep the rules of their formats and lose no minor unit. Method: random
 * entries are written and read back; limits are tried at their edge.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readCamt, readMt940 } from '../../../test/support/bank-files.ts'
import { runs } from '../../../test/support/runs.ts'
import { camt } from './camt.ts'
import { bankCodeOf } from './codes.ts'
import type { Entry, Head, Writer } from './formats.ts'
import { mostMt940Amount, mt940 } from './mt940.ts'

const headOf = (opening: bigint, closing: bigint): Head => ({
  messageId: '6925f3a1c0ffee00c0ffee01',
  account: '6925f3a1c0ffee00c0ffee01-NGN-TEST',
  owner: 'Ada & Söhne\u0000',
  currency: 'ngn',
  from: '2026-12-31',
  to: '2027-01-01',
  begins: '2026-12-31T00:00:00+01:00',
  ends: '2027-01-01T23:59:59+01:00',
  createdAt: new Date('2027-01-02T00:00:00Z'),
  isTest: true,
  opening,
  closing,
  credits: { amount: 0n, count: 0n },
  debits: { amount: 0n, count: 0n },
})

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 500 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(':61:2701010101C1,00NTRFX//1', '-', '--\r\n-', ']]>', '&lt;', '\ud800', '{4:'),
)
const entry = fc.record({
  amount: fc.oneof(fc.bigInt(1n, 1_000_000n), fc.constant(1n), fc.constant(mostMt940Amount)),
  isCredit: fc.boolean(),
  reference: fc.option(text),
  party: fc.option(fc.record({ name: fc.option(text), account: fc.option(text) })),
})

const { code } = bankCodeOf({ kind: 'deposit', method: 'card', direction: 'credit' })
const written = (writer: Writer, entries: Entry[]): string =>
  `${writer.start()}${entries.map((one) => writer.entry(one)).join('')}${writer.end()}`

describe('the writers of bank statements', () => {
  it('keep each amount, and the rules of lines and pages', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 40 }),
        fc.bigInt(-1_000n, 1_000n),
        (all, opening) => {
          const entries = all.map(
            ({ isCredit, ...one }, at): Entry => ({
              ...one,
              id: BigInt(at + 1),
              transaction: '6925f3a1c0ffee00c0ffee02',
              day: at % 2 === 0 ? '2026-12-31' : '2027-01-01',
              direction: isCredit ? 'credit' : 'debit',
              isReversal: false,
              code,
              title: 'Payment received',
            }),
          )
          const moved = entries.map(({ amount, direction }) =>
            direction === 'credit' ? amount : -amount,
          )
          const closing = moved.reduce((sum, one) => sum + one, opening)
          const head = headOf(opening, closing)
          for (const read of [
            readMt940(written(mt940(head), entries)),
            readCamt(written(camt(head, '08'), entries)),
            readCamt(written(camt(head, '02'), entries)),
          ]) {
            assert.deepEqual([read.opening, read.closing], [opening, closing])
            assert.deepEqual(
              read.entries.map(({ amount }) => amount),
              moved,
            )
          }
        },
      ),
      { numRuns: runs(200) },
    )
  })

  it('open with the day before, number the days of the year, and put a page after another', () => {
    const entries = Array.from(
      { length: 9 },
      (_, at): Entry => ({
        id: BigInt(at),
        transaction: '6925f3a1c0ffee00c0ffee02',
        day: '2027-01-01',
        amount: 100n,
        direction: 'debit',
        isReversal: false,
        code,
        title: 'Payout sent',
        reference: `rent-${at}`,
        party: { name: 'Ada '.repeat(60), account: null },
      }),
    )
    const file = written(mt940(headOf(1_000n, 100n)), entries)
    assert.match(
      file,
      /^:20:NGN261231270101\r\n:25:\S+\r\n:28C:27001\/1\r\n:60F:C261230NGN10,00\r\n/,
    )
    assert.match(
      file,
      /\r\n:62M:C270101NGN\d,00\r\n-\r\n:20:\S+\r\n:25:\S+\r\n:28C:27001\/2\r\n:60M:/,
    )
    assert.match(file, /:61:2701010101D1,00NMSCrent-0\/\/0\r\n:86:Payout sent rent-0 Ada Ada/)
    assert.match(file, /:62F:C270101NGN1,00\r\n-\r\n$/)
  })

  it('name what goes back by its code, in either direction', () => {
    const of = (kind: Parameters<typeof bankCodeOf>[0]['kind'], direction: 'credit' | 'debit') => {
      const { code: one, isReversal } = bankCodeOf({ kind, direction, method: 'bank_transfer' })
      return `${one.domain}/${one.family}/${one.subfamily} ${one.swift}${isReversal ? ' reversal' : ''}`
    }
    for (const [kind, direction, expected] of [
      ['payout_return', 'credit', 'PMNT/ICDT/RRTN RTI reversal'],
      ['payout_return_exchange', 'credit', 'PMNT/ICDT/RRTN RTI reversal'],
      ['refund_sent', 'debit', 'PMNT/RCDT/RRTN RTI reversal'],
      ['refund_return', 'credit', 'PMNT/ICDT/RRTN RTI reversal'],
      ['dispute_taken', 'debit', 'PMNT/MCRD/UPCT RTI reversal'],
      ['payout_fee', 'debit', 'ACMT/MDOP/CHRG CHG'],
      ['payout_fee', 'credit', 'ACMT/MDOP/CHRG CHG reversal'],
      ['share_return', 'credit', 'PMNT/ICDT/BOOK TRF reversal'],
      ['conversion', 'credit', 'FORX/SPOT/OTHR FEX'],
    ] as const)
      assert.equal(of(kind, direction), expected, `${kind} ${direction}`)
  })
})
