<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A one-time checkout. Amounts in minor units.
 *
 * @property-read string $id Unique id.
 * @property-read string $reference Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
 * @property-read int $amount What it is for.
 * @property-read string $currency The currency.
 * @property-read string|null $customer The customer who pays.
 * @property-read string|null $email The payer’s email address.
 * @property-read string|null $description What it is for; the payer sees it.
 * @property-read list<string> $methods How it may be paid.
 * @property-read string|null $redirect_url Where the payer is sent afterwards.
 * @property-read string|null $cancel_url Where a payer who gives up is sent.
 * @property-read string $expires_at Until when it can be paid.
 * @property-read string $fee_bearer Who bears the fee.
 * @property-read string $on_mismatch What happens to money of a wrong amount or time.
 * @property-read string|null $mismatch_by `rail`: the provider of its one-time account takes the exact amount only, and sends any other back itself, whatever `on_mismatch` says.
 * @property-read string $checkout_url The page that the payer is sent to.
 * @property-read string $status Where it stands.
 * @property-read string|null $method How it was paid.
 * @property-read int $amount_received Everything that came for it, also what was sent back.
 * @property-read string|null $variance How what came differs from what was due.
 * @property-read string|null $transaction The transaction that completed it.
 * @property-read int $fee What it has cost so far.
 * @property-read int $net What of `amount_received` counts toward the price, less `fee`: money of a wrong amount or time may not.
 * @property-read int $amount_refunded What has been given back to the payer.
 * @property-read int $amount_confirming What was seen on a blockchain and is not confirmed yet; it is credited then.
 * @property-read int $attempts How often a card was tried.
 * @property-read string|null $failure_reason Why the last card was declined.
 * @property-read string|null $paid_at When it was completed.
 * @property-read string|null $collection The collection it belongs to.
 * @property-read string|null $invoice The invoice it belongs to.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Payment extends Record
{
    protected const SHAPES = [
        'metadata' => ['*' => null],
    ];
}
