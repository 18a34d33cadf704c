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
 * @property-read string $code Why not: `no_destination`, `changed` just now, or the code a payout was refused with.
 * @property-read string $message What to do.
 */
final class SkippedShare extends Record
{
}
