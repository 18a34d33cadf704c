<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'customer.erased' $type
 * @property-read ErasedCustomer $payload A customer of whom nothing personal is kept.
 */
final class CustomerErasedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => ErasedCustomer::class,
    ];
}
