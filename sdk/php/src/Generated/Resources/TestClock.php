<?php

// Generated from the OpenAPI document; `npm run sdk` makes it anew.

declare(strict_types=1);

namespace Bursar\Resources;

use Bursar\Client;
use Bursar\Generated\Operations;
use Bursar\Records\TestClock as TestClockRecord;

final class TestClock
{
    /** @internal */
    public function __construct(private readonly Client $client)
    {
    }

    /**
     * Read the test clock.
     *
     * The time by which test mode expires, retries and reminds.
     *
     * @param array{timeout?: float|int, max_retries?: int} $options
     */
    public function get(array $options = []): TestClockRecord
    {
        return $this->client->call(Operations::of('getTestClock'), [], [], null, $options);
    }

    /**
     * Move the test clock ahead.
     *
     * Everything that is due by then fires, as if the time had passed: quotes expire, retries and payouts go on.
     *
     * @param array{
     *     advance: string,
     * } $body
     *   `advance`: How far: `90s`, `15m`, `24h`, `3d`; at most `366d`.
     * @param array{idempotency_key?: string, timeout?: float|int, max_retries?: int} $options
     */
    public function advance(array $body, array $options = []): TestClockRecord
    {
        return $this->client->call(Operations::of('advanceTestClock'), [], [], $body, $options);
    }
}
