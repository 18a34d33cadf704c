/**
 * Confirms a business's own accounts, by a person who has just shown a second factor. The API has
 * no operation for it, because a key is not a person.
 */
import { recordChange } from '../../books/audit/audit.ts'
import { update, type Work } from '../../core/inside.ts'
import { named, routesOf } from '../../core/route.ts'
import type { Id } from '../../lib/ids.ts'
import { requireFreshFactor, requireRightNow } from '../../platform/team/team.ts'
import { type Beneficiary, toBeneficiary } from './beneficiaries.ts'
import { beneficiaryRefusals, refuse } from './refusals.ts'
import { BeneficiaryParams, BeneficiaryRecord, ConfirmationIn } from './schema.ts'
import { beneficiaries, lockBeneficiary } from './sql.ts'

const route = routesOf('Payouts', beneficiaryRefusals)

/**
 * Confirms that a beneficiary is the business's own account. Idempotent.
 * @param seen the `updated_at` that the person saw, so that a later change is not confirmed
 * @throws {Refusal} `not_found`, `beneficiary_not_own`, `beneficiary_changed` (409),
 * `factor_needed`, `sign_in_again`, `scope_missing`
 */
export async function confirm(work: Work, id: string, seen: string): Promise<Beneficiary> {
  const { actor, now } = work.scope
  await requireRightNow(work, 'manage')
  requireFreshFactor(work.scope)
  const row =
    (await work.row(lockBeneficiary, [id])) ??
    refuse('not_found', `There is no beneficiary '${id}'.`)
  if (!row.own) refuse('beneficiary_not_own')
  if (row.confirmed_at) return toBeneficiary(work, row)
  if (row.updated_at.toISOString() !== seen)
    refuse('beneficiary_changed', 'The beneficiary was changed a moment ago: look at it first.')
  const confirmed_by = (actor as { id: Id }).id
  const after = await update(work, beneficiaries, row.id, {
    confirmed_at: now,
    confirmed_by,
    updated_at: now,
  })
  await recordChange(work, {
    action: 'beneficiary.confirmed',
    subject: row.id,
    before: { confirmed_at: null },
    after: { confirmed_at: now },
  })
  return toBeneficiary(work, after)
}

export const beneficiaryOperations = named({
  confirmBeneficiary: route.post('/beneficiaries/{id}/confirm', {
    scope: 'manage',
    personScope: 'limits',
    summary: 'Confirm an account of your own',
    schema: { params: BeneficiaryParams, body: ConfirmationIn, data: BeneficiaryRecord },
    refuses: ['beneficiary_not_own', 'beneficiary_changed'],
    message: 'Beneficiary confirmed',
    run: (work, { params, body }) => confirm(work, params.id, body.seen),
  }),
})
