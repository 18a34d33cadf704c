<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A part of the fee.
 *
 * @property-read string $type What for.
 * @property-read int $amount How much, in minor units of the wallet.
 */
final class PayoutFee extends Record
{
}
