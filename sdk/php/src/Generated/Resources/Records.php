<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\Timeline;

final class Records
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Explain a record.
     *
     * Takes the id of a payment, payout, refund, transaction, deposit, virtual account, crypto wallet, invoice, collection, customer, event, webhook delivery, API key, entry of the audit log or any other record, and tells everything that became of it and of what belongs to it: states, ledger postings, events and their deliveries, requests, what the rail knows it by, and what it waits for.
     *
     * @param string $id The id of any record.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function explain(string $id, array $options = []): Timeline
    {
        return $this->client->call(Operations::of('explainRecord'), [$id], [], null, $options);
    }
}
