<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Something that is sold by invoice.
 *
 * @property-read string $id Unique id.
 * @property-read string $name Shown on invoices.
 * @property-read int $amount The price of one.
 * @property-read string $currency The currency of the price.
 * @property-read string|null $description Only your team sees it.
 * @property-read string|null $distribution How what is paid for it is shared.
 * @property-read int|null $tax_rate_bps The rate of its tax, in hundredths of a percent. Null: its lines show no tax.
 * @property-read bool $tax_inclusive Whether the price has the tax in it.
 * @property-read bool $active False once it is archived: no new line can name it.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Product extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
    ];
}
