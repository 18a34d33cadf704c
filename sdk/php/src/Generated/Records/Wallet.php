<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What the business holds in one currency. Amounts in minor units.
 *
 * @property-read string $id Unique id.
 * @property-read string $currency The currency.
 * @property-read int $available What can be spent.
 * @property-read int $pending What is held but cannot be spent yet: payouts and refunds in flight.
 * @property-read int $total `available` + `pending`.
 * @property-read int $decimals Digits after the decimal point of a major unit.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Wallet extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
    ];
}
