<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'payment.expired' $type
 * @property-read Payment $payload A one-time checkout. Amounts in minor units.
 */
final class PaymentExpiredEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => Payment::class,
    ];
}
