<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * Money on its way out of a wallet.
 *
 * @property-read string $id Unique id.
 * @property-read string $reference Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
 * @property-read int $amount What leaves the wallet; the fee comes out of it.
 * @property-read string $currency The wallet.
 * @property-read string $method By what means.
 * @property-read PayoutDestinationRecord $destination Where the money goes.
 * @property-read string|null $beneficiary The beneficiary that it was made for, whose destination it has copied.
 * @property-read string|null $quote The quote whose price it has.
 * @property-read string|null $refund The refund that it is, to where the money did not come from. It costs nothing.
 * @property-read int $fee What it costs: the sum of `fee_breakdown`.
 * @property-read int $net_amount `amount` less `fee`. Below zero when a quoted amount does not cover the fee.
 * @property-read list<PayoutFee> $fee_breakdown The parts of the fee. Each is rounded up to the minor unit.
 * @property-read string $rate Units that arrive for one unit of the wallet; a decimal.
 * @property-read int $destination_amount What arrives: `net_amount` × `rate`, rounded down to the minor unit.
 * @property-read string $destination_currency The currency that arrives.
 * @property-read string|null $description Only your team sees it.
 * @property-read string $status Where it stands. `returned`: it was `completed`, and the money came back.
 * @property-read string $approval Whether a second person must look at it (`GET /limits`). `waiting`: it is `pending`, its amount is held, and no rail has it; `refused`: by a person, by the time limit, or because it was canceled meanwhile.
 * @property-read PayoutApprovalDetails|null $approval_details
 * @property-read ScreeningReview|null $review
 * @property-read string|null $failure_reason Why it failed, or came back.
 * @property-read string|null $provider_reference The rail’s own id.
 * @property-read string $transaction The transaction it makes.
 * @property-read string|null $return_transaction Of one that was returned: the transaction by which what had arrived is in the wallet again.
 * @property-read string|null $tx_hash Crypto: the hash on chain.
 * @property-read list<Warning> $warnings What looks odd, but does not stop it.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Payout extends Record
{
    protected const SHAPES = [
        'destination' => PayoutDestinationRecord::class,
        'fee_breakdown' => [PayoutFee::class],
        'approval_details' => PayoutApprovalDetails::class,
        'review' => ScreeningReview::class,
        'warnings' => [Warning::class],
        'metadata' => ['*' => null],
    ];
}
