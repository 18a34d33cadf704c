<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What a run of a payout schedule came to.
 *
 * @property-read string $id Unique id.
 * @property-read string $due_at When it was due.
 * @property-read int|null $amount Amount paid: the fee comes out of it. Null where nothing was.
 * @property-read string|null $payout The payout, or null.
 * @property-read string|null $reference Its reference.
 * @property-read string|null $code Why nothing was paid: `below_minimum`, `restored_from_backup`, or the code that the payout was refused with.
 * @property-read string|null $message The same as a sentence.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read string $created_at When it ran.
 */
final class PayoutScheduleRun extends Record
{
}
