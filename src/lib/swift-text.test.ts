import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { swiftText } from './swift-text.ts'

describe('text for SWIFT', () => {
  it('keeps the set X, and writes letters of other alphabets as near as it can', () => {
    for (const [text, expected] of [
      ["A-z 09/?:().,'+", "A-z 09/?:().,'+"],
      ['Ọlá Łukasz & Søn Straße', 'Ola Lukasz + Son Strasse'],
      ['a\r\n\t:86:b', 'a :86:b'],
      ['₦5 {x} 你好', '.5 .x. ..'],
      ['ﬁ ½', 'fi 1.2'],
    ])
      assert.equal(swiftText(text as string), expected)
  })
})
