/**
 * What a module defines to take part in notifications: how it applies one about its records, and
 * whether it approves a transfer.
 */
import type { App } from '../../core/app.ts'
import type { Ctx } from '../../core/outside.ts'
import type { Id } from '../../lib/ids.ts'
import type { About, NotifiedKind, TransferAsked } from '../../rails/ports/inbound.ts'

/**
 * The result of querying a record. `again`: the provider gave no answer, so it must be queried
 * again. `quarantined`: the answer contradicts our record, and nothing was done.
 */
export type ApplyResult = 'applied' | 'nothing_to_do' | 'again' | 'quarantined'

export type RecordOwner = { businessId: Id; subject: Id }

/** Applies notifications about the records of a module. */
export type InboundApplier = {
  /** Queries the rail about a record, outside of a transaction, and applies the answer. */
  apply(ctx: Ctx, subject: Id, about: About & { rail: string; type?: string }): Promise<ApplyResult>
  /**
   * Finds a record that has no stored reference: a movement that the provider started, such as a
   * deposit, or an order whose id at the provider was lost. May query the rail.
   * @returns `again` when the rail gave no answer; null when the record has no owner yet
   */
  find?(
    app: App,
    about: About & { rail: string; livemode: boolean },
  ): Promise<RecordOwner | 'again' | null>
}

/**
 * Decides whether a provider may pay a record. Queries no provider, because one waits for the
 * answer.
 * @returns the objection, or null for a record of another module
 */
export type Approver = (
  ctx: Ctx,
  subject: Id,
  transfer: TransferAsked & { rail: string },
) => Promise<{ objection: string | null } | null>

declare module '../../core/app.ts' {
  interface Strategies {
    /** By the kind of record. A person must look at notifications of a kind without an applier. */
    inbound: Partial<Record<NotifiedKind, InboundApplier>>
    /** Of the modules whose records providers pay. */
    approvers: readonly Approver[]
  }
}

/**
 * Returns one applier for modules that share a kind of record.
 * @param appliers by the prefix of our reference
 * @param others the applier of any other reference
 */
export function applierByReference(
  appliers: Record<string, InboundApplier>,
  others: InboundApplier,
): InboundApplier {
  const applierOf = ({ reference }: About): InboundApplier =>
    Object.entries(appliers).find(([prefix]) => reference?.startsWith(prefix))?.[1] ?? others
  return {
    apply: (ctx, subject, about) => applierOf(about).apply(ctx, subject, about),
    find: async (app, about) => applierOf(about).find?.(app, about) ?? null,
  }
}
