<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\ProofKey;
use Bursar\Records\ProofOfDay;

final class Proofs
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * List the keys that signed proofs.
     *
     * The one in use and those before it, each with the days it signed. Keep them where you verify.
     *
     * @param array{timeout?: float|int, max_retries?: int} $options
     *
     * @return list<ProofKey>
     */
    public function listKeys(array $options = []): array
    {
        return $this->client->call(Operations::of('listProofKeys'), [], [], null, $options);
    }

    /**
     * Get the proof of a day.
     *
     * A signed root over all that was sealed on a day in UTC, in each cell. It never changes: keep a copy to detect any later change of the ledger’s history.
     *
     * @param string $day The day in UTC, as 2026-11-20.
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(string $day, array $options = []): ProofOfDay
    {
        return $this->client->call(Operations::of('getProof'), [$day], [], null, $options);
    }
}
