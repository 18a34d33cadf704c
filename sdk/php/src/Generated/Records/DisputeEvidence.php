<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * What the business answers to a dispute.
 *
 * @property-read string $dispute The dispute.
 * @property-read string $status `draft` until it is submitted; `sending` until the provider has it; `sent`; `refused` by the provider: correct it and submit it again.
 * @property-read bool $accepts The business accepts the dispute instead.
 * @property-read string|null $customer_name The payer’s name.
 * @property-read string|null $customer_email The payer’s email address.
 * @property-read string|null $customer_phone The payer’s phone number.
 * @property-read string|null $explanation What was sold and delivered, and why the payment is rightful.
 * @property-read string|null $delivery_address Where it was delivered to.
 * @property-read string|null $delivery_date When it was delivered.
 * @property-read list<DisputeFile> $files One of each kind at most.
 * @property-read list<string> $needs The texts that are still missing before it can be submitted.
 * @property-read bool $by_api Whether this server submits the answer. False: submit it in the provider’s own dashboard.
 * @property-read string|null $failure Why the provider refused it.
 * @property-read string|null $submitted_at When the provider had it.
 */
final class DisputeEvidence extends Record
{
    protected const SHAPES = [
        'files' => [DisputeFile::class],
    ];
}
