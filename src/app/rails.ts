/**
 * The rails that a server has: the sandbox's for test keys, the accounts at providers of
 * `RAILS_FILE`, and the networks that its operator has connected.
 */
import type { App } from '../core/app.ts'
import type { Database } from '../db/db.ts'
import { type Config, ConfigError } from '../lib/config.ts'
import { modeOf } from '../lib/mode.ts'
import { currencies } from '../lib/money.ts'
import { openIncident } from '../platform/incidents/incidents.ts'
import type {
  ConfiguredAccount,
  ConfiguredMode,
  RailsSettings,
} from '../rails/accounts/accounts.ts'
import { bridge } from '../rails/bridge/bridge.ts'
import { dojah } from '../rails/dojah/dojah.ts'
import { withTimeout } from '../rails/http/with-timeout.ts'
import { monnify } from '../rails/monnify/monnify.ts'
import { paystack } from '../rails/paystack/paystack.ts'
import type { Provider, ProviderParts } from '../rails/ports/provider.ts'
import type {
  Operation,
  RailAccount,
  Rails,
  Routes,
  SandboxAccount,
} from '../rails/ports/routes.ts'
import {
  sandboxAccounts,
  sandboxAddresses,
  sandboxHolderAccounts,
} from '../rails/sandbox/accounts.ts'
import { sandboxCards } from '../rails/sandbox/cards.ts'
import { sandboxLookups, sandboxRail } from '../rails/sandbox/sandbox.ts'
import { stripe } from '../rails/stripe/stripe.ts'

/** Every provider that a file of accounts can name. */
export const providers: readonly Provider[] = [paystack, bridge, dojah, stripe, monnify]

/** The rail for EVM networks with what it speaks to; null without EVM_FILE. */
export type Evm = Awaited<ReturnType<typeof loadEvm>>

/**
 * Its libraries take twenty megabytes, so only a server that speaks to EVM networks loads the rail.
 */
export async function loadEvm({ EVM_FILE: file }: Config) {
  if (file === null) return null
  const rail = await import('../rails/evm/evm.ts')
  return { rail, ...rail.openEvm(rail.readEvmFile(file)) }
}

/**
 * What pays on EVM networks, where no network of its mode is connected: a sentence for each
 * setting.
 */
export function unusedKeys(
  config: Config,
  evm: Pick<NonNullable<Evm>, 'settings'> | null,
): string[] {
  const { EVM_PAYOUT_KEY, EVM_MNEMONIC_FILE, EVM_TEST_PAYOUT_KEY, EVM_TEST_MNEMONIC_FILE } = config
  const keys = {
    live: { EVM_PAYOUT_KEY, EVM_MNEMONIC_FILE },
    test: { EVM_TEST_PAYOUT_KEY, EVM_TEST_MNEMONIC_FILE },
  }
  return (['live', 'test'] as const)
    .filter((mode) => !evm?.settings[mode])
    .flatMap((mode) => {
      const lack = evm ? `EVM_FILE has no '${mode}'` : 'EVM_FILE is not set'
      const given = Object.entries(keys[mode]).filter(([, value]) => value !== null)
      return given.map(
        ([name]) =>
          `${name} is given and not used: ${lack}, so no ${mode} payout goes to a network`,
      )
    })
}

/**
 * @param sandboxDb the sandbox stands for a company outside: it has its own connections, and never
 * waits for ours
 */
