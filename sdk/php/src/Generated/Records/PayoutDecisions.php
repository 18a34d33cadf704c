<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What became of payouts that were decided together.
 *
 * @property-read list<Payout> $decided The payouts that were decided, in the order of your list.
 * @property-read list<SkippedDecision> $skipped Those that stay as they were, and why.
 */
final class PayoutDecisions extends Record
{
    protected const SHAPES = [
        'decided' => [Payout::class],
        'skipped' => [SkippedDecision::class],
    ];
}
