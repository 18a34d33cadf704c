<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Postings that were sealed together.
 *
 * @property-read string $number Its place in the chain of the business and mode.
 * @property-read string $count How many postings it has.
 * @property-read string $previous The seal before.
 * @property-read list<ReceiptPosting> $postings
 * @property-read list<string> $path From it to the root of the day of the business: each is `left:` or `right:`, where it stands, and a hash.
 */
final class ReceiptSeal extends Record
{
    protected const SHAPES = [
        'postings' => [ReceiptPosting::class],
    ];
}
