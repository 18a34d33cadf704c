/**
 * Watches one network: reads its token transfers in order, stores its cursor, and passes transfers
 * to the deposits module. The transaction that moves the cursor reads a block for good. With
 * several processes, the second finds the cursor moved and drops its result.
 */
import { EventEmitter } from 'node:events'
import type { Database } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { type AuditMemory, auditStep, newAuditMemory } from './auditing.ts'
import { type CreditMemory, creditStep, newCreditMemory } from './crediting.ts'
import type { StepReport, WatchParts } from './parts.ts'
import { messageOf } from './rpc-errors.ts'
import { liftMismatch, newScanMemory, type ScanMemory, scanStep } from './scanning.ts'
import type { EvmNetwork } from './settings.ts'
import {
  type NetworkRow,
  recordStep,
  resumeNetwork,
  selectNetwork,
  takeLease,
} from './watcher-sql.ts'

/**
 * The watcher's memory between steps. It need not be right: it only saves requests and log lines.
 */
export type Memory = {
  failures: number
  notBefore: Date | null
  scan: ScanMemory
  audit: AuditMemory
  credit: CreditMemory
}

/** The lease of a network: after this time, another process may take it. */
const leaseMs = 15_000
const longestBackoffMs = 60_000

/**
 * The periodic task that watches a chain, one step at a time, so that stopping the server does not
 * wait for a long backfill.
 */
export function watchTask(parts: WatchParts) {
  const { network } = parts.chain
  const memory = newMemory(network)
  const wakeUp = new EventEmitter()
  return {
    name: `watch ${network.id}`,
    everyMs: network.pollMs,
    wakeUp,
    async run() {
      if (memory.notBefore && parts.clock.now() < memory.notBefore) return
      const { more } = await step(parts, memory)
      if (more) wakeUp.emit('notify')
    },
  } satisfies PeriodicTask
}

/**
 * Resumes a halted network after a person has checked it.
 * @param from the last block that counts as read; without it, the cursor stays
 * @returns whether the network exists
 */
export async function resume(
  db: Database,
  network: string,
  from: bigint | null = null,
): Promise<boolean> {
  return (await db.row(resumeNetwork, [network, from])) !== null
}

export const newMemory = (network: EvmNetwork): Memory => ({
  failures: 0,
  notBefore: null,
  scan: newScanMemory(network),
  audit: newAuditMemory(network),
  credit: newCreditMemory(),
})

/**
 * Makes one step: reads blocks, audits some, then credits deep deposits. Records endpoint errors on
 * the network; throws our own errors.
 */
export async function step(
  parts: WatchParts,
  memory: Memory = newMemory(parts.chain.network),
): Promise<Pick<StepReport, 'result' | 'more'>> {
  const row = await takeTurn(parts)
  if (row === null) return { result: 'elsewhere', more: false }
  if (row.halted !== null && !(await liftMismatch(parts, memory.scan, row)))
    return { result: 'halted', more: false }

  const report: StepReport = { result: 'done', more: false, tip: row.tip, trouble: null }
  const failures: unknown[] = []
  // A failure of one part must not stop the crediting of recorded deposits.
  for (const part of [
    () => scanStep(parts, memory.scan, row, report),
    () => auditStep(parts, memory.audit, row, report.tip),
    () => creditStep(parts, memory.credit, report),
  ])
    if (report.result !== 'halted')
      await part().catch((error: unknown) => {
        report.trouble ??= `on our side: ${messageOf(error)}`
        failures.push(error)
      })
  // If the database is gone, recording the failure fails too.
  await record(parts, row, report).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
  memory.failures = report.result === 'failed' ? memory.failures + 1 : 0
  const waitMs = Math.min(
    longestBackoffMs,
    parts.chain.network.pollMs * 2 ** Math.min(memory.failures, 16),
  )
  memory.notBefore = memory.failures === 0 ? null : later(parts.clock.now(), waitMs)
  return { result: report.result, more: report.more && report.result === 'done' }
}

/** Acquires the network's lease. @returns its row, or null when another process holds it */
async function takeTurn({ db, clock, chain, name }: WatchParts): Promise<NetworkRow | null> {
  const { id } = chain.network
  const now = clock.now()
  const row = await db.row(selectNetwork, [id])
  const left = row?.leased_until ? row.leased_until.getTime() - now.getTime() : 0
  if (row && row.leased_by !== name && row.leased_by !== null && left > 0) return null
  if (row?.leased_by === name && left > leaseMs / 2) return row
  return db.row(takeLease, [id, name, now, later(now, leaseMs)])
}

async function record(
  { db, clock, log, chain }: WatchParts,
  row: NetworkRow,
  report: StepReport,
): Promise<void> {
  const { tip, trouble } = report
  if (tip === row.tip && trouble === row.trouble) return
  await db.rows(recordStep, [chain.network.id, tip, trouble, clock.now()])
  if (trouble !== null && trouble !== row.trouble)
    log.warn({ network: chain.network.id, trouble }, 'watching a network has trouble')
}
