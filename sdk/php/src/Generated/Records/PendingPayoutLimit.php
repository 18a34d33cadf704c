<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The limits of a wallet, once it has taken effect.
 *
 * @property-read string $currency The wallet.
 * @property-read int|null $approve_above Payouts of more than this wait for a second person, in minor units. Null: none does for its amount.
 * @property-read int|null $approve_above_daily Payouts wait that would bring what a day sends without approval above this, in minor units. Null: none does. A day is one of your business’s time zone.
 * @property-read int|null $refuse_above Payouts of more than this are refused, in minor units. Null: none is for its amount.
 * @property-read int|null $refuse_above_daily Payouts are refused that would bring what a day of UTC pays out, approved or not, above this, in minor units. Null: none is.
 * @property-read int|null $refuse_above_daily_count More payouts than this are refused in a day of UTC. Null: none is for how many there are.
 * @property-read int|null $destination_daily Payouts are refused that would bring what one destination (an account at a bank, or an address on any chain) is sent in a day of UTC above this, in minor units. Null: none is.
 * @property-read int|null $destination_daily_count More payouts than this to one destination are refused in a day of UTC. Null: none is for how many there are.
 */
final class PendingPayoutLimit extends Record
{
}
