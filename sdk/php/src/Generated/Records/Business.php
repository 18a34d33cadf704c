<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Records;

use Bursar\Record;

/**
 * The business that the key speaks for, in the key’s mode.
 *
 * @property-read string $id Unique id.
 * @property-read string $name What payers and customers know it by.
 * @property-read string $locale BCP 47: how the dashboard writes amounts and times, and reads amounts. Also the language of hosted pages and receipts, unless the payer asks for one. Files and records of the API stay the same.
 * @property-read string $time_zone IANA: where the days and months of lists, exports and statements begin.
 * @property-read Logo|null $logo
 * @property-read string|null $color Of buttons and links on hosted pages, as `#rrggbb`. Where it cannot be read, a shade of it is shown.
 * @property-read string|null $statement_name What payers read on their bank statements, where a bank lets it be chosen: the name on accounts for payments.
 * @property-read string|null $support_email Where payers who have a question write to.
 * @property-read string|null $support_phone Where they call. E.164.
 * @property-read Address|null $address
 * @property-read string|null $tax_id The number it pays tax under.
 * @property-read string|null $registration_number Its number in the register of companies.
 * @property-read string|null $terms_url Its terms of business. https.
 * @property-read bool $receipts Whether payers who gave an address are mailed receipts, of payments and of refunds.
 * @property-read bool $livemode `true` for live keys, `false` for test keys.
 * @property-read array<string, mixed> $metadata Your own data, given back as it came: up to 50 keys and 16 KiB of JSON.
 * @property-read string $created_at When it was created.
 * @property-read string $updated_at When it last changed.
 */
final class Business extends Record
{
    protected const SHAPES = [
        'logo' => Logo::class,
        'address' => Address::class,
        'metadata' => ['*' => null],
    ];
}
