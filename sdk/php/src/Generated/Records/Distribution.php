<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A plan that shares what products sell for.
 *
 * @property-read string $id Unique id.
 * @property-read string $name Only your team sees it.
 * @property-read string $currency The currency of the products it is for.
 * @property-read bool $active Whether it splits what is paid, and products can name it.
 * @property-read string $settlement_currency What shares accrue in: `usd` for `eur`, which is collected in usd.
 * @property-read list<DistributionShareRecord> $shares The shares, in order; then those that were taken off.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Distribution extends Record
{
    protected const SHAPES = [
        'shares' => [DistributionShareRecord::class],
        'metadata' => ['*' => null],
    ];
}
