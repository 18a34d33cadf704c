<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Screening holds it until a person of the operator’s has looked.
 *
 * @property-read string $reason `sanctions_list`: whom it goes to, or comes from, is on a list of sanctions; `block_list`: on the operator’s own.
 * @property-read string $since Since when it waits.
 */
final class ScreeningReview extends Record
{
}
