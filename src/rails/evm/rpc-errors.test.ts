/**
 * Goal: what nodes and providers say is taken for what they mean. Method: the recorded sentences of
 * vendors, and a network whose first endpoint says them.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RpcRequestError } from 'viem'
import {
  anvil,
  begin,
  clock,
  deposits,
  height,
  networkOf,
  ours,
  proxy,
  run,
  send,
  stateOf,
  usdc,
  watchOf,
  widthOf,
} from '../../../test/support/watching.ts'
import { isBehind, isRangeError, throttledMs } from './rpc-errors.ts'

type Meaning = 'range' | 'throttled' | 'behind'

/**
 * What vendors answer `eth_getLogs`, by vendor, code, sentence and meaning. Sources: the retry
 * helper of Ponder (ponder-sh/ponder, packages/utils/src/getLogsRetryHelper.ts), INFURA/infura
 * issue 237, DefiLlama/defillama-sdk pull request 254, ethereum/execution-apis pull request 875,
 * docs.megaeth.com (rate limits), and anvil as it runs here.
 */
const sentences: [vendor: string, code: number, sentence: string, Meaning][] = [
  [
    'Infura',
    -32_005,
    'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
    'range',
  ],
  ['Infura', -32_602, 'range 1000000 exceeds limit of 10000', 'range'],
  [
    'Alchemy',
    -32_602,
    'Log response size exceeded. this block range should work: [0x1, 0x2]',
    'range',
  ],
  [
    'Alchemy',
    -32_600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
    'range',
  ],
  ['QuickNode', -32_614, 'eth_getLogs is limited to a 10,000 range', 'range'],
  ['Ankr', -32_600, 'block range is too wide', 'range'],
  ['Ankr', -32_000, 'maximum [from, to] blocks distance: 1000', 'range'],
  [
    'Avalanche',
    -32_000,
    'requested too many blocks from 1 to 5000, maximum is set to 2048',
    'range',
  ],
  [
    'Cloudflare',
    -32_047,
    'Invalid eth_getLogs request. `fromBlock`-`toBlock` range too large. Max range: 800',
    'range',
  ],
  ['thirdweb', -32_000, 'Maximum allowed number of requested blocks is 1000', 'range'],
  ['BlockPI', -32_602, 'eth_getLogs is limited to 1024 block range', 'range'],
  ['1RPC', -32_001, 'response size should not greater than 10000000 bytes', 'range'],
  ['dRPC, reth', -32_602, 'query exceeds max results 20000, retry with the range 100-200', 'range'],
  ['Optimism', -32_020, 'backend response too large', 'range'],
  ['Base', -32_614, 'block range too large', 'range'],
  ['Arbitrum', -32_000, 'logs matched by query exceeds limit of 10000', 'range'],
  [
    'Blast',
    -32_600,
    'requested range exceeds the range allowed for your plan (5000 > 500)',
    'range',
  ],
  [
    'Chainstack',
    -32_000,
    'Block range limit exceeded. See more details at the documentation',
    'range',
  ],
  ['Coinbase', -32_602, 'please limit the query to at most 1000 blocks', 'range'],
  ['PublicNode', -32_701, 'exceed maximum block range: 50000', 'range'],
  ['dRPC', -32_602, 'ranges over 10000 blocks are not supported on freetier', 'range'],
  ['Harmony', -32_000, 'query must be smaller than size 1024', 'range'],
  [
    'go-ethereum',
    -32_602,
    'block range extends beyond current head block: requested 105, head 100',
    'behind',
  ],
  [
    'Sentio',
    -32_000,
    'block 105 is beyond the latest block 100 of this node, retry later',
    'behind',
  ],
  ['Avalanche', -32_000, 'requested to block 105 after last accepted block 100', 'behind'],
  ['in other words', -32_000, 'fromBlock 0x69 is greater than latest block 0x64', 'behind'],
  ['anvil', -32_602, 'BlockOutOfRangeError: block height is 100 but requested was 105', 'behind'],
  ['Alchemy', 429, 'Your app has exceeded its compute units per second capacity', 'throttled'],
  ['Infura', -32_005, 'daily request count exceeded, request rate limited', 'throttled'],
  [
    'Chainstack',
    -32_005,
    "You've exceeded the RPS limit available on the current plan.",
    'throttled',
  ],
  ['MegaETH', -32_005, 'Rate limit exceeded', 'throttled'],
  ['BNB Chain', -32_005, 'limit exceeded', 'throttled'],
]

