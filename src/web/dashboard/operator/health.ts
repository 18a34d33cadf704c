import type { AnswerOf } from '../../../core/operations.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { BusinessPage } from '../place.ts'
import { page } from '../view/layout.ts'
import { badge, code, fact, facts, notice } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'

const title = 'Health'
const levels = {
  fail: ['bad', 'Fails'],
  warn: ['warn', 'Look at it'],
  ok: ['good', 'Well'],
} as const

/** A sentence in which commands stand between backticks. */
const withCode = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 1 ? code(part) : part))}`

type Finding = AnswerOf<'getInstallationHealth'>['findings'][number]

const row = ({ level, check, found, todo }: Finding): Html => {
  const [tone, text] = levels[level]
  return fact(
    html`${badge(level, tone, text)} ${wordOf(check)}`,
    html`<bdi>${found}</bdi>${todo !== null && html`<p class="hint">${withCode(todo)}</p>`}`,
  )
}

const count = (n: number, one: string, more: string): string =>
  n === 1 ? `1 ${one}` : `${n} ${more}`

/** What `bursar doctor` says: first what fails, then what should be looked at. */
export const healthPage: BusinessPage = {
  method: 'GET',
  path: '/health',
  async handler(visit) {
    const { failures, warnings, findings } = await visit.api.getInstallationHealth()
    const of = (level: Finding['level']): Finding[] => findings.filter((one) => one.level === level)
    const sections = [
      ['Fails', of('fail')],
      ['Should be looked at', of('warn')],
      ['Well', of('ok')],
    ] as const
    const said = [
      count(failures, 'failure', 'failures'),
      count(warnings, 'warning', 'warnings'),
    ].join(', ')
    const tone = failures > 0 ? 'bad' : warnings > 0 ? 'warn' : 'good'
    const main = html`<div class="head"><div><h1>${title}</h1><p class="hint">What <code>bursar doctor</code> says, looked at just now by the process that answers. Nothing was changed or sent.</p></div></div>
${notice(tone, failures + warnings === 0 ? 'Nothing needs you.' : `${said}.`)}
${sections.map(([name, found]) => found.length > 0 && html`<section class="sheet"><h2>${name}</h2>${facts(found.map(row))}</section>`)}`
    return { html: page(visit, { title, main }) }
  },
}