export function makeRails(
  evm: Evm,
  settings: RailsSettings,
  sandboxDb: Database,
  { db, clock, log, config }: Pick<App, 'db' | 'clock' | 'log' | 'config'>,
): Rails {
  const parts = { db, clock, log, host: new URL(config.BASE_URL ?? 'http://localhost').hostname }
  const payout = {
    ...withTimeout(sandboxRail(sandboxDb, config.SANDBOX_DELAY)),
    methods: ['card'] as const,
  }
  const sandbox: SandboxAccount = {
    name: 'sandbox',
    provider: 'sandbox',
    serves: '*',
    ports: {
      payout,
      lookup: withTimeout(sandboxLookups),
      bank_transfer: withTimeout(sandboxAccounts),
      account: withTimeout(sandboxHolderAccounts(config.SANDBOX_DELAY)),
    },
    refunds: payout,
    cards: withTimeout(sandboxCards(sandboxDb, config.SANDBOX_DELAY)),
    delayMs: config.SANDBOX_DELAY,
  }
  return {
    test: {
      accounts: { ...openAccounts(settings.test, parts), sandbox },
      routes: withSandbox(settings.test),
      sandbox,
      addresses: evm?.settings.test ? evm.rail.evmAddresses(evm.settings.test) : sandboxAddresses,
    },
    live: {
      accounts: openAccounts(settings.live, parts),
      routes: settings.live.routes,
      addresses: evm?.settings.live ? evm.rail.evmAddresses(evm.settings.live) : null,
    },
    chains: evm ? evm.rail.evmRails(evm, { db, clock, log }) : { test: {}, live: {} },
  }
}

/** The routes of test mode: the sandbox serves whom no account of the file does. */
function withSandbox({ accounts, routes }: ConfiguredMode): Routes {
  const operations: Operation[] = ['payout', 'lookup', 'card', 'bank_transfer', 'account']
  const servesAll = (name: string): boolean =>
    accounts.some(({ settings }) => settings.name === name && settings.serves === '*')
  return Object.fromEntries(
    operations.flatMap((operation) =>
      currencies.map((currency) => {
        const names = routes[`${operation}.${currency}`] ?? []
        return [`${operation}.${currency}`, names.some(servesAll) ? names : [...names, 'sandbox']]
      }),
    ),
  )
}

/** @throws {ConfigError} when a provider cannot open an account; no secret is shown */
function openAccounts(
  { accounts, routes }: ConfiguredMode,
  parts: Omit<ProviderParts, 'report'>,
): Record<string, RailAccount> {
  return Object.fromEntries(
    accounts.map((account) => {
      const { name, serves } = account.settings
      const opened = openAccount(account, { ...parts, report: reporterOf(account, parts) })
      for (const [route, names] of Object.entries(routes)) {
        const operation = route.split('.')[0] as Operation
        if (names.includes(name) && opened.ports[operation]?.name !== name)
          throw new Error(
            `${account.provider.name} opened '${name}' without a port of that name for ${operation}`,
          )
      }
      const ports = Object.fromEntries(
        Object.entries(opened.ports).map(([which, port]) => [which, withTimeout(port)]),
      )
      const refunds = opened.refunds && withTimeout(opened.refunds)
      return [
        name,
        {
          ...opened,
          name,
          provider: account.provider.name,
          serves,
          ports,
          ...(refunds ? { refunds } : {}),
        },
      ]
    }),
  )
}

/** Incidents that are being written. */
const reports = new Set<Promise<void>>()

/** Waits until every incident that accounts have reported is written, or could not be. */
export async function reportsWritten(): Promise<void> {
  await Promise.all(reports)
}

/** What an account finds that a person must look at is a row, and a line of the log. */
function reporterOf(
  { provider, settings: { name: rail, livemode } }: ConfiguredAccount,
  { db, clock, log }: Omit<ProviderParts, 'report'>,
): ProviderParts['report'] {
  return (kind, subject, sentence) => {
    log.error({ rail, livemode, kind, subject }, `${provider.name} needs a person: ${sentence}`)
    const report = openIncident(db, {
      livemode,
      rail,
      kind,
      subject,
      detail: { says: sentence },
      at: clock.now(),
    })
      .then(() => {})
      .catch((error: unknown) =>
        log.error({ err: error, rail, kind, subject }, 'an incident could not be written'),
      )
      .finally(() => reports.delete(report))
    reports.add(report)
  }
}

function openAccount({ provider, settings, secrets }: ConfiguredAccount, parts: ProviderParts) {
  try {
    return provider.open(settings as never, parts)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const said = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), error.message)
    throw new ConfigError(
      `RAILS_FILE: ${modeOf(settings.livemode)}.accounts.${settings.name}: ${said}`,
    )
  }
}
