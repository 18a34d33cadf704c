/** The list of payouts and its search. */
import { localeOf, rangeOf } from '../../books/profiles/profiles.ts'
import type { Ctx } from '../../core/outside.ts'
import { type ListFilter, listPage, type Match, mapPage, type PageOf } from '../../db/lists/list.ts'
import {
  matchesOfText,
  matchId,
  matchParts,
  matchRecentAmount,
  matchReference,
  parseAmounts,
} from '../../db/lists/matches.ts'
import type { Static } from '../../lib/schema.ts'
import { undealt } from '../../platform/team/team.ts'
import { type Payout, toPayout } from './record.ts'
import type { PayoutQuery } from './schema.ts'
import { goesTo, type PayoutRow, payouts, selectByPart } from './sql.ts'

export async function list(ctx: Ctx, query: Static<typeof PayoutQuery>): Promise<PageOf<Payout>> {
  const page = await listPage<PayoutRow>(ctx, payouts, query, {
    facets: { currency: query.currency, method: query.method, status: query.status },
    // The index has only payouts that needed approval.
    filters: [
      [`approval <> 'none' and approval = ?`, query.approval],
      ['beneficiary_id = ?', query.beneficiary],
    ],
    ...(await rangeOf(ctx, query)),
    searches: [
      query.reference === undefined ? undefined : [matchReference(query.reference, 'payouts')],
      await matchesOfText(query.search, (text) => matchesOf(ctx, text)),
      query.amount === undefined ? undefined : [matchRecentAmount(query.amount)],
    ],
  })
  return mapPage(page, toPayout)
}

/**
 * Returns the newest payouts that failed, were returned, or were canceled because nobody approved
 * them in time, and that no person has dealt with. At most `limit` of each kind.
 */
export async function findTroubled(ctx: Ctx, limit: number): Promise<Payout[][]> {
  const of = async (narrowed: ListFilter): Promise<Payout[]> => {
    const page = await listPage<PayoutRow>(ctx, payouts, { limit }, { counted: false, ...narrowed })
    return page.docs.map(toPayout)
  }
  const where = undealt('payouts')
  return Promise.all([
    of({ where, facets: { status: 'failed' } }),
    of({ where, facets: { status: 'returned' } }),
    of({ where: `${where} and approval = 'refused' and approval_details->>'decided_by' is null` }),
  ])
}

/** Returns the matches of a search text. */
async function matchesOf(ctx: Ctx, text: string): Promise<Match[]> {
  return [
    matchReference(text, 'payouts'),
    matchId(text),
    { recent: goesTo, of: 'account_key', values: [text] },
    ...parseAmounts(text, await localeOf(ctx)).map(matchRecentAmount),
    await matchParts(text, (values) => ctx.rows(selectByPart, values)),
  ]
}
