<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What of a wallet goes to an account of your own, and when. Each run is an ordinary payout.
 *
 * @property-read string $id Unique id.
 * @property-read string $currency The wallet to pay from.
 * @property-read string $beneficiary Destination.
 * @property-read string $interval How often.
 * @property-read string|null $weekday On which day of the week; of `weekly` alone.
 * @property-read int|null $day On which day of the month; the last where it has fewer.
 * @property-read string $time When, on the clocks of your business’s time zone.
 * @property-read int $keep What stays in the wallet.
 * @property-read int $minimum The least that it pays.
 * @property-read int|null $maximum The most that a run pays.
 * @property-read string|null $description The description of each payout.
 * @property-read string $status `paused`: no run until it is `active` again.
 * @property-read string|null $paused_because Why the server has paused it: its beneficiary has changed. Null: a person has paused it.
 * @property-read PayoutMaker|null $made_by Who made it. Neither they nor who has changed it since can approve what it pays.
 * @property-read string|null $next_run_at When it runs next; null while it is paused.
 * @property-read list<string> $upcoming The next runs, as the rule and your time zone stand now; none while it is paused.
 * @property-read int|null $next_amount What a run would pay if it were due now, from what is available. Null: nothing.
 * @property-read string|null $next_skip Why a run would pay nothing if it were due now.
 * @property-read PayoutScheduleRun|null $last_run
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class PayoutSchedule extends Record
{
    protected const SHAPES = [
        'made_by' => PayoutMaker::class,
        'last_run' => PayoutScheduleRun::class,
        'metadata' => ['*' => null],
    ];
}
