<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A payout that stays as it was.
 *
 * @property-read string $reference Your reference.
 * @property-read string $code Why not: the code that it would be refused with alone.
 * @property-read string $message The same in words.
 */
final class SkippedDecision extends Record
{
}
