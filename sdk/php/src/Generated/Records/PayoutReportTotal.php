<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A record.
 *
 * @property-read string $currency The wallet.
 * @property-read int $count How many.
 * @property-read int $amount What they were made for, fee included.
 * @property-read int $fee What was charged for them: nothing, unless they completed.
 * @property-read int $net_amount What was sent: nothing, unless they completed.
 */
final class PayoutReportTotal extends Record
{
}
