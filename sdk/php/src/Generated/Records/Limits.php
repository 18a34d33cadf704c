<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Above what payouts wait for a second person, and above what they are refused.
 *
 * @property-read string $id Unique id.
 * @property-read list<PayoutLimit> $currencies One for each wallet.
 * @property-read int $approval_hours How long a payout waits for a second person before it is canceled and given back.
 * @property-read string $payouts_by_key Whom payouts that a key makes may go to: to `any`, or to your `beneficiaries` alone. A person who has signed in pays any.
 * @property-read int $beneficiary_cooling_off_hours How long a beneficiary cools off that is new, or whose destination was changed, before payouts can name it.
 * @property-read PendingLimits|null $pending_change
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Limits extends Record
{
    protected const SHAPES = [
        'currencies' => [PayoutLimit::class],
        'pending_change' => PendingLimits::class,
        'metadata' => ['*' => null],
    ];
}
