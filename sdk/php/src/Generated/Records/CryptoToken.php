<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A stablecoin and the networks it moves on.
 *
 * @property-read string $currency The token’s currency.
 * @property-read string $name Its name.
 * @property-read list<CryptoNetwork> $networks Where it moves.
 */
final class CryptoToken extends Record
{
    protected const SHAPES = [
        'networks' => [CryptoNetwork::class],
    ];
}
