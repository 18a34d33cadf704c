<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Money in or out of a wallet. Amounts in minor units.
 *
 * @property-read string $id Unique id.
 * @property-read string $type What it is.
 * @property-read string $method By what means the money moved.
 * @property-read string $direction `credit`: into the wallet; `debit`: out of it.
 * @property-read string $status `pending`: on its way out, seen on a blockchain and not confirmed yet, or held by screening (`review`). `failed` and `reversed`: nothing moved in the end; the rail refused, the merchant canceled, or the chain dropped it.
 * @property-read string $currency The wallet.
 * @property-read int $amount How much moved, above zero.
 * @property-read int $fee The part of `amount` that is fee.
 * @property-read int $net `amount` less `fee`.
 * @property-read int $balance_after What the wallet had available right after.
 * @property-read int $balance_change By how much it has changed what the wallet has available: above zero in, below zero out, fees included. Zero for what is `failed` or `reversed`, and for what is not credited yet.
 * @property-read string|null $completed_at When it became final, as statements count it; null while it is `pending`, and for what is `failed` or `reversed`.
 * @property-read bool $late Money that came after its account was closed or its payment had ended. It is booked all the same.
 * @property-read string|null $reference The merchant’s own id of the record behind it.
 * @property-read string|null $customer The customer, when one is known.
 * @property-read array<string, mixed>|null $source Who paid, when known.
 * @property-read ScreeningReview|null $review Screening holds it until a person of the operator’s has looked.
 * @property-read array<string, string> $related The record behind it, such as `{payout: id}`.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Transaction extends Record
{
    protected const SHAPES = [
        'source' => ['*' => null],
        'review' => ScreeningReview::class,
        'related' => ['*' => null],
        'metadata' => ['*' => null],
    ];
    protected const OPTIONAL = ['source', 'review'];
}
