import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { asciiEmail, emailSpellings, isEmail, tidyEmail } from './email.ts'

describe('an email address', () => {
  it('has a form in ASCII, whose domain alone is another', () => {
    for (const [typed, ascii] of [
      ['ada@example.com', 'ada@example.com'],
      ['Ada@Example.COM', 'Ada@Example.COM'],
      ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ['ada+x@Bücher.Example', 'ada+x@xn--bcher-kva.example'],
      ['ada@مثال.إختبار', 'ada@xn--mgbh0fb.xn--kgbechtv'],
      ['ada', 'ada'],
    ] as const)
      assert.equal(asciiEmail(typed), ascii)
  })

  it('has one spelling in the letters of its domain, and may be kept in each of both', () => {
    for (const [typed, tidy, spellings] of [
      ['Ada@Example.COM', 'Ada@Example.COM', ['Ada@Example.COM']],
      [
        'ada@bücher.example',
        'ada@bücher.example',
        ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ],
      [
        'ada@BU\u0308CHER.Example',
        'ada@bücher.example',
        ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ],
      [
        'ada@XN--bcher-KVA.example',
        'ada@XN--bcher-KVA.example',
        ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
      ],
      ['ada@xn--.example', 'ada@xn--.example', ['ada@xn--.example']],
      ['ada', 'ada', ['ada']],
    ] as const) {
      assert.equal(tidyEmail(typed), tidy)
      assert.deepEqual(emailSpellings(typed), spellings)
    }
  })

  it('is one where its domain has such a form', () => {
    for (const typed of [
      'ada@example.com',
      'ada@bücher.example',
      'ọlá@example.com',
      "o'neil+tag@example.com",
    ])
      assert.equal(isEmail(typed), true, typed)
    for (const typed of [
      'ada',
      'ada@',
      '@example.com',
      'ada@exa mple.com',
      'ada@a@example.com',
      `ada@${'ü'.repeat(300)}.example`,
      'ada@\u202eexample.com',
      'ada@bü\ncher.example',
      'ada@bücher.example/foo',
      'ada@ex%41mple.ü',
    ])
      assert.equal(isEmail(typed), false, typed)
  })
})
