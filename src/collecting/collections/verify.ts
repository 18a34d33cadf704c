import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'

/** Changed collections, and collections of changed payments; all payments of each are counted. */
const counted = ({ changed }: Reach): string =>
  `select business_id, livemode, id from ${changed('collections')} c
   union select business_id, livemode, collection_id from ${changed('payments')} p where collection_id is not null`

/** A collection's counters must be the sums of its payments. */
export const collectionChecks: Check[] = [
  {
    name: 'every collection counts its payments',
    text: (reach) => `
      select c.business_id, c.livemode, 'collection ' || c.id as what,
             concat_ws(' / ', p.count, p.amount, p.held) as expected,
             concat_ws(' / ', c.payments_count, c.amount_collected, c.places_held) as found
        from ${reach.of('collections', 'id', counted(reach))} c
       cross join lateral (
             select count(*) filter (where status = 'completed') as count,
                    coalesce(sum(amount_counted) filter (where status = 'completed'), 0) as amount,
                    count(*) filter (where status = 'pending' and begun) as held
               from payments
              where business_id = c.business_id and livemode = c.livemode and collection_id = c.id) p
       where c.payments_count <> p.count or c.amount_collected <> p.amount or c.places_held <> p.held`,
  },
]
