<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A record.
 *
 * @property-read string $currency The wallet.
 * @property-read int $opening What the wallet held when the month began, available and pending, without deposits that screening held.
 * @property-read int $in What came in, before fees.
 * @property-read int $out What left, without fees.
 * @property-read int $fees Fees, less those that were given back.
 * @property-read int $closing `opening` + `in` − `out` − `fees`: what the wallet held when the month ended. It is `opening` and each `balance_change` of the transactions that were completed in the month.
 * @property-read list<StatementActivity> $activity The same by what moved.
 */
final class WalletStatement extends Record
{
    protected const SHAPES = [
        'activity' => [StatementActivity::class],
    ];
}
