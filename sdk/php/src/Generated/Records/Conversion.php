<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Money that you moved from one wallet to the other. Amounts in minor units.
 *
 * @property-read string $id Unique id.
 * @property-read string $quote The quote.
 * @property-read string|null $reference Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
 * @property-read int $amount What leaves the wallet, fee included.
 * @property-read string $currency The wallet that it leaves.
 * @property-read int $fee The part of `amount` that is fee: the spread.
 * @property-read list<ConversionFee> $fee_breakdown What the fee is made of.
 * @property-read string $rate Units of `destination_currency` for one unit of `currency`; a decimal.
 * @property-read string $rate_source Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched.
 * @property-read string|null $rate_fetched_at When an official rate was fetched.
 * @property-read string|null $rate_valid_until Until when an official rate was to be used.
 * @property-read int $destination_amount What comes into the other wallet: `amount` less `fee` at `rate`, rounded down.
 * @property-read string $destination_currency The wallet that it comes into.
 * @property-read string $transaction The transaction of the wallet that it left.
 * @property-read string $destination_transaction The transaction of the wallet that it came into.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Conversion extends Record
{
    protected const SHAPES = [
        'fee_breakdown' => [ConversionFee::class],
        'metadata' => ['*' => null],
    ];
}
