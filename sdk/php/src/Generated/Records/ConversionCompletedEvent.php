<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'conversion.completed' $type
 * @property-read Conversion $payload Money that you moved from one wallet to the other. Amounts in minor units.
 */
final class ConversionCompletedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => Conversion::class,
    ];
}
