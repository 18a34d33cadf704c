/**
 * What a provider is: a value that says which settings its accounts have in `RAILS_FILE`, and opens
 * one. It knows no domain, and no other provider; `app/rails.ts` has the table of all.
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

/** How the file says where a secret is. */
export const secretForm = '^(env:[A-Z][A-Z0-9_]*|file:.+)$'

/**
 * A setting that the file gives as `env:NAME` or `file:PATH`, and that `open` is given itself. It
 * is never shown.
 */
export const Secret = (description: string) =>
  Type.String({ pattern: secretForm, description, secret: true })

/** Whether a setting is one. */
export const isSecret = (setting: TSchema): boolean =>
  (setting as { secret?: boolean }).secret === true

/** An account as the file has it, checked. */
export type AccountSettings<Own> = {
  name: string
  livemode: boolean
  serves: RailAccount['serves']
  /** Where the provider is spoken to instead of its own host: in test mode only, else null. */
  baseUrl: string | null
  /**
   * The ways of paying that the provider's page offers, in its own words, by route; a route that is
   * not there has the provider's default.
   */
  channels: Partial<Record<RouteName, readonly string[]>>
  /** What leads to it. */
  routes: readonly RouteName[]
  /** What the provider alone has; its secrets are the secrets themselves. */
  own: Own
}

/** An optional setting that is an amount in minor units. */
export const OptionalAmount = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description }))

/** What a provider can find that a person must look at. */
type ReportedKind = 'quarantined' | 'otp_required' | 'needs_attention'

export type ProviderParts = {
  db: Database
  clock: Clock
  log: Log
  /** Of this server's own address. */
  host: string
  /**
   * Opens an incident, or counts that it was found again; waits for nothing.
   * @param subject the id or reference that it is about
   * @param sentence what was found, without names, numbers of accounts and secrets
   */
  report(kind: ReportedKind, subject: string, sentence: string): void
}

/** What the parts of a rail share: an account at its provider, and how to reach it. */
export type ProviderAccount<Client> = Pick<AccountSettings<never>, 'name' | 'livemode'> &
  Pick<ProviderParts, 'db' | 'clock' | 'log' | 'report'> & { client: Client }

export type SharedKey = { secret: string; part: string }

export type Provider = {
  name: string
  /** The settings of an account, beside those that every account has. */
  settings: TProperties
  /** What its accounts can be asked. */
  routes: readonly RouteName[]
  /**
   * Which secret of these settings another account may have as well, and which part of what it
   * opens they are for: two accounts of one key are two where they are for different parts.
   */
  sharedKey?(own: Record<string, unknown>): SharedKey
  /**
   * Opens an account: its ports, each with the account's name as its own. Asks no provider, and starts
   * nothing.
   * @throws {RangeError} a sentence that names the setting that cannot work, without its value
   * where it is a secret
   */
  open(account: AccountSettings<never>, parts: ProviderParts): Opened
}

/** What a provider makes of an account's settings. */
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

/** An account as a provider's `open` gets it: with the settings that the provider names, typed. */
export type SettingsOf<P extends TProperties> = AccountSettings<Static<TObject<P>>>

/** Returns a provider, whose `open` gets the settings that it names. */
export const defineProvider = <P extends TProperties>(
  provider: Omit<Provider, 'settings' | 'sharedKey' | 'open'> & {
    settings: P
    sharedKey?(own: Static<TObject<P>>): SharedKey
    open(account: SettingsOf<P>, parts: ProviderParts): Opened
  },
): Provider => provider as unknown as Provider
