<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Page;
use Bursar\Records\Dispute;
use Bursar\Records\DisputeEvidence;

final class Disputes
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List disputes.
     *
     * Newest first. The operator of the installation answers them at the provider.
     *
     * @param array{
     *     page?: int,
     *     limit?: int,
     *     after?: string,
     *     payment?: string,
     *     status?: 'open'|'won'|'lost',
     *     from?: string,
     *     to?: string,
     * } $query
     *   `page`: Which page, from 1.
     *   `limit`: Records a page.
     *   `after`: Keyset cursor: only records that come after this one in the list. Replaces `page`.
     *   `payment`: Only this payment’s.
     *   `status`: Only this status.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return Page<Dispute>
     */
    public function list(array $query = [], array $options = []): Page
    {
        return $this->client->call(Operations::of('listDisputes'), [], $query, null, $options);
    }

    /**
     * Export disputes as CSV.
     *
     * The list, by the same filters: amounts in major (`_decimal`) and minor units (`_minor`), times in UTC and your time zone.
     *
     * @param array{
     *     payment?: string,
     *     status?: 'open'|'won'|'lost',
     *     from?: string,
     *     to?: string,
     *     spreadsheet?: bool,
     * } $query
     *   `payment`: Only this payment’s.
     *   `status`: Only this status.
     *   `from`: Created at or after: a time, or a day of your time zone.
     *   `to`: Created before a time, or up to the end of a day of your time zone.
     *   `spreadsheet`: Whether the file is for Excel and the like: with a byte order mark, and with account numbers, bank codes and phone numbers that keep their zeros and signs. Default `false`.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (text/csv)
     */
    public function export(array $query = [], array $options = []): string
    {
        return $this->client->call(Operations::of('exportDisputes'), [], $query, null, $options);
    }

    /**
     * Get a dispute.
     *
     * As it stands now: `open` until its provider has decided it.
     *
     * @param string $id The dispute.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $id, array $options = []): Dispute
    {
        return $this->client->call(Operations::of('getDispute'), [$id], [], null, $options);
    }

    /**
     * Get the evidence of a dispute.
     *
     * The texts and files of the answer, and what came of it.
     *
     * @param string $id The dispute.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function getEvidence(string $id, array $options = []): DisputeEvidence
    {
        return $this->client->call(Operations::of('getDisputeEvidence'), [$id], [], null, $options);
    }

    /**
     * Change the evidence of a dispute.
     *
     * What is left out stays. Nothing is submitted by it.
     *
     * @param string $id The dispute.
     * @param array{
     *     customer_name?: string|null,
     *     customer_email?: string|null,
     *     customer_phone?: string|null,
     *     explanation?: string|null,
     *     delivery_address?: string|null,
     *     delivery_date?: string|null,
     *     files?: array{receipt?: string|null, delivery?: string|null, communication?: string|null, other?: string|null},
     * } $body
     *   `customer_name`: The payer’s name.
     *   `customer_email`: The payer’s email address.
     *   `customer_phone`: The payer’s phone number.
     *   `explanation`: What was sold and delivered, and why the payment is rightful.
     *   `delivery_address`: Where it was delivered to.
     *   `delivery_date`: When it was delivered.
     *   `files`: Files of evidence, one of each kind.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function updateEvidence(string $id, array $body = [], array $options = []): DisputeEvidence
    {
        return $this->client->call(Operations::of('updateDisputeEvidence'), [$id], [], $body, $options);
    }

    /**
     * Get the evidence bundle of a dispute.
     *
     * One PDF with your evidence, the receipt, the delivery log and the proof of the ledger.
     *
     * @param string $id The dispute.
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return string the file's bytes (application/pdf)
     */
    public function evidencePdf(string $id, array $options = []): string
    {
        return $this->client->call(Operations::of('getDisputeEvidencePdf'), [$id], [], null, $options);
    }

    /**
     * Submit the evidence of a dispute.
     *
     * Sends it to the provider, which takes one answer to a dispute.
     *
     * @param string $id The dispute.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function submit(string $id, array $options = []): DisputeEvidence
    {
        return $this->client->call(Operations::of('submitDisputeEvidence'), [$id], [], null, $options);
    }

    /**
     * Accept a dispute.
     *
     * The payer keeps the money, and the dispute is lost.
     *
     * @param string $id The dispute.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function accept(string $id, array $options = []): DisputeEvidence
    {
        return $this->client->call(Operations::of('acceptDispute'), [$id], [], null, $options);
    }

    /**
     * Decide a test dispute.
     *
     * As if its provider had decided it.
     *
     * @param string $id The dispute.
     * @param array{
     *     outcome: 'won'|'lost',
     * } $body
     *   `outcome`: How it is decided.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function simulate(string $id, array $body, array $options = []): Dispute
    {
        return $this->client->call(Operations::of('simulateDisputeEnd'), [$id], [], $body, $options);
    }
}
