<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A bank account that money can be sent to.
 *
 * @property-read string $id Unique id.
 * @property-read string|null $reference Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
 * @property-read string|null $customer Whose account it is.
 * @property-read string|null $payment The payment whose one-time account it is.
 * @property-read string $currency What it receives.
 * @property-read string $kind `static`: for good; `dynamic`: for one amount.
 * @property-read int|null $amount Dynamic: the one amount it is for.
 * @property-read string|null $expires_at Dynamic: until when.
 * @property-read string $account_name The holder that payers are shown.
 * @property-read string|null $account_number The number; a NUBAN for `ngn`. Null until the bank has given it.
 * @property-read string|null $bank_name The bank. Null as the number.
 * @property-read string|null $bank_code Its code; in the US, its routing number. Null as the number.
 * @property-read string|null $routing_number US accounts only: the ABA routing number.
 * @property-read string $status `pending`: its bank gives the number later; only an `active` one has one that payers are shown. Money that comes to one that is `closed` or `expired` is booked all the same, and marked `late`.
 * @property-read string|null $failure_reason Why it is `failed`.
 * @property-read string|null $provider_reference What the provider calls it.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class VirtualAccount extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
    ];
}
