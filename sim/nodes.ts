/**
 * The nodes by which the product knows a chain: each hands on what the real one says, stands behind
 * it for a while, or does not answer.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './requests.ts'

export type ChainNode = {
  url: string
  /**
   * The newest block that it knows, for as long as it stands behind; null: it stands where the
   * chain does.
   */
  standAt(head: bigint | null): void
  /** Whether it ends every connection without an answer. */
  goAway(away: boolean): void
  stop(): Promise<void>
}

/** The place of the block among the parameters of what asks for a state. */
const blockAt: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
}

type Call = { id: unknown; method: string; params?: Json[] }

const callsOf = (body: string): Call[] => [JSON.parse(body)].flat()

/**
 * Starts a node in front of another.
 * @param upstream where that is, once it is there
 * @param broadcast gets each transaction that is sent by it
 */
export async function startChainNode(
  upstream: () => string,
  broadcast: (raw: string) => void,
): Promise<ChainNode> {
  let head: bigint | null = null
  let away = false
  const forward = async (body: string): Promise<Json> => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(upstream(), {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(10_000),
    })
    return response.json()
  }
  const answer = async (body: string): Promise<Json> => {
    const at = head
    if (at === null) return forward(body)
    const calls = callsOf(body)
    const answers = await Promise.all(
      calls.map(async (call) => {
        const known = asOf(call, at)
        return 'answer' in known
          ? { jsonrpc: '2.0', id: call.id, ...(known.answer as object) }
          : seenAt(call, await forward(JSON.stringify(known.call)), at)
      }),
    )
    return body.startsWith('[') ? answers : answers[0]
  }
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      if (away) throw new Error('away')
      const body = Buffer.concat(parts).toString()
      if (body.includes('eth_sendRawTransaction'))
        for (const { method, params } of callsOf(body))
          if (method === 'eth_sendRawTransaction') broadcast(params?.[0])
      const text = JSON.stringify(await answer(body))
      response.setHeader('content-type', 'application/json').end(text)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    standAt(block) {
      head = block
    },
    goAway(now) {
      away = now
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const hexOf = (block: bigint): string => `0x${block.toString(16)}`
const isNewest = (block: Json): boolean =>
  block === undefined || block === 'latest' || block === 'pending'
const isBeyond = (block: Json, head: bigint): boolean =>
  /^0x[0-9a-f]+$/.test(String(block)) && BigInt(block) > head

/**
 * What is asked, as a node understands it whose newest block is the head; or what it says without
 * asking.
 */
function asOf(call: Call, head: bigint): { call: Call } | { answer: Json } {
  const params = [...(call.params ?? [])]
  const asked = { call: { ...call, params } }
  const place = blockAt[call.method]
  if (place !== undefined) {
    if (isBeyond(params[place], head))
      return { answer: { error: { code: -32_000, message: 'header not found' } } }
    if (isNewest(params[place])) params[place] = hexOf(head)
  }
  if (call.method === 'eth_blockNumber') return { answer: { result: hexOf(head) } }
  if (call.method === 'eth_getBlockByNumber') {
    if (isBeyond(params[0], head)) return { answer: { result: null } }
    if (isNewest(params[0])) params[0] = hexOf(head)
  }
  if (call.method === 'eth_getLogs' && params[0].blockHash === undefined) {
    const { fromBlock, toBlock } = params[0]
    if (isBeyond(fromBlock, head)) return { answer: { result: [] } }
    if (isNewest(toBlock) || isBeyond(toBlock, head))
      params[0] = { ...params[0], toBlock: hexOf(head) }
  }
  return asked
}

/** What such a node knows of an answer: nothing is mined for it that is in a later block. */
function seenAt({ method }: Call, answer: Json, head: bigint): Json {
  const isLater =
    method === 'eth_getTransactionReceipt' && isBeyond(answer.result?.blockNumber, head)
  return isLater ? { ...answer, result: null } : answer
}
