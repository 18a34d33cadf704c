import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal } from './errors.ts'
import { readReturnUrl, withParams } from './urls.ts'

describe('a URL with parameters appended', () => {
  const params = { reference: 'order 1&2', status: 'completed' }
  for (const [href, expected] of [
    ['https://a.example/back', 'https://a.example/back?reference=order+1%262&status=completed'],
    ['https://a.example/back?', 'https://a.example/back?reference=order+1%262&status=completed'],
    [
      'https://a.example/back?sig=a%20b~c/d+e*&flag&x=%2f&=',
      'https://a.example/back?sig=a%20b~c/d+e*&flag&x=%2f&=&reference=order+1%262&status=completed',
    ],
    [
      'https://a.example/?a=1#top',
      'https://a.example/?a=1&reference=order+1%262&status=completed#top',
    ],
  ] as const)
    it(`keeps ${href} as it is`, () => {
      assert.equal(withParams(href, params), expected)
    })
})

describe('a URL that payers are sent to', () => {
  it('may be on the developer’s machine in test mode only', () => {
    for (const href of ['http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]:8080/back']) {
      assert.equal(readReturnUrl('redirect_url', href, false), href)
      assert.throws(
        () => readReturnUrl('cancel_url', href, true),
        (error) =>
          error instanceof Refusal &&
          error.code === 'invalid_redirect_url' &&
          error.message === 'cancel_url must be an https URL.',
      )
    }
    assert.equal(
      readReturnUrl('redirect_url', 'https://shop.example/', true),
      'https://shop.example/',
    )
  })
})
