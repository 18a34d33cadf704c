/**
 * A case of the conformance list.
 */
import type { Bench } from './bench.ts'

export type Group =
  | 'operations'
  | 'refusals'
  | 'pagination'
  | 'retries'
  | 'webhooks'
  | 'money'
  | 'stream'
  | 'clients'
  | 'forks'

export type Case = {
  group: Group
  name: string
  /** It waits: runtimes that run the list for the second time leave it out. */
  slow?: true
  /** What the driver must be able to do. */
  needs?: 'bigint' | 'int64' | '2^53' | 'fork' | 'multiprocessing' | 'proxies' | 'proxies refused'
  run(bench: Bench): Promise<void>
}
