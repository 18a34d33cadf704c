import { IdText, Named, Nullable, OneOf, OpenObject, Timestamp, Type } from '../../lib/schema.ts'

/** Actions of the operator on businesses and the installation. */
export const operatorActions = Named('OperatorAuditAction', [
  'business.created',
  'business.status_changed',
  'business.plan_changed',
  'business.limits_changed',
  'dispute.money_decided',
  'exchange.limits_changed',
  'tier_limits.changed',
  'exchange_rate.decided',
  'operator_key.created',
  'operator_key.revoked',
  'incident.closed',
  'order.canceled',
  'order.failed',
  'order.paid',
  'document.approved',
  'document.rejected',
  'document.number_shown',
  'review.released',
  'review.refused',
  'screening_entry.created',
  'screening_entry.removed',
  'ledger_verification.started',
  'plan.created',
  'plan.version_added',
] as const)

/** The recorded actions. */
export const actions = Named('AuditAction', [
  ...operatorActions,
  'attention.dealt_with',
  'business.changed',
  'collection.canceled',
  'conversion.created',
  'customer.deleted',
  'dispute.accepted',
  'dispute.evidence_submitted',
  'invoice.deleted',
  'invoice.voided',
  'payment.canceled',
  'payout.created',
  'payout.canceled',
  'payout_batch.canceled',
  'refund.created',
  'business.test_data_emptied',
  'customer.erased',
  'limits.changed',
  'loosening.requested',
  'loosening.confirmed',
  'loosening.canceled',
  'beneficiary.created',
  'beneficiary.changed',
  'beneficiary.confirmed',
  'beneficiary.removed',
  'distribution.destination_changed',
  'payout_schedule.created',
  'payout_schedule.changed',
  'payout_schedule.removed',
  'payout.approved',
  'payout.refused',
  'key.created',
  'key.rolled',
  'key.revoked',
  'key.scopes_changed',
  'invitation.created',
  'invitation.revoked',
  'person.joined',
  'person.role_changed',
  'person.removed',
  'person.password_changed',
  'person.passkey_added',
  'person.passkey_removed',
  'person.second_factor_added',
  'person.second_factor_removed',
  'person.second_factor_refused',
  'team.second_factor_required',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.secret_rolled',
] as const)
const actorTypes = Named('AuditActorType', ['key', 'person', 'operator'] as const)

const Part = (description: string) => Nullable(OpenObject('AuditFields', description))

export const AuditRecord = Type.Object(
  {
    id: IdText('Unique id.'),
    action: OneOf(actions, { description: 'What was done.' }),
    subject: IdText(
      'What it was done to: the id of a business, a key, a person, an invitation, a webhook endpoint, a customer, a payout, a refund, a payment, an invoice, an event, a beneficiary, a share of a distribution or a payout schedule.',
    ),
    actor: Type.Object(
      {
        type: OneOf(actorTypes, {
          description:
            '`key`: a request with an API key; `person`: a signed-in person; `operator`: a key of the operator, or a command on the server’s machine.',
        }),
        id: Nullable(IdText('The key, or the person.')),
        hint: Nullable(
          Type.String({
            description: 'How to recognise the key, or the email address of the person.',
            examples: ['sk_live_…x7Qd'],
          }),
        ),
      },
      { title: 'AuditActor', description: 'Who did it.' },
    ),
    address: Nullable(
      Type.String({ description: 'Where the request came from; null for commands.' }),
    ),
    before: Part(
      'What the change replaced: of a change, the fields that differ; null where something was made.',
    ),
    after: Part('What it is now; null where something is gone.'),
    livemode: Type.Boolean({ description: '`true` for live keys, `false` for test keys.' }),
    created_at: Timestamp('When, by the server’s clock; the test clock does not move it.'),
  },
  {
    title: 'AuditEntry',
    description: 'Who changed what, from where, and when. Entries are never changed or deleted.',
  },
)
