<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Something that happened, whether it was delivered anywhere or not. `metadata` is that of the record it is about.
 *
 * @property-read string $id Unique id.
 * @property-read string $type What happened.
 * @property-read string $timestamp When it happened.
 * @property-read array<string, mixed> $payload The record as its own GET would have returned it at that moment.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Event extends Record
{
    protected const SHAPES = [
        'payload' => ['*' => null],
        'metadata' => ['*' => null],
    ];
}
