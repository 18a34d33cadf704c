import type { Check } from '../../core/module.ts'
import type { Reach } from '../../db/lists/reach.ts'
import type { ReviewKind } from './schema.ts'

/**
 * Checks that every held record, and no other, has a pending review.
 * @param held the records of the kind, of which those with a `review` are held: a table or a part
 * of one
 */
export const heldWaitsForPerson = (kind: ReviewKind, held: (reach: Reach) => string): Check => ({
  name: `every ${kind} that screening holds waits for a person`,
  text: (reach) => `
    select coalesce(o.business_id, r.business_id) as business_id, coalesce(o.livemode, r.livemode) as livemode, '${kind} ' || coalesce(o.id, r.subject) as what,
           case when o.review is null then 'no review' else 'a review' end as expected,
           coalesce(r.status, 'no review') as found
      from (select * from ${held(reach)} h where review is not null) o
      full join (select * from screening_reviews where status = 'waiting' and kind = '${kind}') r
        on r.business_id = o.business_id and r.livemode = o.livemode and r.subject = o.id
     where o.id is null or r.id is null`,
})
