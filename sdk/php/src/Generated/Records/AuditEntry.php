<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Who changed what, from where, and when. Entries are never changed or deleted.
 *
 * @property-read string $id Unique id.
 * @property-read string $action What was done.
 * @property-read string $subject What it was done to: the id of a business, a key, a person, an invitation, a webhook endpoint, a customer, a payout, a refund, a payment, an invoice, an event, a beneficiary, a share of a distribution or a payout schedule.
 * @property-read AuditActor $actor Who did it.
 * @property-read string|null $address Where the request came from; null for commands.
 * @property-read array<string, mixed>|null $before
 * @property-read array<string, mixed>|null $after What it is now; null where something is gone.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read string $created_at When, by the server’s clock; the test clock does not move it.
 */
final class AuditEntry extends Record
{
    protected const SHAPES = [
        'actor' => AuditActor::class,
        'before' => ['*' => null],
        'after' => ['*' => null],
    ];
}
