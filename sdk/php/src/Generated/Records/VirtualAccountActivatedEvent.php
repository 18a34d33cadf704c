<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'virtual_account.activated' $type
 * @property-read VirtualAccount $payload A bank account that money can be sent to.
 */
final class VirtualAccountActivatedEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => VirtualAccount::class,
    ];
}
