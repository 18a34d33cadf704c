<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A record.
 *
 * @property-read string $currency The wallet.
 * @property-read int $fees All fees of the period: those of the statements.
 */
final class FeesReportTotal extends Record
{
}
