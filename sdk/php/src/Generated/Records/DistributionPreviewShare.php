<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A share of the amount.
 *
 * @property-read string $id The share.
 * @property-read string $name Who it is for.
 * @property-read int $amount What it would get.
 */
final class DistributionPreviewShare extends Record
{
}
