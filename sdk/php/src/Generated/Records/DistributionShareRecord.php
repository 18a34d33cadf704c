<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A share, and what it holds.
 *
 * @property-read string $id The share.
 * @property-read string $name Who it is for.
 * @property-read int|null $percentage_bps Basis points of what flat shares leave of a line.
 * @property-read int|null $flat_amount A flat amount for each unit sold.
 * @property-read PayoutDestinationRecord|null $destination
 * @property-read string|null $destination_changed_at When the destination was last named, changed or taken away; null: never since that is written down.
 * @property-read PayoutMaker|null $destination_changed_by
 * @property-read string|null $destination_usable_from From when on the share is paid out: a destination that is named or changed after the plan was made cools off as a beneficiary does.
 * @property-read int $accrued What it holds now.
 * @property-read int $settled What payouts have taken out, those in flight included.
 * @property-read bool $removed True once it is taken off the plan. It gets nothing more, and shows while money that came back is in it.
 */
final class DistributionShareRecord extends Record
{
    protected const SHAPES = [
        'destination' => PayoutDestinationRecord::class,
        'destination_changed_by' => PayoutMaker::class,
    ];
}
