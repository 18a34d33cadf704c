<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'collection.completed' $type
 * @property-read CompletedCollection $payload A collection that was paid once more, and the payment that did it.
 */
final class CollectionCompletedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => CompletedCollection::class,
    ];
}
