<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Something that a move of the clock made due.
 *
 * @property-read string $task What was due.
 * @property-read string $subject The record it was about.
 * @property-read string $due_at When it was due.
 */
final class FiredTask extends Record
{
}
