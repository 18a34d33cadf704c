/**
 * The port by which a provider notifies of something. It reads, and asks nobody.
 */
import { modeOf } from '../lib/mode.ts'

/** What a provider notifies of. `sent_back`: that it has sent a transfer of a wrong amount back itself. */
export type NotifiedKind =
  | ('checkout' | 'deposit' | 'sent_back' | 'account' | 'payout' | 'refund')
  | ('identity' | 'dispute' | 'other')

/** What a notification is about, by the names that both sides know. Either may be missing, as each provider has it. */
export type About = {
  kind: NotifiedKind
  /** Ours, as it was sent. */
  reference: string | null
  providerId: string | null
}

/**
 * What a webhook of a provider is about: enough to ask about it, and nothing that is believed. It has no place for an amount, a currency
 * or a status: those come from the provider when it is asked.
 */
export type InboundNotification = {
  /** What tells two deliveries of one event from two events. */
  key: string
  /** The provider's name of the event. */
  type: string
  about: About
  /** The provider gives events no names, so that another event may have this key: after its end it is applied again. */
  mayRepeat?: boolean
}

/** Reads the webhooks of an account. `verify` and `read` ask nobody. */
export type Inbound = {
  /** Whether the provider signed these bytes, with the secret of now or the one before. */
  verify(raw: Buffer, headers: Record<string, string | undefined>): boolean
  /** Null for an event that says nothing to us. @throws {Error} when the body is not one of the provider's */
  read(raw: Buffer): InboundNotification | null
  /**
   * What has happened between two times of which the provider may not have notified, as its webhooks would have it: the keys are theirs.
   * Asks the provider. Null when it did not answer.
   */
  missed?(from: Date, to: Date): Promise<InboundNotification[] | null>
}

type Accounts = Record<string, { inbound?: Inbound }>

/** The reader of an account, or null where no account of the mode has the name, or it has none. */
export function inboundOf(
  rails: Record<'test' | 'live', { accounts: Accounts }>,
  livemode: boolean,
  name: string,
): Inbound | null {
  const { accounts } = rails[modeOf(livemode)]
  return (Object.hasOwn(accounts, name) && accounts[name]?.inbound) || null
}
