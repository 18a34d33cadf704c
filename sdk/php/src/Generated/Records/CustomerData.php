<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What is kept of a customer.
 *
 * @property-read string $exported_at When it was read.
 * @property-read array<string, mixed> $customer The customer, with `deleted_at`.
 * @property-read list<array<string, mixed>> $identity_documents The newest of each type, whatever came of it.
 * @property-read array<string, mixed> $records By their kind, such as `payments`, `invoices` and `events`: the newest 5,000 of each, as the database has them.
 * @property-read list<string> $cut Kinds of which there are more than are given.
 */
final class CustomerData extends Record
{
    protected const SHAPES = [
        'customer' => ['*' => null],
        'identity_documents' => [['*' => null]],
        'records' => ['*' => null],
    ];
}
