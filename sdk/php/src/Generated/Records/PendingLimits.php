<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The limits once a change has taken effect that loosens them: in live mode it waits 24 hours, or until a second person confirms it. Null: none waits.
 *
 * @property-read string $id The change: another that loosens takes its place, under an id of its own.
 * @property-read PayoutMaker|null $made_by Who asked for it, and so cannot confirm it.
 * @property-read string $created_at When it was asked for.
 * @property-read string $takes_effect_at When it takes effect, unless it is confirmed or canceled before.
 * @property-read list<PendingPayoutLimit> $currencies One for each wallet.
 * @property-read int $approval_hours How long a payout waits for a second person before it is canceled and given back.
 * @property-read string $payouts_by_key Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any.
 * @property-read int $beneficiary_cooling_off_hours How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it.
 */
final class PendingLimits extends Record
{
    protected const SHAPES = [
        'made_by' => PayoutMaker::class,
        'currencies' => [PendingPayoutLimit::class],
    ];
}
