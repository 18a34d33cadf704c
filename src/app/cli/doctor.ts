/**
 * `bursar doctor`: looks at everything that is often wrong, and says what to do.
 */
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { examineSettings, type Finding, fail, obstacleOf } from '../../api/doctor/doctor.ts'
import { healthOf } from '../../api/installation/installation.ts'
import { clusterName } from '../../db/cluster/backup.ts'
import { systemClock } from '../../lib/clock.ts'
import { type Config, ConfigError } from '../../lib/config.ts'
import { toJson } from '../../lib/json.ts'
import { keyFileOf } from '../../lib/key-file.ts'
import { localUrl } from '../../lib/listening.ts'
import { open } from '../open.ts'
import type { CommandContext } from './context.ts'
import { statusOf, stopSignal } from './signals.ts'
import { printable } from './terminal.ts'

/** Adds `bursar doctor`. @param config reads the settings; throws `ConfigError` */
export function addDoctorCommand(
  program: Command,
  { config, print }: Pick<CommandContext, 'config' | 'print'>,
): void {
  program
    .command('doctor')
    .description('check this installation and say what to fix; changes and sends nothing')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const findings = await examined(config)
      const healthy = findings.every(({ level }) => level !== 'fail')
      if (json) print(toJson({ healthy, findings }))
      else for (const line of linesOf(findings)) print(printable(line))
      if (!healthy) process.exitCode = 1
    })
}

async function examined(read: () => Config): Promise<Finding[]> {
  let config: Config
  try {
    config = read()
  } catch (error) {
    if (error instanceof ConfigError) return [obstacleOf(error)]
    throw error
  }
  const missing = missingData(config)
  if (missing !== null) return [missing, ...(await ofSettings(config))]
  const stop = stopSignal(config.STOP_TIMEOUT)
  let opened: Awaited<ReturnType<typeof open>>
  try {
    // The schema is looked at, and left as it is.
    opened = await open({ ...config, LOG_LEVEL: 'silent' }, 'tool', {
      bringUp: async () => {},
    })
  } catch (error) {
    return [obstacleOf(error), ...(await ofSettings(config))]
  }
  stop.addEventListener(
    'abort',
    () => void opened.release().finally(() => process.exit(statusOf(stop.reason))),
  )
  const { app } = opened
  try {
    return await healthOf(app)
  } finally {
    if (!stop.aborted) await opened.close()
  }
}

const ofSettings = (config: Config): Promise<Finding[]> =>
  examineSettings({
    config,
    clock: systemClock,
    url: config.BASE_URL ?? localUrl({ port: config.PORT, host: config.HOST }),
  })

/**
 * What would be made anew if the database were opened: the cluster, and the key of what is sealed
 * in it.
 */
function missingData({ DATABASE_URL: url, DATA_DIR, SECRETS_KEY: key }: Config): Finding | null {
  if (url !== null) return null
  const dir = resolve(DATA_DIR)
  if (!fs.existsSync(join(dir, clusterName, 'PG_VERSION')))
    return fail(
      'database',
      `there is no embedded database in ${dir}`,
      'Set DATA_DIR to the server’s data directory, or start the server once to make one.',
    )
  if (key === null && !fs.existsSync(keyFileOf(dir)))
    return fail(
      'secrets',
      `${keyFileOf(dir)} is missing: what it sealed cannot be read`,
      'Put it back from where you keep a copy of it; a server that starts without it makes another.',
    )
  return null
}

const levels = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' }

function linesOf(findings: Finding[]): string[] {
  const count = (level: Finding['level']): number =>
    findings.filter((one) => one.level === level).length
  return [
    ...findings.flatMap(({ check, level, found, todo }) => [
      `${levels[level]}  ${check.padEnd(9)}  ${found}`,
      ...(todo === null ? [] : [`${' '.repeat(17)}do: ${todo}`]),
    ]),
    `${count('ok')} ok, ${count('warn')} to check, ${count('fail')} to fix.`,
  ]
}
