/**
 * `npm run sim -- --seed N --minutes M`: the whole product in a world that breaks on purpose, and
 * an oracle that knows what should be.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chance } from '../test/support/chance.ts'
import { plantAll } from './mutations.ts'
import { neverDone } from './operations.ts'
import { judge } from './oracle.ts'
import { leastBusinesses, openWorld, type Size } from './setup.ts'
import { addTo, countsOf, newTally, readSum, sumOf, tableOf, tablesOf } from './tally.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string' },
    hours: { type: 'string' },
    /** Seconds between two looks of the oracle. */
    pause: { type: 'string', default: '120' },
    apis: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
    businesses: { type: 'string', default: '4' },
    clients: { type: 'string', default: '25' },
    /** Operations between two faults, on average. */
    'fault-every': { type: 'string', default: '80' },
    /**
     * How much more often than by itself the operator, and people at the dashboard, do something.
     */
    operator: { type: 'string', default: '1' },
    /**
     * How many clients the live business has for each of another's; more of its providers' requests
     * are befallen then.
     */
    live: { type: 'string', default: '1' },
    /** How many of a hundred faults take a process or PostgreSQL away. */
    heavy: { type: 'string', default: '8' },
    /** Ends with the first finding. */
    first: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    /** Adds what is counted to this file. */
    tally: { type: 'string' },
    /** Says what the runs of such a file come to, and runs nothing. */
    table: { type: 'string' },
    /** Keeps the folder of the run: logs, and the database. */
    keep: { type: 'boolean', default: false },
    /** Plants bugs in copies, one at a time, and looks whether each is found. */
    mutations: { type: 'boolean', default: false },
    /** Of those, whose names have this. */
    only: { type: 'string', default: '' },
  },
})

const seed = values.seed === undefined ? Date.now() % 1_000_000_007 : Number(values.seed)
const seconds =
  values.hours === undefined ? Number(values.minutes ?? '5') * 60 : Number(values.hours) * 3_600
const size: Size = {
  apis: Number(values.apis),
  workers: Number(values.workers),
  businesses: Number(values.businesses),
  clients: Number(values.clients),
  faultEvery: Number(values['fault-every']),
  heavy: Number(values.heavy) / 100,
  operator: Number(values.operator),
  live: Number(values.live),
}
const say = (line: string): void => void process.stderr.write(`${line}\n`)
if (values.table !== undefined) {
  const sum = readSum(values.table)
  console.log(tablesOf(sum))
  console.log(`\nNever done: ${neverDone(Object.keys(sum.operations)).join(', ') || 'none'}.`)
  process.exit(0)
}
if (values.mutations) {
  const from = values.seed === undefined ? 1 : seed
  const planted = await plantAll(values.only, Number(values.minutes ?? '3'), [from, from + 1], say)
  for (const { name, bug, found } of planted)
    console.log(
      `| \`${name}\` | ${bug} | ${found ? `${found.kind} | ${found.seed} | ${Math.round(found.after)} s` : 'not found | |'} |`,
    )
  process.exit(planted.every(({ found }) => found !== null) ? 0 : 1)
}
if (!(size.businesses >= leastBusinesses)) {
  say(
    `A world has at least ${leastBusinesses} businesses, one for each thing that they do: give --businesses that many.`,
  )
  process.exit(2)
}
const dir = mkdtempSync(join(tmpdir(), `bursar-sim-${seed}-`))
const tally = newTally(say)
say(`seed ${seed}, ${seconds} s, in ${dir}`)

const forget = (): void => rmSync(dir, { recursive: true, force: true })
const world = await openWorld(dir, seed, size, tally, say).catch((error: Error) => {
  forget()
  throw error
})
const rest = chance(seed + 4)
const end = (code: number): void => {
  process.exitCode = code
}
const leave = (code: number) => (): void =>
  void world.stop().finally(() => {
    if (!values.keep) forget()
    process.exit(code)
  })
process.once('SIGINT', leave(130))
process.once('SIGTERM', leave(143))
process.on('uncaughtException', (error) => {
  tally.finding('the simulator failed', error.stack ?? String(error))
  leave(1)()
})
const progress = setInterval(
  () => say(`${tally.seconds()} s: ${sumOf(tally.operations)} operations`),
  30_000,
)
try {
  const deadline = performance.now() + seconds * 1_000
  for (let looks = 0; performance.now() < deadline; ) {
    await world.live(
      Math.min(Number(values.pause) * 1_000, Math.max(1_000, deadline - performance.now())),
    )
    await judge(world, rest, tally, looks++ > 0 && performance.now() >= deadline)
    say(
      `${tally.seconds()} s: ${sumOf(tally.operations)} operations, ${sumOf(tally.faults)} faults, ${sumOf(tally.found)} findings`,
    )
    if (values.first && tally.findings.length > 0) break
  }
} catch (error) {
  tally.finding('the simulator failed', (error as Error).stack ?? String(error))
} finally {
  clearInterval(progress)
  await world.stop()
}
const cuts = world.shops.reduce((sum, { follower }) => sum + follower.cuts(), 0)
tally.fault('stream cut', cuts)
if (values.tally !== undefined) addTo(values.tally, seed, tally)
if (values.json)
  console.log(
    JSON.stringify({
      seed,
      seconds: tally.seconds(),
      findings: tally.findings,
      ...countsOf(tally),
    }),
  )
else {
  console.log(`Seed ${seed}, ${tally.seconds()} s.`)
  for (const [title, counts] of [
    ['Operations', tally.operations],
    ['Refused, as they had to be', tally.refusals],
    ['Faults', tally.faults],
    ['Looked at', tally.checks],
    ['Findings', tally.found],
  ] as const)
    console.log(`\n${tableOf(title, counts)}`)
  console.log(`\nNever done: ${neverDone([...tally.operations.keys()]).join(', ') || 'none'}.`)
  for (const { kind, what, after } of tally.findings)
    console.log(`\n${kind}, after ${after} s: ${what}`)
}
if (values.keep) say(`kept: ${dir}`)
else forget()
end(tally.findings.length > 0 ? 1 : 0)
