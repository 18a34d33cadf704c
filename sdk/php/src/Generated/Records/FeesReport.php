<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What a business paid in fees in a period. Amounts in minor units.
 *
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read string $time_zone Where its days begin and end.
 * @property-read string $from When the period began.
 * @property-read string $to When it ended: no longer part of it.
 * @property-read list<FeesReportTotal> $totals One for each wallet.
 * @property-read list<FeesReportLine> $lines By day or month, wallet, type and means.
 */
final class FeesReport extends Record
{
    protected const SHAPES = [
        'totals' => [FeesReportTotal::class],
        'lines' => [FeesReportLine::class],
    ];
}
