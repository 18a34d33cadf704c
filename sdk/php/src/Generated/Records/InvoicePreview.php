<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What an invoice of these lines would ask for.
 *
 * @property-read string $currency Of all lines.
 * @property-read list<InvoiceLine> $lines What is asked money for.
 * @property-read int $total What is asked for: the sum of the lines, with their taxes.
 * @property-read int $subtotal The same without the taxes.
 * @property-read int $tax The sum of the taxes.
 * @property-read list<TaxByRate> $taxes The taxes by their rates, the lowest first. What has no rate is not in it.
 */
final class InvoicePreview extends Record
{
    protected const SHAPES = [
        'lines' => [InvoiceLine::class],
        'taxes' => [TaxByRate::class],
    ];
}
