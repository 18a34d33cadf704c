import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choose } from './choosing.ts'

const cells = [
  { letter: 'a', accounts: ['paystack'] },
  { letter: 'b', accounts: ['paystack-b', 'stripe us'] },
]
const text = (length: number): string => 'x7'.repeat(length).slice(0, length)
const to = (path: string, authorization = '', cookie = '') =>
  choose(cells, { path, authorization, cookie })

describe('a request names its cell', () => {
  it('by its key, and one of before the first cell', () => {
    for (const [key, letter] of [
      [`sk_test_b${text(32)}`, 'b'],
      [`sk_live_b${text(32)}`, 'b'],
      [`sk_live_a${text(32)}`, 'a'],
      [`sk_live_${text(32)}`, 'a'],
      // One of before, which begins like a cell.
      [`sk_live_b${text(31)}`, 'a'],
      [`op_b${text(40)}`, 'b'],
      [`op_${text(40)}`, 'a'],
      ['sk_live_', 'a'],
      ['nonsense', 'a'],
    ] as const)
      assert.equal(to('/payouts', `Bearer ${key}`)?.letter, letter, key)
    assert.equal(to('/payouts', `Bearer sk_live_z${text(32)}`), null)
    assert.deepEqual(
      [to('/openapi.json')?.names, to('/wallets', `Bearer sk_live_a${text(32)}`)?.names],
      [false, true],
    )
  })

  it('by its page, its picture and its account at a provider', () => {
    for (const [path, letter] of [
      [`/pay/b${text(24)}`, 'b'],
      [`/pay/b${text(24)}/status?x=1`, 'b'],
      [`/pay/${text(24)}`, 'a'],
      [`/logos/b${text(24)}`, 'b'],
      ['/rails/paystack-b/live/webhook', 'b'],
      ['/rails/stripe%20us/test/webhook', 'b'],
      ['/rails/paystack/live/webhook', 'a'],
      ['/rails/nobody/live/webhook', 'a'],
      ['/rails/%zz/live/webhook', 'a'],
    ] as const)
      assert.equal(to(path)?.letter, letter, path)
  })

  it('by a path of its own, which it does not see', () => {
    assert.deepEqual(to('/cells/b/operator/businesses?limit=1', `Bearer op_${text(40)}`), {
      letter: 'b',
      path: '/operator/businesses?limit=1',
      names: true,
      sets: null,
      locator: null,
    })
    assert.equal(to('/cells/b')?.path, '/')
    assert.equal(to('/cells/z/health'), null)
  })

  it('by what a person at the dashboard chose, and else the first', () => {
    assert.deepEqual(
      [to('/dashboard')?.letter, to('/dashboard/sign-in', '', 'x=1; bursar_cell=b')?.letter],
      ['a', 'b'],
    )
    assert.deepEqual(
      [to('/dashboard/invite/x?cell=b')?.letter, to('/dashboard/invite/x?cell=b')?.sets],
      ['b', 'b'],
    )
    assert.equal(to('/dashboard', '', 'bursar_cell=z')?.letter, 'a')
  })
})
