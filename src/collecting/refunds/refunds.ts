/**
 * Refunds return money to payers. The amount is held in the wallet from the start; a job sends the
 * refund to its rail and applies the rail's answers.
 */
import { localeOf, rangeOf } from '../../books/profiles/profiles.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { listPage, type Match, mapPage, type PageOf } from '../../db/lists/list.ts'
import {
  matchAmount,
  matchEmail,
  matchesOfText,
  matchId,
  matchParts,
  matchReference,
  parseAmounts,
} from '../../db/lists/matches.ts'
import type { Id } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { undealt } from '../../platform/team/team.ts'
import { ofCustomersNamed, ofCustomersWith } from '../customers/customers.ts'
import { find, type Refund, toRefund } from './record.ts'
import type { RefundQuery } from './schema.ts'
import { type RefundRow, refunds, selectByPart } from './sql.ts'

export { create, type NewRefund, prepare, reversals } from './creation.ts'
export { payoutReference } from './record.ts'

/** Follows refunds of an invoice's payment, inside the transaction of each change. */
export type RefundFollower = {
  /** A refund is about to hold its amount in the wallet; the payment counts it already. */
  starting?(work: Work, refund: RefundRow): Promise<void>
  /** The refund reached the payer. Called last: nothing is posted after it. */
  completed?(work: Work, refund: RefundRow): Promise<void>
  /** The refund failed, or came back after it had completed. Its amount is back in the wallet. */
  failed(work: Work, refund: RefundRow): Promise<void>
}

declare module '../../core/app.ts' {
  interface Strategies {
    refunds: readonly RefundFollower[]
    /**
     * Returns the disputed amounts of a payment, which are not refunded as well: in minor units, by
     * the transactions that booked the money.
     */
    disputed(view: View, payment: Id): Promise<ReadonlyMap<Id, bigint>>
  }
}

/** @throws {Refusal} `not_found` */
export async function get(ctx: Ctx, id: string): Promise<Refund> {
  return toRefund(await find(ctx, id))
}

/** Lists refunds, newest first. */
export async function list(ctx: Ctx, query: Static<typeof RefundQuery>): Promise<PageOf<Refund>> {
  const page = await listPage<RefundRow>(ctx, refunds, query, {
    facets: { status: query.status },
    filters: [['payment_id = ?', query.payment]],
    ...(await rangeOf(ctx, query)),
    searches: [
      query.reference === undefined ? undefined : [matchReference(query.reference, 'refunds')],
      query.email === undefined
        ? undefined
        : [matchEmail(query.email), await ofCustomersWith(ctx, query.email)],
      await matchesOfText(query.search, (text) => matchesOf(ctx, text)),
      query.amount === undefined ? undefined : [matchAmount([query.amount])],
    ],
  })
  return mapPage(page, toRefund)
}

/** Returns the newest failed refunds that no person has dealt with. */
export async function findFailed(ctx: Ctx, limit: number): Promise<Refund[]> {
  const page = await listPage<RefundRow>(
    ctx,
    refunds,
    { limit },
    { counted: false, where: undealt('refunds'), facets: { status: 'failed' } },
  )
  return page.docs.map(toRefund)
}

/** Returns the fields of a refund that a typed search text may match. */
async function matchesOf(ctx: Ctx, text: string): Promise<Match[]> {
  return [
    matchReference(text, 'refunds'),
    matchId(text),
    matchId(text, 'payment_id'),
    matchEmail(text),
    await ofCustomersNamed(ctx, text),
    matchAmount(parseAmounts(text, await localeOf(ctx))),
    await matchParts(text, (values) => ctx.rows(selectByPart, values)),
  ]
}
