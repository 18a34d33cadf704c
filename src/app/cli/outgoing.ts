/** `bursar outgoing`: holds outgoing money, shows the held orders, and releases them. */
import type { Command } from 'commander'
import type { App } from '../../core/app.ts'
import { modeOf } from '../../lib/mode.ts'
import { type Currency, formatMoney } from '../../lib/money.ts'
import type { LostTransactions } from '../../rails/evm/evm.ts'
import { outgoingOf } from '../../rails/records/outgoing.ts'
import {
  cancel,
  fail,
  heldWarnings,
  hold,
  markRestored,
  release,
  type Standing,
  settle,
  standings,
} from '../outgoing.ts'
import { addCommands, commandsWith } from './commands.ts'
import type { CommandContext } from './context.ts'
import { UserError } from './terminal.ts'
import { lineReader } from './texts.ts'

/** Adds `bursar outgoing …`. */
export function addOutgoingCommands(program: Command, { withApp, print }: CommandContext): void {
  const outgoing = program
    .command('outgoing')
    .description('hold outgoing money, as after a restore, and release it')
  addCommands(outgoing, commands, { open: withApp, print })
}

const orderId = { id: 'its id, as `outgoing status` shows it' } as const
const byOption = {
  '--by <name>': {
    text: 'the person who checked: the name is kept',
    isRequired: true,
    read: lineReader('--by', 200),
  },
} as const

const lookedUpOption = {
  '--looked-up':
    'you have looked up every submission at the provider, and none is there: it is kept',
} as const

const command = commandsWith<App>()

const commands = {
  status: command({
    description:
      'show whether outgoing money is held, the held orders, and what their rails answer',
    options: { '--json': 'print JSON' },
    async run(app) {
      const now = await outgoingOf(app.db)
      const orders = await standings(app, now)
      const treasuries = await treasuriesOf(app)
      return {
        json: {
          held_at: now.heldAt,
          restored_at: now.restoredAt,
          data_of: now.dataOf,
          orders,
          treasuries,
        },
        lines: await linesOf(app, orders, treasuries),
      }
    },
  }),
  hold: command({
    description: 'send no payout and no refund from now on; they wait',
    options: {
      '--restored': 'the database was restored from a backup: before its server starts',
      '--data-of <time>':
        'with --restored: until when its data reach, such as 2026-11-22T03:00:00Z',
    },
    async run(app, { restored, data_of: text }) {
      const dataOf = text === undefined ? null : new Date(text)
      if (dataOf !== null && (!restored || Number.isNaN(dataOf.getTime())))
        throw new UserError(
          `--data-of '${text}': must be a time such as 2026-11-22T03:00:00Z, with --restored.`,
        )
      await (restored ? markRestored(app.db, app.clock, dataOf) : hold(app))
      return {
        lines: ['Outgoing money is held. `bursar outgoing release --by NAME` releases it.'],
      }
    },
  }),
  paid: command({
    description:
      'end a payout or refund as paid, after a person found it at its rail; it is not sent again',
    arguments: orderId,
    options: {
      ...byOption,
      '--reference <text>': {
        text: 'what the rail knows the payment by: its id there, or the hash on the chain',
        isRequired: true,
        read: readReference,
      },
    },
    async run(app, { id, by, reference }) {
      if ((await outgoingOf(app.db)).heldAt === null)
        throw new UserError('Outgoing money is not held: its rail is asked how an order ended.')
      if (!(await settle(app, id, { by, reference })))
        throw new UserError(
          `${id} is no payout or refund that waits: \`bursar outgoing status\` shows them.`,
        )
      return { lines: [`${id} is completed, by ${reference}.`] }
    },
  }),
  cancel: command({
    description:
      'cancel a waiting payout that no rail has, such as one that its merchant canceled after the backup',
    arguments: orderId,
    options: { ...byOption, ...lookedUpOption },
    async run(app, { id, by, looked_up: isLookedUp = false }) {
      const objection = await cancel(app, id, { by, isLookedUp })
      if (objection !== null) throw new UserError(`${id} is not canceled. ${objection}`)
      return { lines: [`${id} is canceled; its amount is in the wallet again.`] }
    },
  }),
  fail: command({
    description:
      'fail a payout, refund or return that its rail does not know, or says has failed; its money is released',
    arguments: orderId,
    options: {
      ...byOption,
      '--reason <text>': {
        text: 'why: it is kept in the audit log',
        isRequired: true,
        read: lineReader('--reason', 500),
      },
      ...lookedUpOption,
    },
    async run(app, { id, by, reason, looked_up: isLookedUp = false }) {
      const objection = await fail(app, id, { by, reason, isLookedUp })
      if (objection !== null) throw new UserError(`${id} is not failed. ${objection}`)
      return { lines: [`${id} has failed; its money is released.`] }
    },
  }),
  release: command({
    description: 'release outgoing money; orders that a rail has are never sent again',
    options: {
      ...byOption,
      '--anyway': 'although a rail could not be asked: its orders may be paid twice',
    },
    async run(app, { by, anyway }) {
      if (!anyway) await assertClear(app)
      const orders = await release(app, by)
      if (orders === null) return { lines: ['Outgoing money was not held.'] }
      return {
        lines: [
          `Outgoing money goes again, by ${by}. ${orders} payouts and refunds are looked after now.`,
        ],
      }
    },
  }),
}

