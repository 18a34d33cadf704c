<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

/**
 * A record.
 *
 * @property-read string $id The event: the same for each try, and for each of your endpoints.
 * @property-read string $timestamp When it happened.
 * @property-read 'virtual_account.deposit' $type
 * @property-read Transaction $payload Money in or out of a wallet. Amounts in minor units.
 */
final class VirtualAccountDepositEvent extends AnyEvent
{
    protected const SHAPES = [
        'payload' => Transaction::class,
    ];
}
