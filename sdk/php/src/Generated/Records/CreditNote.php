<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What of a paid invoice was given back by a refund. Amounts in minor units of the invoice’s currency.
 *
 * @property-read string $id Unique id.
 * @property-read int $number 1, 2, 3 … per business and mode, without gaps; not those of invoices.
 * @property-read string $invoice The invoice.
 * @property-read string $refund The refund. One of an invoice in euros is in dollars.
 * @property-read string $currency Of the invoice.
 * @property-read int $amount What is credited, with the taxes.
 * @property-read int $subtotal The same without the taxes.
 * @property-read int $tax The sum of the taxes.
 * @property-read list<TaxByRate> $taxes The taxes by their rates, the lowest first. What has no rate is not in it.
 * @property-read string $status `void` where the refund came back after it had completed.
 * @property-read string|null $sent_at When it was last mailed.
 * @property-read string|null $voided_at When it was voided.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class CreditNote extends Record
{
    protected const SHAPES = [
        'taxes' => [TaxByRate::class],
        'metadata' => ['*' => null],
    ];
}
