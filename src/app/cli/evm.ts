/** `bursar evm`: keys and networks of stablecoins, and sweeping their deposit addresses. */
import type { Command } from 'commander'
import { skipIndexes } from '../../collecting/crypto/crypto.ts'
import { listSweepable } from '../../collecting/deposits/deposits.ts'
import type { App } from '../../core/app.ts'
import { transaction } from '../../db/db.ts'
import { cryptoCurrencies, formatDecimal } from '../../lib/money.ts'
import type { evmStates } from '../../rails/evm/evm.ts'
import type { EvmNetwork } from '../../rails/evm/settings.ts'
import { addCommands, commandsWith } from './commands.ts'
import type { CommandContext } from './context.ts'

/** Loads the rail. `bursar serve` without EVM_FILE does not load it. */
const loadRail = () => import('../../rails/evm/evm.ts')

async function openNetworks(app: App) {
  const rail = await loadRail()
  return { rail, networks: rail.openEvm(rail.readEvmFile(app.config.EVM_FILE)) }
}

/** Adds `bursar evm …`. */
export function addEvmCommands(program: Command, { withApp, print }: CommandContext): void {
  const evm = program.command('evm').description('manage stablecoins on EVM networks')
  addCommands(evm, offlineCommands, { open: (work) => work(null), print })
  addCommands(evm, commands, { open: withApp, print })
}

const offlineCommands = {
  xpub: commandsWith<null>()({
    description: 'print the extended public key of a mnemonic, for EVM_FILE; needs no server',
    arguments: { file: 'a file that holds the mnemonic; keep it away from the API server' },
    async run(_nothing, { file }) {
      const rail = await loadRail()
      return { lines: [rail.readMnemonic('xpub', file).xpub] }
    },
  }),
}

const command = commandsWith<App>()

const commands = {
  status: command({
    description:
      'show how far each network has been read, what the treasuries hold, and what needs a person',
    async run(app) {
      const { rail, networks } = await openNetworks(app)
      const { watchers, senders, warnings } = await rail.evmStates(
        networks,
        app.db,
        app.clock.now(),
      )
      const networkOf = (id: string): EvmNetwork =>
        networks.chains.find(({ network }) => network.id === id)?.network as EvmNetwork
      return {
        lines: [
          ...watchers.map(
            ({ network, behind, updated_at }) =>
              `${network}  ${behind} blocks behind, looked at ${updated_at.toISOString()}`,
          ),
          ...senders.flatMap((sender) => senderLines(networkOf(sender.network), sender)),
          ...warnings.map(({ detail }) => `LOOK  ${detail}`),
          ...(networks.chains.length === 0 ? ['No network is configured: set EVM_FILE.'] : []),
        ],
      }
    },
  }),
  sweep: command({
    description:
      'move what deposit addresses hold to the treasury; run it again until nothing waits',
    options: { '--network <id>': 'only this network' },
    async run(app, { network }) {
      const { rail, networks } = await openNetworks(app)
      const reports = await rail.sweepNow(networks, {
        db: app.db,
        clock: app.clock,
        log: app.log,
        only: network ?? null,
        keys: rail.readEvmKeys(app.config, networks.settings, app.log),
        sweep: {
          minimum: BigInt(app.config.EVM_SWEEP_MIN),
          candidates: (on, key) => listSweepable(app, on, key),
        },
      })
      return {
        lines: reports.flatMap(({ network: on, report }) => [
          ...report.started.map(
            ({ address, currency, units }) =>
              `${on.id}  sweeps ${tokens(on, currency, units)} from ${address}`,
          ),
          `${on.id}  ${report.waiting} wait for gas or their turn, ${report.sent} are on their way`,
          ...report.troubles.map((trouble) => `LOOK  ${trouble}`),
        ]),
      }
    },
  }),
  'skip-addresses': command({
    description:
      'skip the next deposit addresses: after a restore, no address may be assigned twice',
    arguments: {
      mode: 'test or live',
      count: {
        text: 'how many; more than were assigned since the backup',
        read: (text: string) => {
          if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
          throw new RangeError(`'${text}' is not a whole number from 1 on`)
        },
      },
    },
    async run(app, { mode: name, count }) {
      const rail = await loadRail()
      const settings = rail.readEvmFile(app.config.EVM_FILE)
      const mode = name === 'live' || name === 'test' ? settings[name] : null
      if (!mode) throw new RangeError(`EVM_FILE has no mode '${name}'`)
      await transaction(app.db, (tx) => skipIndexes(tx, rail.keyOf(mode), count))
      return { lines: [`The next ${count} addresses of ${name} mode are left out.`] }
    },
  }),
  'give-up': command({
    description:
      'fail a payout whose nonce another transaction used, after a person found that it was a different payment',
    arguments: { network: 'its network', id: 'the payout’s id' },
    async run(app, { network, id }) {
      const { rail, networks } = await openNetworks(app)
      const chain = networks.chains.find((one) => one.network.id === network)
      const isFailed =
        chain !== undefined &&
        (await rail.giveUp({ db: app.db, clock: app.clock, log: app.log, chain }, id))
      return {
        lines: [
          isFailed
            ? `${id} is given up; its money goes back.`
            : `${id} is not one whose nonce was used by another.`,
        ],
      }
    },
  }),
  resume: command({
    description: 'read a halted network again, after a person has checked it',
    arguments: { network: 'its id' },
    options: {
      '--from <block>': {
        text: 'read on from this block; else from where it stopped',
        read: (text: string) => {
          if (/^\d{1,18}$/.test(text)) return BigInt(text)
          throw new RangeError(`'${text}' is not a block number`)
        },
      },
    },
    async run(app, { network, from }) {
      const rail = await loadRail()
      const isKnown = await rail.resume(app.db, network, from === undefined ? null : from - 1n)
      return {
        lines: [isKnown ? `${network} is read on.` : `${network} has never been read.`],
      }
    },
  }),
}

type Sender = Awaited<ReturnType<typeof evmStates>>['senders'][number]

const senderLines = (network: EvmNetwork, sender: Sender): string[] => [
  `${network.id}  treasury ${sender.address} holds ${holdings(network, sender)}`,
  `${network.id}  ${sender.queued} to sign, ${sender.sent} on their way`,
]

const tokens = (network: EvmNetwork, currency: 'usdc' | 'usdt', units: bigint): string =>
  `${formatDecimal({ units, scale: network.tokens[currency]?.decimals ?? 0 })} ${currency.toUpperCase()}`

function holdings(network: EvmNetwork, { nativeBalance, tokenBalances }: Sender): string {
  const coins = `${formatDecimal({ units: nativeBalance ?? 0n, scale: 18 })} ${network.native_symbol}`
  const held = cryptoCurrencies.filter((currency) => network.tokens[currency])
  return [
    coins,
    ...held.map((currency) => tokens(network, currency, tokenBalances[currency] ?? 0n)),
  ].join(', ')
}
