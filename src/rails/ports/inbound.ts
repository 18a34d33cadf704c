/**
 * The ports for a provider's webhooks and its requests for approval. They only read, and call no
 * provider.
 */
import { modeOf } from '../../lib/mode.ts'
import type { Currency } from '../../lib/money.ts'

/**
 * The kind of a notification. `sent_back`: the provider returned a transfer of a wrong amount
 * itself.
 */
export type NotifiedKind =
  | ('checkout' | 'deposit' | 'sent_back' | 'account' | 'payout' | 'refund')
  | ('identity' | 'dispute' | 'other')

/** The subject of a notification, by names that both sides know. Either may be missing. */
export type About = {
  kind: NotifiedKind
  /** Our reference, as it was sent. */
  reference: string | null
  providerId: string | null
}

/**
 * The subject of a webhook: enough to query it. It has no amount, currency or status, because those
 * come only from the provider's answer to a query.
 */
export type InboundNotification = {
  /** The deduplication key: equal for two deliveries of one event. */
  key: string
  /** The provider's name of the event type. */
  type: string
  about: About
  /**
   * The provider's events have no ids, so another event may have this key: after the first has been
   * applied, a repeat is applied again.
   */
  mayRepeat?: boolean
}

/** Reads the webhooks of an account. `verify` and `read` call no provider. */
export type Inbound = {
  /** Whether the provider signed these bytes with the current or the previous secret. */
  verify(raw: Buffer, headers: Record<string, string | undefined>): boolean
  /**
   * Returns null for an event without meaning here. @throws {Error} when the body is not from the
   * provider
   */
  read(raw: Buffer): InboundNotification | null
  /**
   * Returns events between two times whose webhooks may be missing, with the keys that their
   * webhooks have. Queries the provider. Null if it did not answer.
   */
  missed?(from: Date, to: Date): Promise<InboundNotification[] | null>
}

/** A transfer that a provider asks us to approve. Its fields are compared with our order. */
export type TransferToApprove = {
  reference: string
  amount: bigint
  currency: Currency
  accountNumber: string
  bankCode: string
}

/** Reads an account's approval requests. Calls no provider. */
export type Approvals = {
  /** The unguessable end of the URL that is configured at the provider. */
  token: string
  /** Whether the request is from the provider: by its signature, or by the end of the URL. */
  verify(raw: Buffer, headers: Record<string, string | undefined>, token: string | null): boolean
  /** @throws {Error} that names the missing fields, without values */
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
 * Returns the reader of an account's webhooks; null if the mode has no account of the name, or it
 * has no webhooks.
 */
export const inboundOf = (rails: RailsOf, livemode: boolean, name: string): Inbound | null =>
  accountOf(rails, livemode, name)?.inbound ?? null

/** Returns the reader of an account's approval requests; null as above. */
export const approvalsOf = (rails: RailsOf, livemode: boolean, name: string): Approvals | null =>
  accountOf(rails, livemode, name)?.approvals ?? null
