/**
 * The rails that a server has: the sandbox's for test keys, and the networks that its operator has connected.
 */
import type { App } from '../core/app.ts'
import type { Database } from '../db/db.ts'
import type { Config } from '../lib/config.ts'
import type { Rails } from '../rails/rail.ts'
import { sandboxLookups, sandboxRail } from '../rails/sandbox.ts'
import { sandboxAccounts, sandboxAddresses } from '../rails/sandbox-accounts.ts'
import { sandboxCards } from '../rails/sandbox-cards.ts'
import { withTimeout } from '../rails/with-timeout.ts'

/** The rail for EVM networks with what it speaks to; null without EVM_FILE. */
export type Evm = Awaited<ReturnType<typeof loadEvm>>

/** Its libraries take twenty megabytes, so only a server that speaks to EVM networks loads the rail. */
export async function loadEvm({ EVM_FILE: file }: Config) {
  if (file === null) return null
  const rail = await import('../rails/evm/evm.ts')
  return { rail, ...rail.openEvm(rail.readEvmFile(file)) }
}

/** What pays on EVM networks, where no network of its mode is connected: a sentence for each setting. */
export function unusedKeys(config: Config, evm: Pick<NonNullable<Evm>, 'settings'> | null): string[] {
  const { EVM_PAYOUT_KEY, EVM_MNEMONIC_FILE, EVM_TEST_PAYOUT_KEY, EVM_TEST_MNEMONIC_FILE } = config
  const keys = { live: { EVM_PAYOUT_KEY, EVM_MNEMONIC_FILE }, test: { EVM_TEST_PAYOUT_KEY, EVM_TEST_MNEMONIC_FILE } }
  return (['live', 'test'] as const)
    .filter((mode) => !evm?.settings[mode])
    .flatMap((mode) => {
      const lack = evm ? `EVM_FILE has no '${mode}'` : 'EVM_FILE is not set'
      const given = Object.entries(keys[mode]).filter(([, value]) => value !== null)
      return given.map(([name]) => `${name} is given and not used: ${lack}, so no ${mode} payout goes to a network`)
    })
}

/** @param sandboxDb the sandbox stands for a company outside: it has its own connections, and never waits for ours */
export function makeRails(
  evm: Evm,
  sandboxDb: Database,
  { db, clock, log, config }: Pick<App, 'db' | 'clock' | 'log' | 'config'>,
): Rails {
  const sandbox = withTimeout(sandboxRail(sandboxDb, config.SANDBOX_DELAY))
  return {
    test: {
      payouts: sandbox,
      refunds: sandbox,
      lookups: withTimeout(sandboxLookups),
      cards: withTimeout(sandboxCards(sandboxDb, config.SANDBOX_DELAY)),
      accounts: withTimeout(sandboxAccounts),
      addresses: evm?.settings.test ? evm.rail.evmAddresses(evm.settings.test) : sandboxAddresses,
    },
    live: {
      payouts: null,
      refunds: null,
      lookups: null,
      cards: null,
      accounts: null,
      addresses: evm?.settings.live ? evm.rail.evmAddresses(evm.settings.live) : null,
    },
    chains: evm ? evm.rail.evmRails(evm, { db, clock, log }) : { test: {}, live: {} },
  }
}
