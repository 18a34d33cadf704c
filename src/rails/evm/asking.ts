/**
 * Queries endpoints that were checked against the network table, one or all of them, and classifies
 * their errors.
 */
import { BaseError } from 'viem'
import type { Chain } from './chain.ts'
import type { Endpoint } from './endpoint.ts'
import { TooMuchGas } from './funds.ts'
import { OurFailure, WouldRevert } from './rpc-errors.ts'

const checked = new WeakSet<Endpoint>()

/**
 * Checks an endpoint against the table, unless a check succeeded before. @throws {ChainMismatch},
 * and transport errors
 */
export async function checkOnce(endpoint: Endpoint): Promise<void> {
  if (!checked.has(endpoint)) await endpoint.check()
  checked.add(endpoint)
}

/**
 * Like `chain.on`, on an endpoint that was checked against the table once. @throws {ChainMismatch}
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

/**
 * Runs our own work within an endpoint's, so that its failure is not blamed on the endpoint.
 * @throws {OurFailure} with the cause
 */
export function own<T>(work: Promise<T>): Promise<T> {
  return work.catch((cause: unknown) => {
    throw new OurFailure('our own side failed', { cause })
  })
}

export type Vote = { yes: number; no: number; of: number; certain: boolean }

/**
 * Queries every endpoint, because one node may lie or be on a fork. An answer is certain if no
 * endpoint disagrees and at least two confirm it (one, if there is only one).
 * @param work answers `count` questions; null: no answer
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
 * Maps items without letting one failure stop the others. @throws the first error, when all fail
 */
export async function ofEach<T, R>(items: T[], work: (item: T) => Promise<R>) {
  const ended = await Promise.allSettled(items.map(work))
  const failed = ended.flatMap((one, i) =>
    one.status === 'rejected' ? [{ item: items[i] as T, reason: one.reason as unknown }] : [],
  )
  if (failed[0] && failed.length === items.length) throw failed[0].reason
  return { had: ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])), failed }
}

/** Whether a node answered, so that another one need not be queried. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof WouldRevert ||
  error instanceof TooMuchGas ||
  (error instanceof BaseError &&
    error.walk((cause) => (cause as Error).name === 'RpcRequestError') !== null)

/** Database errors are not the network's: the task fails and is retried. */
export const isSqlFailure = (error: unknown): boolean =>
  error instanceof Error && ('severity' in error || 'routine' in error)
