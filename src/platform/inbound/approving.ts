/** Decides whether a provider may pay the transfer that it asks about. */
import type { App } from '../../core/app.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import type { Approvals, TransferAsked } from '../../rails/ports/inbound.ts'
import { openIncident } from '../incidents/incidents.ts'
import type { RecordOwner } from './appliers.ts'
import { findOwner } from './references.ts'
import { longestName } from './sql.ts'

type ApprovalRequest = { rail: string; livemode: boolean; raw: Buffer; approvals: Approvals }

/**
 * Approves a transfer that we are paying now, exactly as the provider describes it. Opens an
 * incident for any other.
 * @throws {Error} when that cannot be decided, so the transfer is not approved
 */
export async function decideApproval(
  app: App,
  { rail, livemode, raw, approvals }: ApprovalRequest,
): Promise<boolean> {
  const at = app.clock.now()
  const incident = { livemode, rail, kind: 'approval_refused', at } as const
  const transfer = parseTransfer(approvals, raw)
  if ('why' in transfer) {
    await openIncident(app.db, { ...incident, detail: { ...transfer, bytes: raw.length } })
    return false
  }
  const { reference, amount, currency, accountNumber } = transfer
  const owner = await findOwner(app, {
    kind: 'payout',
    reference,
    providerId: null,
    rail,
    livemode,
  })
  if (owner === 'again') throw new Error('the owner of the payment cannot be determined now')
  const why = await findObjection(app, owner, { ...transfer, rail, livemode })
  app.log.info({ rail, livemode, reference, why }, 'a provider asked whether it may pay')
  if (why === null) return true
  await openIncident(app.db, {
    ...incident,
    subject: reference,
    ...(owner === null ? {} : { businessId: owner.businessId }),
    detail: { why, reference, amount, currency, account: `XXXXXX${accountNumber.slice(-4)}` },
  })
  return false
}

/** Returns the transfer, or why the request cannot be read. */
function parseTransfer(approvals: Approvals, raw: Buffer): TransferAsked | { why: string } {
  try {
    const transfer = approvals.read(raw)
    if (transfer.reference.includes('\u0000') || transfer.reference.length > longestName)
      throw new Error('its reference is none of ours')
    return transfer
  } catch (error) {
    return { why: `what is asked about cannot be read: ${(error as Error).message}` }
  }
}

const unknownReference = 'nothing here has this reference'

async function findObjection(
  app: App,
  owner: RecordOwner | null,
  transfer: TransferAsked & { rail: string; livemode: boolean },
): Promise<string | null> {
  if (owner === null) return unknownReference
  const ctx = outside(app, await scopeOf(app, owner.businessId, transfer.livemode))
  for (const approver of app.strategies.approvers) {
    const decision = await approver(ctx, owner.subject, transfer)
    if (decision !== null) return decision.objection
  }
  return unknownReference
}
