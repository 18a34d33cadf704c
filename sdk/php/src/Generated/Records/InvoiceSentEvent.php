<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'invoice.sent' $type
 * @property-read Invoice $payload A request for payment, with lines. Amounts in minor units.
 */
final class InvoiceSentEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => Invoice::class,
    ];
}
