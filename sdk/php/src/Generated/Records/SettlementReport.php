<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What came from payers in a period. Amounts in minor units.
 *
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read string $time_zone Where its days begin and end.
 * @property-read string $from When the period began.
 * @property-read string $to When it ended: no longer part of it.
 * @property-read list<SettlementReportTotal> $totals One for each wallet.
 * @property-read list<SettlementReportLine> $lines By day or month, wallet and means.
 */
final class SettlementReport extends Record
{
    protected const SHAPES = [
        'totals' => [SettlementReportTotal::class],
        'lines' => [SettlementReportLine::class],
    ];
}
