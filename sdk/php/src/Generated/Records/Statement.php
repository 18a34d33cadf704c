<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A month of a business’s wallets. Amounts in minor units.
 *
 * @property-read string $month The month.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read string $business The name of the business.
 * @property-read string $time_zone Where the month begins and ends.
 * @property-read string $from When the month began.
 * @property-read string $to When it ended, or ends: no longer part of it.
 * @property-read bool $complete Whether the month is over. Until then the closing is what is held now.
 * @property-read list<WalletStatement> $wallets One for each wallet.
 */
final class Statement extends Record
{
    protected const SHAPES = [
        'wallets' => [WalletStatement::class],
    ];
}
