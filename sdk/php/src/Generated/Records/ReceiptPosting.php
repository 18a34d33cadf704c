<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A movement of the transaction, with what leads from it to its seal.
 *
 * @property-read string $posting Its number.
 * @property-read string $debit The account that it left.
 * @property-read string $credit The account that it came to.
 * @property-read int $amount Minor units.
 * @property-read string $currency
 * @property-read string $kind Why it was moved.
 * @property-read string $subject The record that moved it.
 * @property-read string $posted_at When, as it was hashed.
 * @property-read string $blind Keeps others from guessing it.
 * @property-read list<string> $path From it to the root of its seal: each is `left:` or `right:`, where it stands, and a hash.
 */
final class ReceiptPosting extends Record
{
}
