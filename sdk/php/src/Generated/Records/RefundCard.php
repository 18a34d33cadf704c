<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The card that the money goes back to.
 *
 * @property-read string|null $brand Its brand; null: its rail does not say.
 * @property-read string|null $last4 Its last digits.
 */
final class RefundCard extends Record
{
}
