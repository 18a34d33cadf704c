<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * How often a rule of limits fired.
 *
 * @property-read string $rule The rule: the name of the limit.
 * @property-read string $meaning What happened when it fired.
 * @property-read int $today How often it fired in this day of UTC.
 * @property-read int $last_7_days How often in seven days of UTC, this one with them.
 * @property-read int $last_30_days How often in thirty.
 * @property-read string|null $last_fired_at When it fired last, in these thirty days. Null: it did not.
 */
final class FiredRule extends Record
{
}
