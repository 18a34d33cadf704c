<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A customer of whom nothing personal is kept.
 *
 * @property-read string $id Unique id.
 * @property-read string $erased_at When it was erased.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class ErasedCustomer extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
    ];
}
