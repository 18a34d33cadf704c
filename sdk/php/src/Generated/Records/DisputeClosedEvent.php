<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'dispute.closed' $type
 * @property-read Dispute $payload Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units.
 */
final class DisputeClosedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => Dispute::class,
    ];
}
