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
 * @property-read int|null $refuse_above Payouts of more than this are refused, in minor units. Null: none is for its amount.
 * @property-read int|null $refuse_above_daily Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is.
 * @property-read int|null $refuse_above_daily_count More payouts than this are refused in a day of UTC. Null: none is for how many there are.
 * @property-read int|null $destination_daily Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of UTC above this, in minor units. Null: none is.
 * @property-read int|null $destination_daily_count More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are.
 * @property-read int|null $max_payout The operator refuses payouts of more than this, in minor units. Null: no limit.
 * @property-read int|null $max_daily The operator allows at most this much in a UTC day, in minor units, approved payouts included. Null: no limit.
 * @property-read int|null $max_daily_count The operator allows at most this many payouts in a UTC day. Null: no limit.
 * @property-read int|null $max_destination_daily The operator allows at most this much to one destination in a UTC day, in minor units. Null: no limit.
 * @property-read int|null $max_destination_daily_count The operator allows at most this many payouts to one destination in a UTC day. Null: no limit.
 * @property-read int $sent_today Amount paid out today without approval, less what failed or was canceled. Counted where a day is limited.
 * @property-read string|null $day_ends_at When a new day of your time zone begins to be counted.
 * @property-read int|null $paid_out_today Amount paid out in this day of UTC, less what failed or was canceled. Null: nothing is refused by day.
 * @property-read int|null $payouts_today How many payouts that were, less those that failed or were canceled.
 * @property-read string|null $utc_day_ends_at When a new day of UTC begins to be counted.
 */
final class PayoutLimit extends Record
{
}
