/**
 * The picture of a run: a bar for each row, its length the ratio over its goal, so that one line is
 * the goal of all.
 */
import { amount, goalText, type Row } from './report.ts'

const width = 960
const labels = 310
const bars = 400
const top = 64
const step = 30
const thick = 14
/** The goal's line stands here; a bar is at most twice as long. */
const goalAt = bars / 2

/** How far a row is: 1 at its goal, more when it is better. */
function progress({ ratio, goal }: Row): number | null {
  if (ratio === null || goal === null) return null
  return 'least' in goal ? ratio / goal.least : goal.most / ratio
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** @param made when and where, a line each */
export function draw(all: Row[], made: string[]): string {
  const rows = all.filter(({ goal }) => goal !== null)
  const end = top + rows.length * step + 22
  const height = end + made.length * 18
  const reached = rows.filter((row) => row.reached).length
  const said = rows
    .map((row) => `${row.name}: ${summary(row)}${row.reached === false ? ', not reached' : ''}`)
    .join('. ')
  const x = labels + goalAt
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="13">
<title id="title">Bursar's speed against its goals: ${reached} of ${rows.length} reached</title>
<desc id="desc">${escaped(`${said}. ${made.join(' ')}`)}</desc>
<style>
  .text { fill: #1f2328 } .faint { fill: #59636e } .line { stroke: #1f2328 } .yes { fill: #1a7f5a } .no { fill: none; stroke: #b35900; stroke-width: 2 } .short { fill: #b35900 } .track { fill: #818b981f }
  @media (prefers-color-scheme: dark) {
    .text { fill: #f0f6fc } .faint { fill: #9198a1 } .line { stroke: #f0f6fc } .yes { fill: #3fb68b } .no { stroke: #f0883e } .short { fill: #f0883e } .track { fill: #9198a133 }
  }
</style>
<text class="text" x="0" y="18" font-size="16" font-weight="600">Measured ratio over its goal</text>
<text class="faint" x="0" y="38">Longer is better. Filled: reached. Outlined: not reached.</text>
<text class="text" x="${x}" y="${top - 12}" text-anchor="middle">goal</text>
${rows.map((row, i) => bar(row, top + i * step)).join('\n')}
<line class="line" x1="${x}" x2="${x}" y1="${top - 6}" y2="${top + rows.length * step - 4}" stroke-width="1.5"/>
${made.map((line, i) => `<text class="faint" x="0" y="${end + i * 18}" font-size="12">${escaped(line)}</text>`).join('\n')}
</svg>
`
}

function bar(row: Row, y: number): string {
  const value = progress(row)
  const long = value === null ? 0 : Math.min(value, 2) * goalAt
  const middle = y + thick - 3
  const parts = [
    `<text class="text" x="${labels - 12}" y="${middle}" text-anchor="end">${escaped(row.name)}</text>`,
    `<rect class="track" x="${labels}" y="${y}" width="${bars}" height="${thick}" rx="3"/>`,
  ]
  if (value !== null)
    parts.push(
      row.reached
        ? `<rect class="yes" x="${labels}" y="${y}" width="${long.toFixed(1)}" height="${thick}" rx="3"/>`
        : `<rect class="no" x="${labels + 1}" y="${y + 1}" width="${Math.max(1, long - 2).toFixed(1)}" height="${thick - 2}" rx="2"/>`,
    )
  parts.push(
    `<text class="${value === null ? 'faint' : row.reached ? 'text' : 'short'}" x="${labels + bars + 12}" y="${middle}">${escaped(summary(row))}</text>`,
  )
  return parts.join('')
}

/** The numbers of a row; a ratio to the goal itself would only say them twice. */
function summary({ ours, ratio, unit, goal, reference }: Row): string {
  if (ratio === null || ours === null) return 'not measured'
  if (reference.name === 'goal')
    return `${amount(ours, unit)} (goal ${goalText(goal).charAt(0)} ${amount(reference.value as number, unit)})`
  return `${unit === 'ms' ? '' : `${amount(ours, unit)}, `}${ratio.toFixed(2)} (goal ${goalText(goal)})`
}
