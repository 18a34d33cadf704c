<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A record.
 *
 * @property-read string $type What it is for.
 * @property-read int $amount How much, in minor units.
 */
final class ConversionFee extends Record
{
}
