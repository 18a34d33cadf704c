<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A record.
 *
 * @property-read string $period The day, or the month.
 * @property-read string $currency The wallet.
 * @property-read string $type What they were charged for.
 * @property-read string $method By what means the money moved.
 * @property-read int $count How many were charged.
 * @property-read int $fees What they come to.
 */
final class FeesReportLine extends Record
{
}
