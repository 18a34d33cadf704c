<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What became of the payouts that were made in a period. Amounts in minor units.
 *
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read string $time_zone Where its days begin and end.
 * @property-read string $from When the period began.
 * @property-read string $to When it ended: no longer part of it.
 * @property-read list<PayoutReportTotal> $totals One for each wallet.
 * @property-read list<PayoutReportLine> $lines By wallet, status, reason and means.
 */
final class PayoutReport extends Record
{
    protected const SHAPES = [
        'totals' => [PayoutReportTotal::class],
        'lines' => [PayoutReportLine::class],
    ];
}
