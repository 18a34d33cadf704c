<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What is sold at a rate.
 *
 * @property-read int $rate_bps The rate, in hundredths of a percent.
 * @property-read int $net What it is of, without the tax.
 * @property-read int $tax The tax.
 */
final class TaxByRate extends Record
{
}
