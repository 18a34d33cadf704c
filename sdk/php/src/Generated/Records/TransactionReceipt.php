<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What a transaction moved, with the proof that the ledger had it so. Anyone checks it without the server.
 *
 * @property-read string $format `bursar receipt 1`.
 * @property-read string $business Whose transaction it is.
 * @property-read string $mode `live` or `test`.
 * @property-read string $transaction The transaction.
 * @property-read list<ReceiptDay> $days In their order.
 */
final class TransactionReceipt extends Record
{
    protected const SHAPES = [
        'days' => [ReceiptDay::class],
    ];
}
