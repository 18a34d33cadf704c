/** The rules of `npm run audit`, over answers that npm 11.19.1 gave. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { type Advisory, judge, type Lock, readAudit } from '../../support/advisories.ts'

const recorded = (name: string): string =>
  readFileSync(`test/support/fixtures/npm-audit/${name}.json`, 'utf8')
/** Of a shop that needs lodash, and mkdirp for development, which needs minimist. */
const lock: Lock = {
  packages: {
    'node_modules/lodash': {},
    'node_modules/minimist': { dev: true },
    'node_modules/mkdirp': { dev: true },
  },
}

function advisoriesOf(name: string): Advisory[] {
  const answer = readAudit(recorded(name), lock)
  assert.ok('advisories' in answer)
  return answer.advisories
}

const accepted = {
  id: 'GHSA-35jh-r3h4-6jhm',
  package: 'lodash',
  reason: 'no template is made of input',
}

it('reads each advisory once, and which packages are for development only', () => {
  assert.deepEqual(
    advisoriesOf('vulnerabilities').map((one) => [
      one.id,
      one.package,
      one.severity,
      one.isProduction,
    ]),
    [
      ['GHSA-35jh-r3h4-6jhm', 'lodash', 'high', true],
      ['GHSA-29mw-wpgm-hmr9', 'lodash', 'moderate', true],
      ['GHSA-xvch-5gv4-984h', 'minimist', 'critical', false],
    ],
  )
})

it('fails for a severe advisory of a production dependency alone', () => {
  const { failures, notes } = judge(advisoriesOf('vulnerabilities'), [], '2026-11-29')
  assert.equal(failures.length, 1)
  assert.match(
    failures[0] as string,
    /^high: lodash, Command Injection in lodash \(GHSA-35jh-r3h4-6jhm\): update/,
  )
  assert.equal(notes.length, 2)
  const inProduction = readAudit(recorded('vulnerabilities'), { packages: {} })
  assert.ok('advisories' in inProduction)
  assert.equal(judge(inProduction.advisories, [], '2026-11-29').failures.length, 2)
})

it('accepts a listed advisory until its last day', () => {
  const exceptions = [{ ...accepted, until: '2026-11-29' }]
  const on = (today: string) => judge(advisoriesOf('vulnerabilities'), exceptions, today).failures
  assert.deepEqual(on('2026-11-29'), [])
  assert.match(on('2026-11-30').join(), /its exception ended on 2026-11-29$/)
  const ofAnother = [{ ...accepted, package: 'lodash-es', until: '2026-11-29' }]
  assert.equal(judge(advisoriesOf('vulnerabilities'), ofAnother, '2026-11-29').failures.length, 1)
})

it('tells a registry that gives no advisories from a mistake', () => {
  for (const [name, message] of [
    ['not-allowed', /^405 Method Not Allowed/],
    ['unreachable', /ECONNREFUSED/],
  ] as const) {
    const answer = readAudit(recorded(name), lock)
    assert.ok('unreachable' in answer)
    assert.match(answer.unreachable, message)
  }
  assert.throws(() => readAudit(recorded('no-lock'), lock), /ENOLOCK/)
})

it('lists exceptions with a reason and an end', () => {
  for (const one of JSON.parse(readFileSync('test/advisories.json', 'utf8'))) {
    assert.deepEqual(Object.keys(one).sort(), ['id', 'package', 'reason', 'until'])
    assert.match(one.until, /^\d{4}-\d\d-\d\d$/)
    assert.ok(one.reason.length > 10, one.id)
  }
})
