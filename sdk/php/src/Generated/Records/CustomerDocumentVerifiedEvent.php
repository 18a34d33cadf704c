<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'customer.document.verified' $type
 * @property-read CustomerDocument $payload An identity document of a customer, with the customer’s metadata.
 */
final class CustomerDocumentVerifiedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => CustomerDocument::class,
    ];
}
