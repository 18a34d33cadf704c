<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A share that was paid out.
 *
 * @property-read string $share The share.
 * @property-read string $payout The payout.
 * @property-read string $reference The payout’s reference.
 * @property-read int $amount What it takes out; the fee of the payout comes out of it.
 * @property-read PayoutDestinationRecord|null $destination
 * @property-read string|null $destination_changed_at When the destination was last named, changed or taken away; null: never since that is written down.
 * @property-read PayoutMaker|null $destination_changed_by
 * @property-read string|null $destination_usable_from From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary does.
 */
final class SettledShare extends Record
{
    protected const SHAPES = [
        'destination' => PayoutDestinationRecord::class,
        'destination_changed_by' => PayoutMaker::class,
    ];
}
