/**
 * One process of the product, as `bin/bursar.js serve --role …` starts it but for its composition:
 * its live accounts are at doubles, where no setting could point them, its clock is the run's, and
 * its connections to PostgreSQL are cut, or it dies, when it is told so.
 */
import { flushCompileCache } from 'node:module'
import { stopSignal, stopWithLauncher } from '../src/app/cli/signals.ts'
import { open, serve } from '../src/app/main.ts'
import { readConfig } from '../src/lib/config.ts'
import { followClock } from './clock.ts'
import { dieOnDemand } from './kill-points.ts'
import { askNamesAt } from './names.ts'
import { hostsOf, type Places, providersAt } from './providers.ts'
import { cutOnDemand } from './wire.ts'

const { places, clock, names } = JSON.parse(process.argv[2] as string) as Record<string, string> & {
  places: Places
}
askNamesAt(names as string)
cutOnDemand()
dieOnDemand(hostsOf(places), [new URL(places.dojah).host])
const role = process.argv.at(-1) as 'api' | 'worker'

const stop = stopSignal()
stopWithLauncher()
const opened = await open(readConfig(process.env), role, {
  clock: followClock(clock as string),
  providers: providersAt(places),
})
const running = await serve(opened, role)
const end = async (): Promise<void> => {
  await running.stop()
  await opened.close()
  process.exit(0)
}
if (stop.aborted) await end()
else stop.addEventListener('abort', () => void end())
// What is killed would leave nothing for the next start, which takes twice as long without.
flushCompileCache()
