<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Money on its way back to a payer. Amounts in minor units.
 *
 * @property-read string $id Unique id.
 * @property-read string $payment The payment.
 * @property-read string|null $reference Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
 * @property-read int $amount What leaves the wallet. The fee of the payment is not given back, and the refund has none.
 * @property-read string $currency The wallet.
 * @property-read string|null $reason Why.
 * @property-read string $method By what means it goes back.
 * @property-read RefundDestination $destination Where it goes: a payout destination; `{card: {brand, last4}}`; or, where the rail that took a transfer gives it back, what is known of its sender.
 * @property-read string $rate Units that arrive for one unit of the wallet; a decimal.
 * @property-read int $destination_amount What arrives.
 * @property-read string $destination_currency The currency that arrives.
 * @property-read bool $automatic Made because the payment sends back money of a wrong amount or time.
 * @property-read string $status Where it stands. One that was `completed` is `failed` when its rail takes that back.
 * @property-read string|null $failure_reason Why it failed; `canceled`: its payout was canceled, or was not approved in time.
 * @property-read string|null $provider_reference The rail’s own id.
 * @property-read string|null $tx_hash Crypto: the hash on chain.
 * @property-read string|null $payout The payout that it goes by, where it goes to where the money did not come from: limits, approval, screening and beneficiaries hold as for any. Its end is that of the refund.
 * @property-read ScreeningReview|null $review
 * @property-read string $transaction The transaction it makes.
 * @property-read string|null $return_transaction Of one that failed after it had completed: the transaction by which its money is in the wallet again.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Refund extends Record
{
    protected const SHAPES = [
        'destination' => RefundDestination::class,
        'review' => ScreeningReview::class,
        'metadata' => ['*' => null],
    ];
}
