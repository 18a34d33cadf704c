<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\Business as BusinessRecord;

final class Business
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Get your business.
     *
     * Whom the key speaks for, and how payers know it. Test and live mode have a profile each.
     *
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(array $options = []): BusinessRecord
    {
        return $this->client->call(Operations::of('getBusiness'), [], [], null, $options);
    }

    /**
     * Change your business.
     *
     * Fields that are left out stay as they are; null clears one. The hosted pages, mails and PDFs of the key’s mode show it from now on; an invoice that is finalized keeps who the seller was.
     *
     * @param array{
     *     name?: string,
     *     locale?: string,
     *     time_zone?: string,
     *     logo?: string|null,
     *     color?: string|null,
     *     statement_name?: string|null,
     *     support_email?: string|null,
     *     support_phone?: string|null,
     *     address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}|null,
     *     tax_id?: string|null,
     *     registration_number?: string|null,
     *     terms_url?: string|null,
     *     receipts?: bool,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: What payers and customers know it by.
     *   `locale`: BCP 47: how the dashboard writes amounts and times, and reads amounts. Also the language of hosted pages and receipts, unless the payer asks for one. Files and records of the API stay the same.
     *   `time_zone`: IANA: where the days and months of lists, exports and statements begin.
     *   `logo`: A PNG, JPEG or WebP picture in base64: at most 256 KiB, each side 32 to 1,024 pixels. Null takes it away.
     *   `color`: Of buttons and links on hosted pages, as `#rrggbb`. Where it cannot be read, a shade of it is shown.
     *   `statement_name`: What payers read on their bank statements, where a bank lets it be chosen: the name on accounts for payments.
     *   `support_email`: Where payers who have a question write to.
     *   `support_phone`: Where they call. E.164.
     *   `address`:
     *   `tax_id`: The number it pays tax under.
     *   `registration_number`: Its number in the register of companies.
     *   `terms_url`: Its terms of business. https.
     *   `receipts`: Whether payers who gave an address are mailed receipts, of payments and of refunds.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(array $body = [], array $options = []): BusinessRecord
    {
        return $this->client->call(Operations::of('updateBusiness'), [], [], $body, $options);
    }
}
