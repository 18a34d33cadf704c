<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Payouts that are made together.
 *
 * @property-read string $id Unique id.
 * @property-read string $reference Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
 * @property-read string|null $description Only your team sees it.
 * @property-read string $currency The wallet.
 * @property-read string $status `draft`: it was checked, and waits to be confirmed; `running`: its payouts are being made; `completed`: each line has its payout, or was refused.
 * @property-read int $amount What the lines that can be paid take out of the wallet, as they were checked.
 * @property-read int $fee What of that are fees.
 * @property-read int $available What the wallet has available now.
 * @property-read bool $sufficient_funds Whether that is enough for what is left to be made.
 * @property-read PayoutBatchCounts $counts How many lines stand where.
 * @property-read array<string, int>|null $payouts
 * @property-read int|null $retriable How many failed lines `POST /payout-batches/{id}/retry` would pay again. Null in lists.
 * @property-read string|null $retry_of The batch whose failed lines it pays again.
 * @property-read string|null $ended_at When nothing of it was left to be made.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class PayoutBatch extends Record
{
    protected const SHAPES = [
        'counts' => PayoutBatchCounts::class,
        'payouts' => ['*' => null],
        'metadata' => ['*' => null],
    ];
}
