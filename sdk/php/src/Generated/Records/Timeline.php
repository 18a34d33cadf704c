<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Everything that became of a record, in the order of time.
 *
 * @property-read string $id What was asked for.
 * @property-read string $kind What it is, such as `payout`.
 * @property-read string|null $status Where it stands; null of what has no status.
 * @property-read list<TimelineEntry> $entries Oldest first; what is going to happen comes last. At most 500.
 * @property-read array<string, list<string>> $related The ids of the records that it is about or has to do with, by what they are.
 * @property-read bool $truncated Whether there is more than is shown: the newest 500 entries, of the newest 20 records of each kind.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 */
final class Timeline extends Record
{
    protected const SHAPES = [
        'entries' => [TimelineEntry::class],
        'related' => ['*' => null],
    ];
}
