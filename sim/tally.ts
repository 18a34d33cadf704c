/**
 * What a run counts, and what it found; and what all runs that were kept in one file come to.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

export type Finding = {
  kind: string
  /** One sentence that says what is and what should be. */
  what: string
  /** Seconds since the run began. */
  after: number
}

export type Tally = ReturnType<typeof newTally>

const add = (into: Map<string, number>, name: string, times: number): void => {
  into.set(name, (into.get(name) ?? 0) + times)
}

/** How often the same kind is told in full: more of it says nothing new. */
const toldOfAKind = 12

export function newTally(log: (line: string) => void) {
  const began = performance.now()
  const seconds = (): number => Math.round((performance.now() - began) / 100) / 10
  const tally = {
    /** Answered requests by operation. */
    operations: new Map<string, number>(),
    /** Of those, what was refused, by operation and code. */
    refusals: new Map<string, number>(),
    faults: new Map<string, number>(),
    /** What the oracle looked at, by kind. */
    checks: new Map<string, number>(),
    findings: [] as Finding[],
    found: new Map<string, number>(),
    seconds,
    operation: (name: string) => add(tally.operations, name, 1),
    refusal: (name: string) => add(tally.refusals, name, 1),
    fault: (kind: string, times = 1) => add(tally.faults, kind, times),
    check: (kind: string, times = 1) => add(tally.checks, kind, times),
    /** What helps who looks into a finding. */
    note: log,
    finding(kind: string, what: string): void {
      add(tally.found, kind, 1)
      if ((tally.found.get(kind) ?? 0) > toldOfAKind) return
      tally.findings.push({ kind, what, after: seconds() })
      log(`FINDING ${kind}: ${what}`)
    },
  }
  return tally
}

export const sumOf = (counts: Map<string, number>): number =>
  [...counts.values()].reduce((sum, n) => sum + n, 0)

/** A table of counts, greatest first. */
export function tableOf(title: string, counts: Map<string, number>): string {
  const rows = [...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
  return [
    `${title}: ${sumOf(counts)}`,
    ...rows.map(([name, n]) => `  ${String(n).padStart(8)}  ${name}`),
  ].join('\n')
}

const counted = ['operations', 'refusals', 'faults', 'checks', 'found'] as const
type Counts = Record<(typeof counted)[number], Record<string, number>>
/** A run, as it is kept beside the sums. */
type Run = {
  seed: number
  seconds: number
  operations: number
  refused: number
  faults: number
  found: number
}

/** `each` has the runs since it is kept. */
export type Sum = { runs: number; seconds: number; seeds: number[]; each?: Run[] } & Counts

export const countsOf = (tally: Tally): Counts =>
  Object.fromEntries(counted.map((name) => [name, Object.fromEntries(tally[name])])) as Counts

export const readSum = (file: string): Sum =>
  existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : {
        runs: 0,
        seconds: 0,
        seeds: [],
        operations: {},
        refusals: {},
        faults: {},
        checks: {},
        found: {},
      }

/** Adds a run to the runs of a file. */
export function addTo(file: string, seed: number, tally: Tally): void {
  const sum = readSum(file)
  for (const name of counted)
    for (const [kind, times] of tally[name]) sum[name][kind] = (sum[name][kind] ?? 0) + times
  const run: Run = {
    seed,
    seconds: Math.round(tally.seconds()),
    operations: sumOf(tally.operations),
    refused: sumOf(tally.refusals),
    faults: sumOf(tally.faults),
    found: sumOf(tally.found),
  }
  const more = {
    runs: sum.runs + 1,
    seconds: sum.seconds + run.seconds,
    seeds: [...sum.seeds, seed],
    each: [...(sum.each ?? []), run],
  }
  // A run that is ended in the middle of this must not take those before with it.
  writeFileSync(`${file}.new`, JSON.stringify({ ...sum, ...more }, null, 1))
  renameSync(`${file}.new`, file)
}

/** The runs of a file as tables of Markdown. */
export function tablesOf(sum: Sum): string {
  const table = (title: string, counts: Record<string, number>): string => {
    const rows = Object.entries(counts).sort(([a, m], [b, n]) => n - m || a.localeCompare(b))
    return [
      `| ${title} | ${sumOf(new Map(rows)).toLocaleString('en')} |\n|---|---|`,
      ...rows.map(([name, n]) => `| ${name} | ${n.toLocaleString('en')} |`),
    ].join('\n')
  }
  const hours = (sum.seconds / 3_600).toLocaleString('en', { maximumFractionDigits: 1 })
  return [
    `${sum.runs} runs, ${hours} hours.`,
    table('Operations', sum.operations),
    `Of those refused, as they had to be: ${sumOf(new Map(Object.entries(sum.refusals))).toLocaleString('en')}.`,
    table('Faults', sum.faults),
    table('Looked at', sum.checks),
    table('Found', sum.found),
  ].join('\n\n')
}
