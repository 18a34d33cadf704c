<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A collection that was paid once more, and the payment that did it.
 *
 * @property-read string $id Unique id.
 * @property-read string $name What payers see as its title.
 * @property-read string|null $description What it is for.
 * @property-read string $currency The currency.
 * @property-read int|null $amount What each payer pays. Null: the payer chooses.
 * @property-read int|null $min_amount The least a payer may choose.
 * @property-read int|null $max_amount The most a payer may choose.
 * @property-read bool $active Whether it can be used.
 * @property-read string|null $canceled_at When it was canceled, for good. Null: it was not; an inactive one can be active again.
 * @property-read string|null $redirect_url Where payers are sent afterwards.
 * @property-read int|null $max_payments Maximum number of payments. Null: no limit.
 * @property-read string $checkout_url The page that payers are sent to.
 * @property-read int $payments_count How many of its payments are completed.
 * @property-read int $amount_collected What those payments kept, before fees and refunds.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 * @property-read Payment $payment A one-time checkout. Amounts in minor units.
 */
final class CompletedCollection extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
        'payment' => Payment::class,
    ];
}
