<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'refund.review_opened' $type
 * @property-read Refund $payload Money on its way back to a payer. Amounts in minor units.
 */
final class RefundReviewOpenedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => Refund::class,
    ];
}
