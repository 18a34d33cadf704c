<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'distribution.destination_changed' $type
 * @property-read Distribution $payload A plan that shares what products sell for.
 */
final class DistributionDestinationChangedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => Distribution::class,
    ];
}
