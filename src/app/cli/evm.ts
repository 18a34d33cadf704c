/**
 * Commands that look after stablecoins: keys, how the chains stand, sweeping.
 */
import type { Command } from 'commander'
import { skipIndexes } from '../../collecting/crypto/crypto.ts'
import { listSweepable } from '../../collecting/deposits/deposits.ts'
import { transaction } from '../../db/db.ts'
import { cryptoCurrencies, formatDecimal } from '../../lib/money.ts'
import type { evmStates } from '../../rails/evm/evm.ts'
import type { EvmNetwork } from '../../rails/evm/settings.ts'
import type { CommandContext } from './context.ts'

/** The rail, which `bursar serve` without EVM_FILE does not load. */
const load = () => import('../../rails/evm/evm.ts')

/** Adds `bursar evm …`. */
export function addEvmCommands(program: Command, { withApp, print }: CommandContext): void {
  const evm = program.command('evm').description('look after stablecoins on EVM networks')
  evm
    .command('xpub')
    .description('print the extended public key of a mnemonic, for EVM_FILE; needs no server')
    .argument('<file>', 'a file that holds the mnemonic; keep it away from the API server')
    .action(async (file: string) => print((await load()).readMnemonic('xpub', file).xpub))
  evm
    .command('status')
    .description(
      'show how far each network has been read, what the treasuries hold, and what needs a person',
    )
    .action(() =>
      withApp(async (app) => {
        const rail = await load()
        const chains = rail.openEvm(rail.readEvmFile(app.config.EVM_FILE))
        const { watchers, senders, warnings } = await rail.evmStates(
          chains,
          app.db,
          app.clock.now(),
        )
        for (const { network, behind, updated_at } of watchers)
          print(`${network}  ${behind} blocks behind, looked at ${updated_at.toISOString()}`)
        for (const sender of senders) {
          const on = chains.chains.find(({ network }) => network.id === sender.network)
            ?.network as EvmNetwork
          print(`${on.id}  treasury ${sender.address} holds ${holdings(on, sender)}`)
          print(`${on.id}  ${sender.queued} to sign, ${sender.sent} on their way`)
        }
        for (const { detail } of warnings) print(`LOOK  ${detail}`)
        if (chains.chains.length === 0) print('No network is configured: set EVM_FILE.')
      }),
    )
  evm
    .command('sweep')
    .description(
      'move what deposit addresses hold to the treasury; run it again until nothing waits',
    )
    .option('--network <id>', 'only this network')
    .action(({ network }: { network?: string }) =>
      withApp(async (app) => {
        const rail = await load()
        const chains = rail.openEvm(rail.readEvmFile(app.config.EVM_FILE))
        const reports = await rail.sweepNow(chains, {
          db: app.db,
          clock: app.clock,
          log: app.log,
          only: network ?? null,
          keys: rail.readEvmKeys(app.config, chains.settings, app.log),
          sweep: {
            minimum: BigInt(app.config.EVM_SWEEP_MIN),
            candidates: (on, key) => listSweepable(app, on, key),
          },
        })
        for (const { network: on, report } of reports) {
          for (const { address, currency, units } of report.started)
            print(`${on.id}  sweeps ${tokens(on, currency, units)} from ${address}`)
          print(
            `${on.id}  ${report.waiting} wait for gas or their turn, ${report.sent} are on their way`,
          )
          for (const trouble of report.troubles) print(`LOOK  ${trouble}`)
        }
      }),
    )
  evm
    .command('skip-addresses')
    .description(
      'leave out the next deposit addresses: after a backup was restored, those given out since must not be given again',
    )
    .argument('<mode>', 'test or live')
    .argument('<count>', 'how many; more than can have been given out')
    .action((name: string, count: string) =>
      withApp(async (app) => {
        const rail = await load()
        const settings = rail.readEvmFile(app.config.EVM_FILE)
        const mode = name === 'live' ? settings.live : name === 'test' ? settings.test : null
        if (!mode) throw new RangeError(`EVM_FILE has no mode '${name}'`)
        if (!/^[1-9]\d{0,8}$/.test(count))
          throw new RangeError(`'${count}' is not a whole number from 1 on`)
        await transaction(app.db, (tx) => skipIndexes(tx, rail.keyOf(mode), Number(count)))
        print(`The next ${count} addresses of ${name} mode are left out.`)
      }),
    )
  evm
    .command('give-up')
    .description(
      'fail a payout whose nonce was used by a transaction that is not ours, after a person has found out that it was not the same payment',
    )
    .argument('<network>', 'its network')
    .argument('<id>', 'the payout’s id')
    .action((network: string, id: string) =>
      withApp(async (app) => {
        const rail = await load()
        const { chains } = rail.openEvm(rail.readEvmFile(app.config.EVM_FILE))
        const chain = chains.find((one) => one.network.id === network)
        const given =
          chain !== undefined &&
          (await rail.giveUp({ db: app.db, clock: app.clock, log: app.log, chain }, id))
        print(
          given
            ? `${id} is given up; its money goes back.`
            : `${id} is not one whose nonce was used by another.`,
        )
      }),
    )
  evm
    .command('resume')
    .description('let a network that was halted be read on, after a person has looked')
    .argument('<network>', 'its id')
    .option('--from <block>', 'read on from this block; else from where it stopped')
    .action((network: string, { from }: { from?: string }) =>
      withApp(async (app) => {
        if (from !== undefined && !/^\d{1,18}$/.test(from))
          throw new RangeError(`'${from}' is not a block number`)
        const known = await (await load()).resume(
          app.db,
          network,
          from === undefined ? null : BigInt(from) - 1n,
        )
        print(known ? `${network} is read on.` : `${network} has never been read.`)
      }),
    )
}

const tokens = (network: EvmNetwork, currency: 'usdc' | 'usdt', units: bigint): string =>
  `${formatDecimal({ units, scale: network.tokens[currency]?.decimals ?? 0 })} ${currency.toUpperCase()}`

function holdings(
  network: EvmNetwork,
  { nativeBalance, tokenBalances }: Awaited<ReturnType<typeof evmStates>>['senders'][number],
): string {
  const coins = `${formatDecimal({ units: nativeBalance ?? 0n, scale: 18 })} ${network.native_symbol}`
  const held = cryptoCurrencies.filter((currency) => network.tokens[currency])
  return [
    coins,
    ...held.map((currency) => tokens(network, currency, tokenBalances[currency] ?? 0n)),
  ].join(', ')
}
