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
 */
final class SettledShare extends Record
{
}
