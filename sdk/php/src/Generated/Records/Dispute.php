<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Money of a payment that the payer’s bank takes back until it is decided whose it is. Amounts in minor units.
 *
 * @property-read string $id Unique id.
 * @property-read string|null $payment The payment; null where the money came to a virtual account and is no payment.
 * @property-read string $transaction The transaction by which the money came.
 * @property-read string|null $customer The customer, when one is known.
 * @property-read int $amount What the payer’s bank takes back, which may be less than was paid.
 * @property-read string $currency The wallet that the money came to.
 * @property-read string|null $reason Why, in the provider’s words.
 * @property-read string|null $evidence_due_at Until when the provider takes evidence. Null: it says no time.
 * @property-read string $status Where it stands: `open` until the provider has decided it.
 * @property-read int $held What the operator of the installation holds of the wallet for it.
 * @property-read int $taken What was taken from the wallet for it, as it was lost.
 * @property-read string|null $closed_at When it was decided.
 * @property-read string $provider_reference The provider’s own id of it.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Dispute extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
    ];
}
