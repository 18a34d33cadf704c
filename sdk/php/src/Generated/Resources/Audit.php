<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\AuditEntry;

final class Audit
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List who changed what.
     *
     * The audit log of the key’s mode, newest first: keys, webhook endpoints, limits, the team and the business’s profile, changed by requests, by people and by the operator’s commands. Needs a key with the scope `manage`.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     action?: 'business.created'|'business.status_changed'|'business.plan_changed'|'business.limits_changed'|'dispute.money_decided'|'exchange.limits_changed'|'tier_limits.changed'|'exchange_rate.decided'|'operator_key.created'|'operator_key.revoked'|'incident.closed'|'order.canceled'|'order.failed'|'order.paid'|'document.approved'|'document.rejected'|'document.number_shown'|'review.released'|'review.refused'|'screening_entry.created'|'screening_entry.removed'|'ledger_verification.started'|'plan.created'|'plan.version_added'|'attention.dealt_with'|'business.changed'|'collection.canceled'|'conversion.created'|'customer.deleted'|'dispute.accepted'|'dispute.evidence_submitted'|'invoice.deleted'|'invoice.voided'|'payment.canceled'|'payout.created'|'payout.canceled'|'payout_batch.canceled'|'refund.created'|'business.test_data_emptied'|'customer.erased'|'limits.changed'|'loosening.requested'|'loosening.confirmed'|'loosening.canceled'|'beneficiary.created'|'beneficiary.changed'|'beneficiary.confirmed'|'beneficiary.removed'|'distribution.destination_changed'|'payout_schedule.created'|'payout_schedule.changed'|'payout_schedule.removed'|'payout.approved'|'payout.refused'|'key.created'|'key.rolled'|'key.revoked'|'key.scopes_changed'|'invitation.created'|'invitation.revoked'|'person.joined'|'person.role_changed'|'person.removed'|'person.password_changed'|'person.passkey_added'|'person.passkey_removed'|'person.second_factor_added'|'person.second_factor_removed'|'person.second_factor_refused'|'team.second_factor_required'|'webhook.created'|'webhook.changed'|'webhook.deleted'|'webhook.secret_rolled',
     *     actor?: string,
     *     from?: string,
     *     to?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `action`: Only this action.
     *   `actor`: Only what this key or this person did.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<AuditEntry>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listAuditEntries'), [], $query, null, $options);
    }

    /**
     * Export audit entries as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     action?: 'business.created'|'business.status_changed'|'business.plan_changed'|'business.limits_changed'|'dispute.money_decided'|'exchange.limits_changed'|'tier_limits.changed'|'exchange_rate.decided'|'operator_key.created'|'operator_key.revoked'|'incident.closed'|'order.canceled'|'order.failed'|'order.paid'|'document.approved'|'document.rejected'|'document.number_shown'|'review.released'|'review.refused'|'screening_entry.created'|'screening_entry.removed'|'ledger_verification.started'|'plan.created'|'plan.version_added'|'attention.dealt_with'|'business.changed'|'collection.canceled'|'conversion.created'|'customer.deleted'|'dispute.accepted'|'dispute.evidence_submitted'|'invoice.deleted'|'invoice.voided'|'payment.canceled'|'payout.created'|'payout.canceled'|'payout_batch.canceled'|'refund.created'|'business.test_data_emptied'|'customer.erased'|'limits.changed'|'loosening.requested'|'loosening.confirmed'|'loosening.canceled'|'beneficiary.created'|'beneficiary.changed'|'beneficiary.confirmed'|'beneficiary.removed'|'distribution.destination_changed'|'payout_schedule.created'|'payout_schedule.changed'|'payout_schedule.removed'|'payout.approved'|'payout.refused'|'key.created'|'key.rolled'|'key.revoked'|'key.scopes_changed'|'invitation.created'|'invitation.revoked'|'person.joined'|'person.role_changed'|'person.removed'|'person.password_changed'|'person.passkey_added'|'person.passkey_removed'|'person.second_factor_added'|'person.second_factor_removed'|'person.second_factor_refused'|'team.second_factor_required'|'webhook.created'|'webhook.changed'|'webhook.deleted'|'webhook.secret_rolled',
     *     actor?: string,
     *     from?: string,
     *     to?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `action`: Only this action.
     *   `actor`: Only what this key or this person did.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportAuditEntries'), [], $query, null, $options);
    }
}
