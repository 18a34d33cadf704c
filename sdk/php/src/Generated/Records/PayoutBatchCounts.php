<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * How many lines stand where.
 *
 * @property-read int $lines All lines.
 * @property-read int $waiting Those whose payout is to be made.
 * @property-read int $bad Those that could not be paid when the batch was checked.
 * @property-read int $created Those that have their payout.
 * @property-read int $refused Those that were refused when their payout was to be made.
 * @property-read int $canceled Those that were canceled before.
 */
final class PayoutBatchCounts extends Record
{
}
