<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A line of a batch, and what became of it.
 *
 * @property-read int $line Its number, from 1.
 * @property-read int|null $row Its row in your file, if you sent it.
 * @property-read string|null $reference The reference of its payout.
 * @property-read int|null $amount What leaves the wallet; null of one that says none.
 * @property-read string $status `bad`: it could not be paid when the batch was checked; `refused`: when its payout was to be made; `created`: it has its payout.
 * @property-read string|null $beneficiary The beneficiary that it names.
 * @property-read PayoutDestinationRecord|null $destination Destination; null if that cannot be read.
 * @property-read string|null $payout Its payout.
 * @property-read string|null $payout_status The status of that.
 * @property-read string|null $failure_reason Why its payout failed or came back.
 * @property-read bool $is_unapproved Whether its payout was canceled because nobody approved it in time.
 * @property-read bool $retriable Whether a retry of the batch pays it again.
 * @property-read string|null $retried_in The batch that pays it again.
 * @property-read string|null $field The field that is wrong.
 * @property-read string|null $code Why not: the code that such a payout is refused with.
 * @property-read string|null $message The same in words.
 */
final class PayoutBatchLine extends Record
{
    protected const SHAPES = [
        'destination' => PayoutDestinationRecord::class,
    ];
}
