<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The exact split of an amount.
 *
 * @property-read int $amount As asked.
 * @property-read int $quantity As asked.
 * @property-read list<DistributionPreviewShare> $shares In order.
 * @property-read int $rest What stays with the business, which bears the fee of the payment out of it.
 */
final class DistributionPreview extends Record
{
    protected const SHAPES = [
        'shares' => [DistributionPreviewShare::class],
    ];
}