/** @throws {UserError} */
function readReference(text: string): string {
  const reference = text.trim()
  if (reference.length < 1 || reference.length > 200)
    throw new UserError('--reference must have 1 to 200 characters.')
  return reference
}

/** @throws {UserError} that names each order and treasury that a person must check first */
async function assertClear(app: App): Promise<void> {
  const now = await outgoingOf(app.db)
  if (now.heldAt === null || now.restoredAt === null) return
  const unknown = (await standings(app, now)).filter(
    (order) => order.rails_say === 'unknown' || order.rails_say === 'undecided',
  )
  const sent = (await treasuriesOf(app)).filter((one) => one.sent !== 0n)
  const reasons = [
    ...(unknown.length > 0
      ? [`of ${unknown.length} payouts and refunds a rail does not say whether it has them`]
      : []),
    ...sent.map(treasuryLine),
  ]
  if (reasons.length > 0)
    throw new UserError(
      `Not released: ${reasons.join('; ')}. \`bursar outgoing status\` shows it. Look into it, as docs/backup.md says; then add --anyway.`,
    )
}

/** Compares the treasuries' nonces with the books. The rail loads only if it is configured. */
async function treasuriesOf(app: App): Promise<LostTransactions[]> {
  if (app.config.EVM_FILE === null) return []
  const rail = await import('../../rails/evm/evm.ts')
  return rail.lostTransactions(rail.openEvm(rail.readEvmFile(app.config.EVM_FILE)).chains, app.db)
}

const treasuryLine = ({ network, address, sent, next_nonce, trouble }: LostTransactions): string =>
  sent === null
    ? `${address} on ${network} could not be looked at: ${trouble}`
    : `${address} on ${network} has sent ${sent} transactions that are not in the books, from nonce ${next_nonce} on`

const standingTexts: Record<Standing['rails_say'], string> = {
  sent: 'a rail has it: its answer is applied, and it is not sent again',
  not_found: 'no rail has it: it is sent once outgoing money goes',
  unknown: 'NOT KNOWN: a rail gives no answer',
  undecided: 'NOT KNOWN: too long ago to query every submission; look it up at the rail',
  new: 'made after the restore: it is sent once outgoing money goes',
}

async function linesOf(
  app: App,
  orders: Standing[],
  treasuries: LostTransactions[],
): Promise<string[]> {
  const held = await heldWarnings(app)
  const isHeld = held.length > 0
  return [
    ...(isHeld ? held : ['Outgoing money is not held.']),
    ...orders.map((one) => orderLine(one, isHeld)),
    ...treasuries.filter((one) => one.sent !== 0n).map((one) => `LOOK  ${treasuryLine(one)}`),
  ]
}

function orderLine(order: Standing, isHeld: boolean): string {
  const { kind, id, livemode, created_at, status, amount, currency, to, rail, reference } = order
  return [
    `${kind} ${id}`,
    modeOf(livemode),
    created_at.toISOString(),
    status,
    `${formatMoney(amount, currency as Currency)} to ${to} by ${rail}`,
    reference ?? '',
    ...(isHeld ? [standingTexts[order.rails_say]] : []),
  ].join('  ')
}
