<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * A request for payment, with lines. Amounts in minor units.
 *
 * @property-read string $id Unique id.
 * @property-read int|null $number Given when it is finalized: 1, 2, 3 … per business and mode, without gaps.
 * @property-read string $customer Who is asked.
 * @property-read string $currency Of all lines.
 * @property-read list<InvoiceLine> $lines What is asked money for.
 * @property-read int $total What is asked for: the sum of the lines, with their taxes.
 * @property-read int $subtotal The same without the taxes.
 * @property-read int $tax The sum of the taxes.
 * @property-read list<TaxByRate> $taxes The taxes by their rates, the lowest first. What has no rate is not in it.
 * @property-read string|null $exchange_rate `eur` only: dollars for one euro, fixed when it was finalized; a decimal.
 * @property-read string|null $collect_currency What it is paid in.
 * @property-read int|null $collect_amount What is paid, in that currency.
 * @property-read int $amount_paid What came and counts toward it, in minor units of `collect_currency`.
 * @property-read int $amount_due What is still to be paid, in minor units of `collect_currency`; of `currency` while it is a draft.
 * @property-read string|null $due_date When it is due. Of a day that was given: when it begins for your business.
 * @property-read string|null $due_day The day on which it is due, such as `2026-12-05`: in mails, on the page and on the PDF. Late from the next day on.
 * @property-read string|null $memo A note to the customer.
 * @property-read InvoiceReminders $reminders Mails while it is open: so many days before and after `due_date`, which they need. Empty: none.
 * @property-read string $status Where it stands.
 * @property-read string|null $payment The payment it is paid by.
 * @property-read string|null $payment_url The page where it is paid. It stays the same.
 * @property-read string|null $sent_at When it was last mailed.
 * @property-read string|null $finalized_at When it was finalized.
 * @property-read string|null $paid_at When it was paid.
 * @property-read string|null $voided_at When it was voided.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Invoice extends Record
{
    protected const SHAPES = [
        'lines' => [InvoiceLine::class],
        'taxes' => [TaxByRate::class],
        'reminders' => InvoiceReminders::class,
        'metadata' => ['*' => null],
    ];
}
