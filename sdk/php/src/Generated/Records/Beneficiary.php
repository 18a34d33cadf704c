<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Where you pay to, saved.
 *
 * @property-read string $id Unique id.
 * @property-read string $label A name for your own use.
 * @property-read string $method By what means it is paid.
 * @property-read PayoutDestinationRecord $destination Where the money goes.
 * @property-read string|null $verified_name The holder as the bank knows it; null where no bank says, or it did not answer.
 * @property-read bool $own Whether it is an account of your own, as standing payouts need. A person of your team then has to confirm it, signed in with a second factor.
 * @property-read string|null $confirmed_at When a person confirmed that it is your own.
 * @property-read string|null $confirmed_by Who did.
 * @property-read string $status `cooling_off`: it is new, or its destination was changed, and payouts cannot name it yet.
 * @property-read string $usable_from When payouts can name it.
 * @property-read list<Warning> $warnings What looks odd, but does not stop it.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Beneficiary extends Record
{
    protected const SHAPES = [
        'destination' => PayoutDestinationRecord::class,
        'warnings' => [Warning::class],
        'metadata' => ['*' => null],
    ];
}
