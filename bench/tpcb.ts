/**
 * PostgreSQL's own benchmark, on the server that the product has its database on.
 */
import { newClient } from '../src/db/db.ts'
import type { Measure } from './load.ts'
import { installed, run } from './processes.ts'

const clientCounts = [16, 32, 64]
/**
 * As many branches as clients, as its documentation asks: with fewer, it measures how they wait for
 * each other's rows.
 */
const scale = 64

export const pgbench = installed('pgbench')

export type TpcB = (seconds: number) => Promise<Measure>

/** Fills its tables, in a database of their own. */
export async function openTpcB(program: string, superuserUrl: string): Promise<TpcB> {
  const admin = newClient(superuserUrl)
  await admin.connect()
  await admin.query('create database pgbench')
  await admin.end()
  const url = new URL(superuserUrl.replace('postgres://', 'http://').replace('@/', '@localhost/'))
  const env = {
    ...process.env,
    PGUSER: url.username,
    PGPASSWORD: url.password,
    PGHOST: url.searchParams.get('host') ?? url.hostname,
    PGPORT: url.searchParams.get('port') ?? url.port,
    PGDATABASE: 'pgbench',
  }
  await run(program, ['-i', '-q', '-s', String(scale)], env)
  return async (seconds) => {
    let best: Measure = { value: 0 }
    let requests = 0
    for (const clients of clientCounts) {
      const options = ['-T', String(seconds), '-c', String(clients), '-j', '2', '-M', 'prepared']
      const printed = await run(program, options, env)
      const value = Number(/tps = ([\d.]+)/.exec(printed)?.[1])
      requests += Number(/transactions actually processed: (\d+)/.exec(printed)?.[1])
      if (value > best.value) best = { value, note: `best with ${clients} clients` }
    }
    return { ...best, requests }
  }
}
