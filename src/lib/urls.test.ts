import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withParams } from './urls.ts'

describe('a URL with parameters appended', () => {
  const params = { reference: 'order 1&2', status: 'completed' }
  for (const [href, expected] of [
    ['https://a.example/back', 'https://a.example/back?reference=order+1%262&status=completed'],
    ['https://a.example/back?', 'https://a.example/back?reference=order+1%262&status=completed'],
    [
      'https://a.example/back?sig=a%20b~c/d+e*&flag&x=%2f&=',
      'https://a.example/back?sig=a%20b~c/d+e*&flag&x=%2f&=&reference=order+1%262&status=completed',
    ],
    ['https://a.example/?a=1#top', 'https://a.example/?a=1&reference=order+1%262&status=completed#top'],
  ] as const)
    it(`keeps ${href} as it is`, () => {
      assert.equal(withParams(href, params), expected)
    })
})
