<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * An address that stablecoins can be sent to.
 *
 * @property-read string $id Unique id.
 * @property-read string|null $reference Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
 * @property-read string|null $customer Whose wallet it is.
 * @property-read string $address The address, the same on every network, with its EIP-55 checksum.
 * @property-read list<string> $networks Ids of the networks that it receives on.
 * @property-read string|null $label A name for your own use.
 * @property-read string $status What comes to a wallet that is closed is booked all the same, and marked `late`.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class CryptoWallet extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
    ];
}