const meaningOf = (error: unknown): Meaning[] => [
  ...(isRangeError(error) ? ['range' as const] : []),
  ...(throttledMs(error) !== null ? ['throttled' as const] : []),
  ...(isBehind(error) ? ['behind' as const] : []),
]

describe('what a node says', () => {
  for (const [vendor, code, message, meaning] of sentences)
    it(`means ${meaning}: ${vendor}, "${message.slice(0, 60)}"`, () => {
      const error = new RpcRequestError({
        body: {},
        error: { code, message },
        url: 'http://node.example',
      })
      assert.deepEqual(meaningOf(error), [meaning])
    })

  it('means none of them where it is about something else', () => {
    for (const message of [
      'execution reverted',
      'nonce too low',
      'Internal error',
      'insufficient funds for gas * price + value',
    ])
      assert.deepEqual(
        meaningOf(
          new RpcRequestError({
            body: {},
            error: { code: -32_000, message },
            url: 'http://node.example',
          }),
        ),
        [],
      )
  })
})

describe('a network whose first endpoint', () => {
  const behindBy = 300
  /** The widths of the ranges that an endpoint was asked for. */
  const widths = (calls: Parameters<typeof widthOf>[0][]): number[] =>
    calls
      .filter(({ method, params }) => method === 'eth_getLogs' && params[0].fromBlock !== undefined)
      .map(widthOf)

  for (const [what, rule] of Object.entries({
    'throttles by JSON-RPC': {
      error: {
        code: -32_005,
        message: "You've exceeded the RPS limit available on the current plan.",
      },
    },
    'throttles by HTTP': { status: 429, body: '' },
    'is behind': {
      error: { code: -32_602, message: 'block range extends beyond current head block' },
    },
  }))
    it(`${what} is asked once for logs, and the second in wide ranges`, async () => {
      const start = (await height()) + 1n
      await send(usdc, 0, ours, 1n)
      await anvil.mine(behindBy)
      const first = await proxy((request) => (request.method === 'eth_getLogs' ? rule : undefined))
      const second = await proxy(() => undefined)
      const watch = await begin({ startBlock: start, rpc: [first.url, second.url], maxRange: 100 })
      assert.deepEqual(
        (await deposits(watch)).map(({ credits }) => credits),
        [1],
      )
      assert.equal(widths(first.calls).length, 1)
      const asked = widths(second.calls)
      assert.ok(asked.length <= 6 && Math.max(...asked) === 100, `ranges of ${asked.join(', ')}`)
    })

  it('throttles is left alone as long as it says, and asked again then', async () => {
    const provider = await proxy(() => ({ status: 429, body: '', headers: { 'retry-after': '7' } }))
    const watch = watchOf(networkOf({ rpc: [provider.url] }))
    assert.equal(await run(watch), 'failed')
    assert.equal((await stateOf(watch)).trouble, '429 Too Many Requests')
    const { requests } = provider
    clock.advance(6_000)
    assert.equal(await run(watch), 'failed')
    assert.equal(provider.requests, requests)
    provider.rule = () => undefined
    clock.advance(1_500)
    assert.equal(await run(watch), 'done')
  })

  for (const [answer, trouble] of [
    [{ status: 402, body: '{"message":"Payment Required"}' }, '402 Payment Required'],
    [{ status: 429, body: '' }, '429 Too Many Requests'],
    [
      { status: 200, body: '{"message":"Project is over its limit"}' },
      '200 Project is over its limit',
    ],
    [{ status: 200, body: '<html>Welcome</html>' }, '200 The answer is not JSON-RPC'],
    [{ status: 503, body: '<html>Down</html>' }, '503 Service Unavailable'],
    [
      { status: 400, body: '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no such key"}}' },
      '400 no such key',
    ],
  ] as const)
    it(`answers ${answer.status} ${answer.body.slice(0, 40)} has that as its trouble`, async () => {
      const provider = await proxy(() => answer)
      const watch = watchOf(networkOf({ rpc: [provider.url] }))
      assert.equal(await run(watch), 'failed')
      assert.equal((await stateOf(watch)).trouble, trouble)
    })
})
