<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The limits of a wallet.
 *
 * @property-read string $currency The wallet.
 * @property-read int|null $approve_above Payouts of more than this wait for a second person, in minor units. Null: none does for its amount.
 * @property-read int|null $approve_above_daily Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of your business’s time zone.
 * @property-read int|null $max_payout The operator of the installation lets no payout of more than this out, in minor units. Null: it says nothing of that.
 * @property-read int|null $max_daily The operator lets no more than this out in a day of UTC, in minor units, whoever has approved it. Null: it says nothing of that.
 * @property-read int $sent_today What was paid out today without approval, less what failed or was canceled. Counted where a day is limited.
 * @property-read string|null $day_ends_at When a new day begins to be counted.
 */
final class PayoutLimit extends Record
{
}
