<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Something that looks odd.
 *
 * @property-read string $code Stable.
 * @property-read string $message What to look at.
 */
final class Warning extends Record
{
}
