<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A record.
 *
 * @property-read string $type What moved: `deposit` is money from payers, of payments too; `dispute` what was held and taken for disputes; `conversion` what went to the other wallet, or came from it; `share` what distributions keep for others; `simulated_fund` test money.
 * @property-read int $in What came into the wallet, before fees.
 * @property-read int $out What left the wallet, without fees.
 * @property-read int $fees Fees, less those that were given back.
 */
final class StatementActivity extends Record
{
}
