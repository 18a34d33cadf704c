/**
 * Rounds to rows: medians, how far the rounds lie apart, and whether the goal was reached.
 */
import type { Cpu, Measure } from './load.ts'
import type { RowPlan } from './scenarios.ts'

export type Round = Map<string, Measure>

export type RowRound = {
  ours: number
  reference: number
  ratio: number
  p50?: number
  p99?: number
  cpu?: Cpu
  failed: number
  note?: string
}

export type Row = {
  name: string
  unit: RowPlan['unit']
  /** Why there are no numbers. */
  notMeasured: string | null
  /** Medians of the rounds; the ratio is the median of the ratios. */
  ours: number | null
  reference: { name: string; value: number | null }
  ratio: number | null
  /** The least and the greatest ratio of a round. */
  noise: [number, number] | null
  p50: number | null
  p99: number | null
  /** Microseconds of one core a request. */
  cpu: Cpu | null
  goal: RowPlan['goal']
  reached: boolean | null
  notes: string[]
  rounds: RowRound[]
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

/** The median of each part. */
export function medianCpu(measures: { cpu?: Cpu }[]): Cpu | null {
  const known = measures.flatMap(({ cpu }) => cpu ?? [])
  if (known.length === 0) return null
  const of = (who: keyof Cpu): number => median(known.map((cpu) => cpu[who]))
  return { server: of('server'), postgres: of('postgres'), clients: of('clients') }
}

/** @param missing why a scenario could not be measured */
export function toRow(
  plan: RowPlan,
  rounds: Round[],
  missing: (scenario: string) => string | null,
): Row {
  const { name, unit, of, against, goal } = plan
  const other = typeof against === 'object' && 'scenario' in against ? against : null
  const referenceName = other?.name ?? (against === 'tail' ? 'p50' : 'goal')
  const why = missing(of) ?? (other && missing(other.scenario))
  const ofRounds = rounds.flatMap((round) => roundOf(plan, round) ?? [])
  const failed = ofRounds.reduce((sum, round) => sum + round.failed, 0)
  const middle = (pick: (round: RowRound) => number | undefined): number | null => {
    const values = ofRounds.flatMap((round) => pick(round) ?? [])
    return values.length === 0 ? null : median(values)
  }
  const ratio = middle((round) => round.ratio)
  const ratios = ofRounds.map((round) => round.ratio)
  return {
    name,
    unit,
    notMeasured: why,
    // Ours is shown even where there is nothing to hold it against.
    ours:
      ratio === null
        ? median0(rounds.flatMap((round) => round.get(of)?.value ?? []))
        : middle(({ ours }) => ours),
    reference: { name: referenceName, value: middle((round) => round.reference) },
    ratio,
    noise: ratios.length === 0 ? null : [Math.min(...ratios), Math.max(...ratios)],
    p50: middle((round) => round.p50),
    p99: middle((round) => round.p99),
    cpu: medianCpu(ofRounds),
    goal,
    reached: goal === null || ratio === null ? null : failed === 0 && isReached(ratio, goal),
    notes: [
      ...new Set(ofRounds.flatMap((round) => round.note ?? [])),
      ...(failed > 0 ? [`${failed} requests were refused or not answered`] : []),
    ],
    rounds: ofRounds,
  }
}

const median0 = (values: number[]): number | null => (values.length === 0 ? null : median(values))

function isReached(ratio: number, goal: NonNullable<RowPlan['goal']>): boolean {
  return 'least' in goal ? ratio >= goal.least : ratio <= goal.most
}

function roundOf({ of, against }: RowPlan, round: Round): RowRound | null {
  const ours = round.get(of)
  if (!ours) return null
  const { p50, p99, cpu, note } = ours
  const rest = {
    ...(p50 === undefined ? {} : { p50 }),
    ...(p99 === undefined ? {} : { p99 }),
    ...(cpu === undefined ? {} : { cpu }),
    ...(note === undefined ? {} : { note }),
  }
  const failed = ours.failed ?? 0
  if (against === 'tail') {
    if (p50 === undefined || p99 === undefined) return null
    return { ours: p99, reference: p50, ratio: p99 / p50, failed, ...rest }
  }
  if ('value' in against)
    return {
      ours: ours.value,
      reference: against.value,
      ratio: ours.value / against.value,
      failed,
      ...rest,
    }
  const other = round.get(against.scenario)
  if (!other) return null
  return {
    ours: ours.value,
    reference: other.value,
    ratio: ours.value / other.value,
    failed: failed + (other.failed ?? 0),
    ...rest,
  }
}

export const amount = (value: number, unit: Row['unit']): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: unit === 'ms' ? 1 : 0 })}${unit === '/s' ? '' : ' '}${unit}`

export const goalText = (goal: Row['goal']): string =>
  goal === null ? 'none' : 'least' in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`

export const reachedText = ({ reached, ratio }: Row): string =>
  ratio === null ? 'not measured' : reached === null ? '' : reached ? 'yes' : 'no'

export const header = [
  'scenario',
  'ours',
  'reference',
  'ratio',
  'goal',
  'reached',
  'rounds',
  'p50 ms',
  'p99 ms',
  'CPU µs',
]

/** Server, PostgreSQL and clients, in this order. */
export const cpuText = (cpu: Cpu | null): string =>
  cpu === null
    ? ''
    : [cpu.server, cpu.postgres, cpu.clients].map((one) => one.toFixed(0)).join(' + ')

/** A line of the table. */
export function cells(row: Row): string[] {
  const { name, unit, ours, reference, ratio, noise, goal, p50, p99, cpu } = row
  const ms = (value: number | null): string => (value === null ? '' : value.toFixed(1))
  return [
    name,
    ours === null ? '' : amount(ours, unit),
    `${reference.name}${reference.value === null ? '' : ` ${amount(reference.value, unit)}`}`,
    ratio === null ? '' : ratio.toFixed(2),
    goalText(goal),
    reachedText(row),
    noise === null ? '' : `${noise[0].toFixed(2)}–${noise[1].toFixed(2)}`,
    ms(p50),
    ms(p99),
    cpuText(cpu),
  ]
}

/** The table as it is printed. */
export function textTable(rows: Row[]): string {
  const lines = [header, ...rows.map(cells)]
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] as string).length)),
  )
  const padded = lines.map((line) =>
    line.map((cell, column) => {
      const width = widths[column] as number
      return column === 0 || column === 2 ? cell.padEnd(width) : cell.padStart(width)
    }),
  )
  return padded.map((line) => line.join('  ').trimEnd()).join('\n')
}

/** The same in Markdown. */
export function markdownTable(rows: Row[]): string {
  const line = (columns: string[]): string => `| ${columns.join(' | ')} |`
  return [
    line(header),
    line(header.map((_, i) => (i === 0 || i === 2 ? '---' : '---:'))),
    ...rows.map((row) => line(cells(row))),
  ].join('\n')
}

/** What must be known to read the table: notes, and rows without numbers. */
export function footnotes(rows: Row[]): string[] {
  const said = new Map<string, string[]>()
  for (const { name, notes, notMeasured } of rows)
    for (const note of notMeasured === null ? notes : [`not measured: ${notMeasured}`, ...notes])
      said.set(note, [...(said.get(note) ?? []), name])
  return [...said].map(([note, names]) =>
    names.length === rows.length ? note : `${names.join('; ')}: ${note}`,
  )
}
