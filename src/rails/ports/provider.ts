/**
 * A provider: the settings of its accounts in `RAILS_FILE`, and a function that opens one. It knows
 * neither the domain nor other providers; `app/rails.ts` lists all.
 */
import type { Database } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from '../../lib/schema.ts'
import type { RailAccount, RouteName } from './routes.ts'

/** How the file refers to a secret. */
export const secretForm = '^(env:[A-Z][A-Z0-9_]*|file:.+)$'

/**
 * A setting given as `env:NAME` or `file:PATH`; `open` gets the secret itself. It is never shown.
 */
export const Secret = (description: string) =>
  Type.String({ pattern: secretForm, description, secret: true })

/** Whether a setting is a secret. */
export const isSecret = (setting: TSchema): boolean =>
  (setting as { secret?: boolean }).secret === true

/** A validated account of the file. */
export type AccountSettings<Own> = {
  name: string
  livemode: boolean
  serves: RailAccount['serves']
  /** The provider's address instead of its own host: only in test mode, else null. */
  baseUrl: string | null
  /**
   * The payment channels of the provider's page, by its own names and by route; a missing route has
   * the provider's default.
   */
  channels: Partial<Record<RouteName, readonly string[]>>
  /** The routes to it. */
  routes: readonly RouteName[]
  /** The provider's own settings, with resolved secrets. */
  own: Own
}

/** An optional setting that is an amount in minor units. */
export const OptionalAmount = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description }))

/** Findings that a person must check. */
type ReportedKind = 'quarantined' | 'otp_required' | 'needs_attention'

export type ProviderParts = {
  db: Database
  clock: Clock
  log: Log
  /** The host of this server's own address. */
  host: string
  /**
   * Opens an incident, or counts a repeat; does not wait.
   * @param subject the id or reference that it concerns
   * @param sentence the finding, without names, account numbers and secrets
   */
  report(kind: ReportedKind, subject: string, sentence: string): void
}

/** The account at a provider that a rail's files share, and how to reach it. */
export type ProviderAccount<Client> = Pick<AccountSettings<never>, 'name' | 'livemode'> &
  Pick<ProviderParts, 'db' | 'clock' | 'log' | 'report'> & { client: Client }

export type SharedKey = { secret: string; part: string }

export type Provider = {
  name: string
  /** The provider's own account settings. */
  settings: TProperties
  /** The operations of its accounts. */
  routes: readonly RouteName[]
  /**
   * Returns the secret that another account may share, and the part of the opened account that it
   * is for: two accounts with one key must be for different parts.
   */
  sharedKey?(own: Record<string, unknown>): SharedKey
  /**
   * Opens an account: its ports, each named after the account. Calls no provider, and starts
   * nothing.
   * @throws {RangeError} a sentence that names the invalid setting, without the value of a secret
   */
  open(account: AccountSettings<never>, parts: ProviderParts): Opened
}

/** The result of opening an account. */
export type Opened = Pick<
  RailAccount,
  | 'ports'
  | 'refunds'
  | 'inbound'
  | 'approvals'
  | 'alertBelow'
  | 'statement'
  | 'disputes'
  | 'banks'
  | 'tasks'
  | 'assumptions'
> & {
  check: NonNullable<RailAccount['check']>
}

/** The account that a provider's `open` gets, with its own typed settings. */
export type SettingsOf<P extends TProperties> = AccountSettings<Static<TObject<P>>>

/** Defines a provider, whose `open` gets its own typed settings. */
export const defineProvider = <P extends TProperties>(
  provider: Omit<Provider, 'settings' | 'sharedKey' | 'open'> & {
    settings: P
    sharedKey?(own: Static<TObject<P>>): SharedKey
    open(account: SettingsOf<P>, parts: ProviderParts): Opened
  },
): Provider => provider as unknown as Provider
