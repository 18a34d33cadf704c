<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What a settlement paid out.
 *
 * @property-read list<SettledShare> $payouts The payouts made.
 * @property-read list<SkippedShare> $skipped Shares that hold money and were not paid out.
 */
final class DistributionSettlement extends Record
{
    protected const SHAPES = [
        'payouts' => [SettledShare::class],
        'skipped' => [SkippedShare::class],
    ];
}
