<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'payout.review_opened' $type
 * @property-read Payout $payload Money on its way out of a wallet.
 */
final class PayoutReviewOpenedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => Payout::class,
    ];
}
