<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What a payout would cost and what would arrive. Nothing is debited.
 *
 * @property-read string $id Unique id.
 * @property-read int $amount What leaves the wallet; the fee comes out of it.
 * @property-read string $currency The wallet.
 * @property-read string $method By what means.
 * @property-read PayoutDestinationRecord $destination Where the money goes.
 * @property-read int $fee What it costs: the sum of `fee_breakdown`.
 * @property-read int $net_amount `amount` less `fee`. Below zero when a quoted amount does not cover the fee.
 * @property-read list<PayoutFee> $fee_breakdown The parts of the fee. Each is rounded up to the minor unit.
 * @property-read string $rate Units that arrive for one unit of the wallet; a decimal.
 * @property-read int $destination_amount What arrives: `net_amount` × `rate`, rounded down to the minor unit.
 * @property-read string $destination_currency The currency that arrives.
 * @property-read string $rate_source Where the rate comes from; `table`: the operator’s; `official`: a central bank’s, as it was fetched.
 * @property-read string|null $rate_fetched_at When an official rate was fetched.
 * @property-read string|null $rate_valid_until Until when an official rate was to be used.
 * @property-read string $estimated_arrival When it would arrive if it were sent now.
 * @property-read bool $sufficient_funds Whether the wallet has `amount` available now.
 * @property-read string $expires_at Until when a payout can lock this price.
 * @property-read list<Warning> $warnings What looks odd, but does not stop it.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class PayoutQuote extends Record
{
    protected const SHAPES = [
        'destination' => PayoutDestinationRecord::class,
        'fee_breakdown' => [PayoutFee::class],
        'warnings' => [Warning::class],
        'metadata' => ['*' => null],
    ];
}
