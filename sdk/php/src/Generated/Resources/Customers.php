<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Customer;
use Bursar\Records\CustomerData;
use Bursar\Records\CustomerErasure;
use Bursar\Records\IdentityDocument;
use Bursar\Records\VerifiedIdentityDocument;

final class Customers
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Create a customer.
     *
     * Give `name`, or `first_name` and `last_name`. A reference is one customer’s until it is deleted.
     *
     * @param array{
     *     name?: string,
     *     email: string,
     *     type?: 'individual'|'business',
     *     first_name?: string|null,
     *     last_name?: string|null,
     *     phone?: string|null,
     *     address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}|null,
     *     reference?: string|null,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: The whole name. Made of `first_name` and `last_name` when it is left out.
     *   `email`: Where to write to.
     *   `type`: A person or a company.
     *   `first_name`: Given name.
     *   `last_name`: Family name.
     *   `phone`: E.164.
     *   `address`:
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Customer
    {
        return $this->client->call(Operations::of('createCustomer'), [], [], $body, $options);
    }

    /**
     * List customers.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     from?: string,
     *     to?: string,
     *     email?: string,
     *     reference?: string,
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `email`: Only customers of this email address, whatever its case. Write its `+` as `%2B`.
     *   `reference`: Only those whose `reference` begins with this.
     *   `search`: Only those whose name or email has, for each word of this text, a word that begins with it (case and accents do not matter), and those with this text as the beginning of their `reference`, or as their `phone` or `id`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Customer>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listCustomers'), [], $query, null, $options);
    }

    /**
     * Export customers as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     from?: string,
     *     to?: string,
     *     email?: string,
     *     reference?: string,
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `email`: Only customers of this email address, whatever its case. Write its `+` as `%2B`.
     *   `reference`: Only those whose `reference` begins with this.
     *   `search`: Only those whose name or email has, for each word of this text, a word that begins with it (case and accents do not matter), and those with this text as the beginning of their `reference`, or as their `phone` or `id`.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportCustomers'), [], $query, null, $options);
    }

    /**
     * Get a customer.
     *
     * Not one that was deleted.
     *
     * @param string $id The customer.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Customer
    {
        return $this->client->call(Operations::of('getCustomer'), [$id], [], null, $options);
    }

    /**
     * Change a customer.
     *
     * Fields that are left out stay as they are; null clears one. New parts of the name rebuild `name`, unless it is given too; one part alone does not.
     *
     * @param string $id The customer.
     * @param array{
     *     name?: string,
     *     email?: string,
     *     type?: 'individual'|'business',
     *     first_name?: string|null,
     *     last_name?: string|null,
     *     phone?: string|null,
     *     address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}|null,
     *     reference?: string|null,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `name`: The whole name. Made of `first_name` and `last_name` when it is left out.
     *   `email`: Where to write to.
     *   `type`: A person or a company.
     *   `first_name`: Given name.
     *   `last_name`: Family name.
     *   `phone`: E.164.
     *   `address`:
     *   `reference`: Your own id for this record, unique per business and mode. Letters, digits and `. _ : - =`; not `.` or `..` alone.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(string $id, array $body = [], array $options = []): Customer
    {
        return $this->client->call(Operations::of('updateCustomer'), [$id], [], $body, $options);
    }

    /**
     * Delete a customer.
     *
     * It reads as not found from now on, and its reference is free. The records of its money stay. The answer is the customer as it was last.
     *
     * @param string $id The customer.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function delete(string $id, array $options = []): Customer
    {
        return $this->client->call(Operations::of('deleteCustomer'), [$id], [], null, $options);
    }

    /**
     * Export what is kept of a customer.
     *
     * Also of one that was deleted, to answer a customer who asks for their data: the customer, identity documents (without their numbers), payments, refunds, invoices, accounts, mails and events.
     *
     * @param string $id The customer.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function exportData(string $id, array $options = []): CustomerData
    {
        return $this->client->call(Operations::of('exportCustomerData'), [$id], [], null, $options);
    }

    /**
     * Erase a customer for good.
     *
     * Everything personal is emptied: names, addresses, identity documents, email addresses of payments, bill-to of invoices, senders of money, mails, and what events say of them. Amounts, times and ids stay. It cannot be undone; download first what the law has you keep, such as invoices. Refused while something is open that needs the customer. Also of one that was deleted; again, it changes nothing. What providers keep, erase there.
     *
     * @param string $id The customer.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function erase(string $id, array $options = []): CustomerErasure
    {
        return $this->client->call(Operations::of('eraseCustomer'), [$id], [], null, $options);
    }

    /**
     * List a customer’s verified identity documents.
     *
     * A plain array. Numbers are hidden but for their last characters.
     *
     * @param string $id The customer.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return list<VerifiedIdentityDocument>
     */
    public function listDocuments(string $id, array $options = []): array
    {
        return $this->client->call(Operations::of('listCustomerDocuments'), [$id], [], null, $options);
    }

    /**
     * Verify an identity document.
     *
     * Replaces the customer’s document of the type, but a failed one never replaces a verified one. Where a rail verifies it, the document is `pending`, and `customer.document.verified` or `.failed` tells what came of it; some rails compare the number with an account of its holder, and then `bank_code` and `account_number` are required. What no rail verifies and is on a paper (any type but a `bvn`), a person of the operator’s looks at: `review` says so. Test keys without such a rail: a number whose digits are 1 fails as `mismatch`, 2 as `not_found`; any other is verified.
     *
     * @param string $id The customer.
     * @param array{
     *     id_type: 'bvn'|'nin'|'passport'|'drivers_license'|'voters_card'|'cac'|'tin',
     *     id_number: string,
     *     bank_code?: string,
     *     account_number?: string,
     * } $body
     *   `id_type`: Which document.
     *   `id_number`: Its number, in the form of its type. Stored encrypted, and never shown again.
     *   `bank_code`: The bank of an account of its holder, which some rails compare the number with.
     *   `account_number`: That account. Stored encrypted until the number is verified or not, and never shown.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function verifyDocument(string $id, array $body, array $options = []): IdentityDocument
    {
        return $this->client->call(Operations::of('verifyCustomerDocument'), [$id], [], $body, $options);
    }
}
