<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A record.
 *
 * @property-read string $currency The wallet.
 * @property-read string $status Where they stand now.
 * @property-read string|null $failure_reason Why they failed, or came back.
 * @property-read string $method By what means.
 * @property-read int $count How many.
 * @property-read int $amount What they were made for, fee included.
 * @property-read int $fee What was charged for them: nothing, unless they completed.
 * @property-read int $net_amount What was sent: nothing, unless they completed.
 */
final class PayoutReportLine extends Record
{
}
