/**
 * What the doctor finds.
 */
import assert from 'node:assert/strict'
import { examineSettings, type Finding } from '../../src/api/doctor/doctor.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { readConfig } from '../../src/lib/config.ts'
import { localUrl } from '../../src/lib/listening.ts'

/** What was found of one check, with how bad it is, a line each. */
export const foundOf = (findings: Finding[], check: string): string[] =>
  findings.filter((one) => one.check === check).map(({ level, found }) => `${level} ${found}`)

/**
 * Fails unless a check found what is expected, and each finding that is not well says what to do.
 */
export function assertFound(findings: Finding[], check: string, expected: RegExp): void {
  assert.match(foundOf(findings, check).join('\n'), expected)
  for (const one of findings)
    assert.equal(one.todo === null, one.level === 'ok', JSON.stringify(one))
}

/** Examines settings, with a database that is not asked. */
export function examineWith(env: Record<string, string>): Promise<Finding[]> {
  const config = readConfig({ DATABASE_URL: 'postgres://nobody@localhost/none', PORT: '0', ...env })
  return examineSettings({
    config,
    clock: systemClock,
    url: config.BASE_URL ?? localUrl({ port: config.PORT, host: config.HOST }),
  })
}
