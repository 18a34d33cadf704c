import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CsvFault, csvLine, readCsv } from './csv.ts'

describe('a line of CSV', () => {
  it('keeps formulas as text, also for a reader that parts cells by semicolons or tabs', () => {
    const formulas = [
      '=1+1',
      '+1',
      '-1',
      '@A1',
      '\t=1',
      '\r=1',
      ' =1',
      '\n=1',
      '＝1',
      'Ada;=1+1',
      'Ada; =1+1',
      'Ada\t@A1',
      'Ada\n=1',
    ]
    // Such a reader may also close the quotes of a cell at a separator of its own.
    for (const formula of [
      ...formulas,
      'Ada, =1',
      'Ada|=1',
      'Ada";=1',
      'Ada";"=1',
      '";=1;"',
      "'Ada;=1",
    ])
      for (const cell of csvLine([formula, 'last']).split(/[,;|\t\r\n]/))
        assert.doesNotMatch(cell, /^[\s"]*[=+\-@＝＋－＠]/, JSON.stringify(formula))
  })

  it('leaves phone numbers as they are, and for a spreadsheet keeps texts that look like numbers', () => {
    assert.equal(csvLine(['+2348012345678', '058', '12e4']), '+2348012345678,058,12e4\r\n')
    assert.equal(
      csvLine(['+234 801', '058', '12e4', 'a1', 5, '+1+cmd'], 'spreadsheet'),
      `"=""+234 801""","=""058""","=""12e4""",a1,5,'+1+cmd\r\n`,
    )
  })

  it('leaves numbers, amounts and other texts as they are', () => {
    const values = [
      -5,
      -5n,
      { decimal: -550n },
      'Ada; Obi',
      'a-b=c@d',
      'Obi, Ada',
      'say "no"',
      null,
    ]
    const line = csvLine(values)
    assert.equal(line, '-5,-5,-5.50,Ada; Obi,a-b=c@d,"Obi, Ada","say ""no""",\r\n')
    const letters = [...'abcdefgh']
    const [row] = readCsv(`a,b,c,d,e,f,g,h\r\n${line}`, letters, [])
    assert.deepEqual(Object.values(row?.cells ?? {}).slice(3), [
      'Ada; Obi',
      'a-b=c@d',
      'Obi, Ada',
      'say "no"',
    ])
  })
})

describe('a table', () => {
  const names = ['reference', 'amount', 'bank_code', 'account_number', 'description']
  const read = (text: string) =>
    readCsv(text, names, ['amount']).map(({ line, cells }) => [line, ...Object.values(cells)])

  it('is read as spreadsheets write it', () => {
    for (const [text, rows] of [
      ['amount,description\r\n1,"x, ""y"""\r\n\r\n', [[2, '1', 'x, "y"']]],
      [
        '\uFEFFamount;description\n"1\n2";3\n4;\n',
        [
          [2, '1\n2', '3'],
          [4, '4'],
        ],
      ],
      ['Amount\tBank-Code\n1\t058', [[2, '1', '058']]],
      ['sep=;\r\namount;description\r\n1,5;tea\r\n', [[3, '1,5', 'tea']]],
      [
        'amount,description\r1,tea\r2,"a\rb"\r3,c\r',
        [
          [2, '1', 'tea'],
          [3, '2', 'a\rb'],
          [5, '3', 'c'],
        ],
      ],
      [
        'amount,description\n1,a\n,\n\n2,b\n,,\n'.replace(',,', ','),
        [
          [2, '1', 'a'],
          [5, '2', 'b'],
        ],
      ],
      ['amount , description\n 1 , "tea" \n', [[2, '1', 'tea']]],
      ['amount,description\n \n1,a\n', [[3, '1', 'a']]],
      ['amount', []],
    ] as const)
      assert.deepEqual(read(text), rows, JSON.stringify(text))
  })

  it('numbers its rows as a spreadsheet does', () => {
    for (const [text, numbers] of [
      ['amount,description\n1,a\n\n2,b\n', [2, 4]],
      ['amount,description\n1,"a\nb\nc"\n2,d\n3,"e\r\nf"\n4,g\n', [2, 3, 4, 5]],
      ['sep=;\r\namount;description\r\n1,5;tea\r\n', [2]],
      ['"amount",description\r1,tea\r', [2]],
    ] as const)
      assert.deepEqual(
        readCsv(text, names, ['amount']).map(({ row }) => row),
        numbers,
        JSON.stringify(text),
      )
  })

  it('is refused with line and column, and nothing of it is read', () => {
    for (const [text, line, column, says] of [
      [
        'reference,bank_code,account_number,amount\nw-3,058,0123456789,150,000.00\n',
        2,
        '5',
        /has 5 cells.* names 4\..*in quotes/,
      ],
      ['amount,bank_code\n1,058\n2\n', 3, '2', /has 1 cell, and the first line names 2/],
      [
        'amount,description\n100,"one\n200,two\n300,three\n',
        2,
        'description',
        /the quote that opens here is never closed/,
      ],
      [
        'amount,description\n100,a\n200,"two\n300,"three"\n',
        4,
        'description',
        /text follows a closing quote\. The quoted cell begins in line 3/,
      ],
      ['amount,description\n100,"a"b\n', 2, 'description', /text follows a closing quote/],
      ['amount,description\n100,a"b\n', 2, 'description', /a quote stands inside a cell/],
      ['amount,amount\n1,2\n', 1, '2', /two columns are named amount/],
      ['amount,Bank Code,bank-code\n1,2,3\n', 1, '3', /two columns are named bank_code/],
      ['amount,colour\n1,red\n', 1, '2', /the column “colour” is none of reference, amount/],
      ['amount,\n1,2\n', 1, '2', /the column “” is none of/],
      ['sep=;\namount;colour\n1;red\n', 2, '2', /the column “colour” is none of/],
      ['bank_code\n058\n', 1, null, /amount is none of them/],
      ['', 1, null, /no line that names the columns/],
    ] as const)
      assert.throws(
        () => read(text),
        (fault: CsvFault) => {
          assert.ok(fault instanceof CsvFault, String(fault))
          assert.deepEqual(
            [fault.line, fault.column],
            [line, column],
            `${JSON.stringify(text)} ${fault.message}`,
          )
          assert.match(fault.message, says)
          return true
        },
      )
  })

  it('that was written is read back', () => {
    const cell = fc
      .string({ unit: 'grapheme', maxLength: 12 })
      .filter(
        (text) =>
          !/^[\s\uFEFF]|[\s\uFEFF]$|^$|^'|[=+\-@＝＋－＠]/.test(text) && !text.includes('\0'),
      )
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
        const text = `amount,description\r\n${rows.map((cells) => csvLine(cells)).join('')}`
        assert.deepEqual(
          read(text).map(([, ...cells]) => cells),
          rows,
        )
      }),
    )
  })
})
