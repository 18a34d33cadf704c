/**
 * How endpoints are asked: only such as are held against the table, one or all of them, and what
 * their errors mean.
 */
import { BaseError } from 'viem'
import type { Chain } from './chain.ts'
import type { Endpoint } from './endpoint.ts'
import { TooMuchGas } from './funds.ts'
import { OurFailure, WouldRevert } from './rpc-errors.ts'

const checked = new WeakSet<Endpoint>()

/**
 * Holds an endpoint against the table, unless it was found right before. @throws {ChainMismatch},
 * and what the transport throws
 */
export async function checkOnce(endpoint: Endpoint): Promise<void> {
  if (!checked.has(endpoint)) await endpoint.check()
  checked.add(endpoint)
}

/**
 * The same as `chain.on`, on an endpoint that has been held against the table once. @throws
 * {ChainMismatch}
 */
export function onChecked<T>(chain: Chain, work: (endpoint: Endpoint) => Promise<T>): Promise<T> {
  return chain.on(checking(work))
}

const checking =
  <T>(work: (endpoint: Endpoint) => Promise<T>) =>
  async (endpoint: Endpoint): Promise<T> => {
    await checkOnce(endpoint)
    return work(endpoint)
  }

/** Runs our own side's work in between an endpoint's. @throws {OurFailure} with the cause */
export function own<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new OurFailure('our own side failed', { cause })
  })
}

export type Vote = { yes: number; no: number; of: number; certain: boolean }

/**
 * Asks every endpoint what one node's word is not enough for: it may lie, or be on a fork. Certain
 * is what all that answer say, and two at least where there are two.
 * @param work answers to questions, of which there are `count`; null: none can be had
 */
export async function poll(
  chain: Chain,
  count: number,
  work: (endpoint: Endpoint) => Promise<(boolean | null)[]>,
) {
  const answers = await chain.everywhere(checking(work))
  return Array.from({ length: count }, (_, i): Vote => {
    const said = answers.map((one) => (one.status === 'fulfilled' ? one.value[i] : null))
    const [yes, no] = [true, false].map((word) => said.filter((one) => one === word).length) as [
      number,
      number,
    ]
    return { yes, no, of: answers.length, certain: no === 0 && yes >= Math.min(2, answers.length) }
  })
}

/**
 * What each item comes to: one that fails must not hold up the others. @throws what the first
 * threw, when all fail
 */
export async function ofEach<T, R>(items: T[], work: (item: T) => Promise<R>) {
  const ended = await Promise.allSettled(items.map(work))
  const failed = ended.flatMap((one, i) =>
    one.status === 'rejected' ? [{ item: items[i] as T, reason: one.reason as unknown }] : [],
  )
  if (failed[0] && failed.length === items.length) throw failed[0].reason
  return { had: ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])), failed }
}

/** Whether a node has said it: then no other one need be asked, as when there is no answer. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof WouldRevert ||
  error instanceof TooMuchGas ||
  (error instanceof BaseError &&
    error.walk((cause) => (cause as Error).name === 'RpcRequestError') !== null)

/**
 * Errors of the database are no trouble of the network: a task that meets one fails, and is run
 * again.
 */
export const isSqlFailure = (error: unknown): boolean =>
  error instanceof Error && ('severity' in error || 'routine' in error)
