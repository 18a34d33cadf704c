<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Beneficiary;

final class Beneficiaries
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Save a beneficiary.
     *
     * Where you pay to, with the holder’s name as the bank knows it. Payouts can name it by its id once it has cooled off (`GET /limits`).
     *
     * @param array{
     *     label: string,
     *     method: 'crypto'|'bank_transfer',
     *     destination: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}},
     *     own?: bool,
     *     metadata?: array<string, mixed>,
     * } $body
     *   `label`: A name for your own use.
     *   `method`: By what means it is paid.
     *   `destination`: Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.
     *   `own`: Whether it is an account of your own, as standing payouts need. A person of your team then has to confirm it, signed in with a second factor. Default `false`.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function create(array $body, array $options = []): Beneficiary
    {
        return $this->client->call(Operations::of('createBeneficiary'), [], [], $body, $options);
    }

    /**
     * List beneficiaries.
     *
     * Newest first.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     status?: 'cooling_off'|'active',
     *     method?: 'crypto'|'bank_transfer',
     *     own?: bool,
     *     search?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `status`: Only this status.
     *   `method`: Only this means.
     *   `own`: Only accounts of your own, or only others.
     *   `search`: Only those with this text in their `label` or in the name of the holder, or with it as their account number, address or `id`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Beneficiary>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listBeneficiaries'), [], $query, null, $options);
    }

    /**
     * Export beneficiaries as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     status?: 'cooling_off'|'active',
     *     method?: 'crypto'|'bank_transfer',
     *     own?: bool,
     *     search?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `status`: Only this status.
     *   `method`: Only this means.
     *   `own`: Only accounts of your own, or only others.
     *   `search`: Only those with this text in their `label` or in the name of the holder, or with it as their account number, address or `id`.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportBeneficiaries'), [], $query, null, $options);
    }

    /**
     * Get a beneficiary.
     *
     * Not one that was deleted.
     *
     * @param string $id The beneficiary.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Beneficiary
    {
        return $this->client->call(Operations::of('getBeneficiary'), [$id], [], null, $options);
    }

    /**
     * Change a beneficiary.
     *
     * Fields that are left out stay as they are. Give a destination as a whole: its holder is looked up. If it is another account, the beneficiary cools off again, and an account of your own must be confirmed again.
     *
     * @param string $id The beneficiary.
     * @param array{
     *     label?: string,
     *     method?: 'crypto'|'bank_transfer',
     *     destination?: array{currency: 'usdc'|'usdt', chain: string, address: string}|array{country?: 'ng', currency?: 'ngn', bank_code: string, account_number: string, account_name?: string}|array{country: 'us', currency?: 'usd', routing_number: string, account_number: string, account_name: string, account_type: 'checking'|'savings', holder_address?: array{line1?: string, city?: string, state?: string, postal_code?: string, country?: string}},
     *     metadata?: array<string, mixed>,
     * } $body
     *   `label`: A name for your own use.
     *   `method`: By what means it is paid.
     *   `destination`: Where money goes: to an address on a blockchain, or to a bank account in Nigeria or the US.
     *   `metadata`: Your own data, given back as it came: up to 50 keys and 16 KiB of JSON. Numbers that JSON readers round are refused: send strings.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function update(string $id, array $body = [], array $options = []): Beneficiary
    {
        return $this->client->call(Operations::of('updateBeneficiary'), [$id], [], $body, $options);
    }

    /**
     * Delete a beneficiary.
     *
     * It reads as not found from now on. Payouts that were made for it stay as they are.
     *
     * @param string $id The beneficiary.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function delete(string $id, array $options = []): Beneficiary
    {
        return $this->client->call(Operations::of('deleteBeneficiary'), [$id], [], null, $options);
    }
}
