/**
 * `bursar open payment`: the hosted page of a payment, in the browser of whoever sits at the
 * terminal.
 */
import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { toJson } from '../../lib/json.ts'
import { accessOf, type Environment, exitsHelp, withUsageStatus } from './access.ts'
import { makeApi } from './api.ts'
import { print, printable, say, UserError } from './terminal.ts'

/** How a platform opens a URL, none of which a shell reads. */
const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Adds `bursar open …`. @param out prints a line */
export function addOpenCommands(program: Command, env: Environment, out = print): void {
  const open = withUsageStatus(program.command('open')).description(
    'open a hosted page in the browser',
  )
  open
    .command('payment')
    .description('open the checkout page of a payment, where this is a terminal, and print its URL')
    .argument('<id>', 'the payment, or its reference')
    .option('--print', 'only print the URL')
    .option('--json', 'print the payment as JSON, and open nothing')
    .addHelpText('after', exitsHelp)
    .action(
      async (
        id: string,
        { print: isQuiet = false, json = false }: { print?: boolean; json?: boolean },
      ) => {
        const path = /^[0-9a-f]{24}$/.test(id) ? '/payments/' : '/payments/reference/'
        const payment = await makeApi(accessOf(env))('GET', `${path}${encodeURIComponent(id)}`)
        if (json) return out(toJson(payment))
        const url = String(payment.checkout_url)
        if (!/^https?:\/\/[\x21-\x7e]+$/.test(url))
          throw new UserError(`${id} has no page that can be opened.`)
        out(printable(url))
        if (process.stdout.isTTY && !isQuiet) openInBrowser(url)
      },
    )
}

function openInBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => say('No browser could be opened here: open the URL yourself.'))
  child.unref()
}
