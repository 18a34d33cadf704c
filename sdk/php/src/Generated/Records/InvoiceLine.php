<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A line, as its product was when it was copied.
 *
 * @property-read string|null $product The product it was copied from. Null: none.
 * @property-read string $name As it was.
 * @property-read int $amount The price of one, as it was.
 * @property-read int $quantity How many.
 * @property-read int $discount What is taken off `amount` × `quantity`.
 * @property-read int|null $discount_bps The same as a share, in hundredths of a percent, if it was given as one.
 * @property-read int $total `amount` × `quantity` − `discount`: with its tax where `tax_inclusive`, else without.
 * @property-read int|null $tax_rate_bps The rate of its tax as it was, in hundredths of a percent. Null: none.
 * @property-read bool $tax_inclusive Whether `amount` and `total` have the tax in them.
 * @property-read int $tax Its tax. Of all lines with one rate it is rounded once, and shared among them.
 */
final class InvoiceLine extends Record
{
}
