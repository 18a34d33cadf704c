<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The time of a business’s test mode.
 *
 * @property-read string $now The time of this business’s test mode.
 * @property-read int $offset_ms How far it runs ahead of the machine, in milliseconds.
 * @property-read bool $livemode Always `false`: live time cannot be moved.
 * @property-read list<FiredTask> $fired What this move made due.
 */
final class TestClock extends Record
{
    protected const SHAPES = [
        'fired' => [FiredTask::class],
    ];
}
