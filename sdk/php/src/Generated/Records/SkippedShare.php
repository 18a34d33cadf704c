<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A share that was not paid out.
 *
 * @property-read string $share The share.
 * @property-read int $amount What it holds.
 * @property-read string $code Why not: `no_destination`, `destination_cooling_off` until the time that `destination_usable_from` says, `changed` just now, or the code a payout was refused with.
 * @property-read string $message What to do.
 * @property-read PayoutDestinationRecord|null $destination
 * @property-read string|null $destination_changed_at When the destination was last named, changed or taken away; null: never since that is written down.
 * @property-read PayoutMaker|null $destination_changed_by
 * @property-read string|null $destination_usable_from From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary does.
 */
final class SkippedShare extends Record
{
    protected const SHAPES = [
        'destination' => PayoutDestinationRecord::class,
        'destination_changed_by' => PayoutMaker::class,
    ];
}
