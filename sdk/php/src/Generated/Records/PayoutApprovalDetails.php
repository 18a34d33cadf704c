<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Why it needs a second person, and what became of that.
 *
 * @property-read list<string> $reasons Why it waits. `payout_limit`: it is above what one payout may be; `daily_limit`: the day would send too much.
 * @property-read PayoutMaker|null $made_by Who made the payout, and so cannot approve it.
 * @property-read string $until Until when it waits: then it is canceled and given back.
 * @property-read PayoutMaker|null $decided_by Who approved it, refused it, or canceled it while it waited; null while it waits, and after the time limit decided.
 * @property-read string|null $decided_at When.
 */
final class PayoutApprovalDetails extends Record
{
    protected const SHAPES = [
        'made_by' => PayoutMaker::class,
        'decided_by' => PayoutMaker::class,
    ];
}
