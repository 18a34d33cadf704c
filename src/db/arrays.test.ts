/**
 * Goal: PostgreSQL receives the same array in the binary and in the text form. Method: PostgreSQL
 * reads both forms of the same elements.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newDatabase } from '../../test/support/cluster.ts'
import { arrayParameter, arrayText } from './arrays.ts'
import { type Database, openDatabase, sqlOfAll } from './db.ts'

describe('the text of an array', () => {
  it('holds every value that a parameter can have', () => {
    const cases: [unknown[], string][] = [
      [[], '{}'],
      [[1n, 2n], '{1,2}'],
      [[1n, null], '{"1",null}'],
      [
        ['a', '', 'null', 'b,c}', 'say "x" \\ y', undefined],
        '{"a","","null","b,c}","say \\"x\\" \\\\ y",NULL}',
      ],
      [['line\nbreak', 'tab\t"', null, true], '{"line\nbreak","tab\t\\"",NULL,"true"}'],
      [[true, false, 1.5], '{true,false,1.5}'],
      [[new Date(0)], '{"1970-01-01T00:00:00.000Z"}'],
    ]
    for (const [elements, text] of cases) assert.equal(arrayText(elements), text)
  })
})

describe('an array as a parameter', () => {
  let db: Database
  let drop: () => Promise<void>
  before(async () => {
    const made = await newDatabase()
    drop = made.drop
    db = openDatabase(made.ownerUrl, { max: 1, onError: () => {} })
  })
  after(async () => {
    await db.close()
    await drop()
  })

  const texts = [
    'a',
    '',
    'null',
    'b,c}',
    'say "x" \\ y',
    'line\nbreak\ttab',
    'naïve – ₦ 💸',
    '\ud800 alone',
    'x'.repeat(70_000),
  ]
  const cases: Record<string, unknown[][]> = {
    text: [
      [],
      ['a'],
      [null],
      [undefined, 'b'],
      texts,
      [...texts, null],
      [1, 2.5, true],
      [5n],
      [new Date(0)],
    ],
    boolean: [[], [true, false, null], ['true', 'f']],
    integer: [[], [0, 1, -1, 2_147_483_647, -2_147_483_648, null], ['7']],
    bigint: [[], [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), null], [12, -3], ['9']],
    timestamptz: [
      [],
      [new Date(0), new Date('2026-11-24T15:00:00.123Z'), null],
      [
        new Date('1999-12-31T23:59:59.999Z'),
        new Date('0001-01-01T00:00:00Z'),
        new Date('9999-12-31T23:59:59.999Z'),
      ],
      ['infinity', '-infinity', '2026-11-24 10:00+01', new Date(1)],
    ],
    jsonb: [[], ['{}', '[]', null, '{"naïve":"₦ 💸","n":1}', '"text"', '1'], [undefined]],
    bytea: [
      [],
      [Buffer.from('00ff5c22', 'hex'), Buffer.alloc(0), null, Buffer.from('₦')],
      ['\\x00ff', Buffer.from('a')],
    ],
    numeric: [['1.50', null, 2]],
  }

  for (const [type, arrays] of Object.entries(cases))
    it(`of ${type} is what its text says`, async () => {
      const read = sqlOfAll<{ same: boolean; sent: string }>(
        `test.read_${type}`,
        `select $1::${type}[] is not distinct from $2::text::${type}[] as same, $1::${type}[]::text as sent`,
      )
      for (const elements of arrays) {
        const row = await db.row(read, [elements, arrayText(elements)])
        assert.ok(row?.same, `${elements}: ${row?.sent}`)
      }
    })

  it('is sent in binary where all of it is of a type that has such a form', () => {
    for (const [type, elements] of [
      ['text', ['a', null]],
      ['boolean', [true]],
      ['integer', [1]],
      ['bigint', [1n]],
      ['timestamptz', [new Date(0)]],
      ['jsonb', ['{}']],
      ['bytea', [Buffer.from('a'), null]],
    ] as const)
      assert.ok(Buffer.isBuffer(arrayParameter(type, [...elements])), type)
    for (const [type, elements] of [
      ['text', ['a', 1]],
      ['bigint', [2n ** 53n]],
      ['timestamptz', [new Date(0), 'infinity']],
      ['bytea', ['\\x00']],
      [undefined, ['a']],
    ] as const)
      assert.equal(arrayParameter(type, [...elements]), arrayText([...elements]))
  })

  it('is refused by PostgreSQL where its text would be', async () => {
    const read = sqlOfAll('test.read_refused', 'select $1::jsonb[] as value, $2::text[] as other')
    await assert.rejects(db.row(read, [['{'], []]), { code: '22P02' })
    await assert.rejects(db.row(read, [[], ['a\0b']]), { code: '22021' })
  })
})
