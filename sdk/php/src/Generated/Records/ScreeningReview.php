<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Screening holds it until a person of the operator’s has looked.
 *
 * @property-read string $reason `sanctions_list`: whom it goes to, or comes from, is on a list of sanctions; `block_list`: on the operator’s own; `customer_limit`: a deposit is above what the operator lets a customer of its identity tier send.
 * @property-read string $since Since when it waits.
 */
final class ScreeningReview extends Record
{
}
