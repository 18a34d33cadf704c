<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Someone who pays you.
 *
 * @property-read string $id Unique id.
 * @property-read string|null $reference Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
 * @property-read string $name The whole name. Made of `first_name` and `last_name` when it is left out.
 * @property-read string|null $first_name Given name.
 * @property-read string|null $last_name Family name.
 * @property-read string $email Where to write to.
 * @property-read string|null $phone E.164.
 * @property-read string $type A person or a company.
 * @property-read string $kyc_status `verified`: an identity document is verified; `rejected`: all that were given failed.
 * @property-read Address|null $address
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Customer extends Record
{
    protected const SHAPES = [
        'address' => Address::class,
        'metadata' => ['*' => null],
    ];
}
