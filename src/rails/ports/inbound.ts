/**
 * The ports by which a provider notifies of something, or asks whether it may pay. They read, and
 * ask no provider.
 */
import { modeOf } from '../../lib/mode.ts'
import type { Currency } from '../../lib/money.ts'

/**
 * What a provider notifies of. `sent_back`: that it has sent a transfer of a wrong amount back
 * itself.
 */
export type NotifiedKind =
  | ('checkout' | 'deposit' | 'sent_back' | 'account' | 'payout' | 'refund')
  | ('identity' | 'dispute' | 'other')

/**
 * What a notification is about, by the names that both sides know. Either may be missing, as each
 * provider has it.
 */
export type About = {
  kind: NotifiedKind
  /** Ours, as it was sent. */
  reference: string | null
  providerId: string | null
}

/**
 * What a webhook of a provider is about: enough to ask about it, and nothing that is believed. It
 * has no place for an amount, a currency or a status: those come from the provider when it is
 * asked.
 */
export type InboundNotification = {
  /** What tells two deliveries of one event from two events. */
  key: string
  /** The provider's name of the event. */
  type: string
  about: About
  /**
   * The provider gives events no names, so that another event may have this key: after its end it
   * is applied again.
   */
  mayRepeat?: boolean
}

/** Reads the webhooks of an account. `verify` and `read` ask no provider. */
export type Inbound = {
  /** Whether the provider signed these bytes, with the secret of now or the one before. */
  verify(raw: Buffer, headers: Record<string, string | undefined>): boolean
  /**
   * Null for an event that says nothing to us. @throws {Error} when the body is not one of the
   * provider's
   */
  read(raw: Buffer): InboundNotification | null
  /**
   * What has happened between two times of which the provider may not have notified, as its
   * webhooks would have it: the keys are theirs. Asks the provider. Null when it did not answer.
   */
  missed?(from: Date, to: Date): Promise<InboundNotification[] | null>
}

/**
 * A transfer that a provider asks us to approve before it pays. Its fields are compared with what we
 * have sent.
 */
export type TransferToApprove = {
  reference: string
  amount: bigint
  currency: Currency
  accountNumber: string
  bankCode: string
}

/** Reads what an account asks before it pays. Asks no provider. */
export type Approvals = {
  /** The end of the address that is entered at the provider, which cannot be guessed. */
  token: string
  /**
   * Whether it comes from the provider: by its signature, or by the end of the address that it came
   * to.
   */
  verify(raw: Buffer, headers: Record<string, string | undefined>, token: string | null): boolean
  /**
   * @throws {Error} that says what is missing, without values, when the body does not say what is
   * to be paid
   */
  read(raw: Buffer): TransferToApprove
}

type Accounts = Record<string, { inbound?: Inbound; approvals?: Approvals }>
type RailsOf = Record<'test' | 'live', { accounts: Accounts }>

const accountOf = (
  rails: RailsOf,
  livemode: boolean,
  name: string,
): Accounts[string] | undefined => {
  const { accounts } = rails[modeOf(livemode)]
  return Object.hasOwn(accounts, name) ? accounts[name] : undefined
}

/**
 * The reader of an account's webhooks, or null where no account of the mode has the name, or it has
 * none.
 */
export const inboundOf = (rails: RailsOf, livemode: boolean, name: string): Inbound | null =>
  accountOf(rails, livemode, name)?.inbound ?? null

/** The reader of what an account asks before it pays; null as above. */
export const approvalsOf = (rails: RailsOf, livemode: boolean, name: string): Approvals | null =>
  accountOf(rails, livemode, name)?.approvals ?? null
