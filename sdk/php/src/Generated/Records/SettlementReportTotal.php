<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A record.
 *
 * @property-read string $currency The wallet.
 * @property-read int $gross What payers paid.
 * @property-read int $fees What was kept of it as fees.
 * @property-read int $net What reached the wallet.
 */
final class SettlementReportTotal extends Record
{
}
