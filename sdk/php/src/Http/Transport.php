<?php

declare(strict_types=1);

namespace Bursar\Http;

/** Sends a request once. */
interface Transport
{
    /**
     * @param array<string, string> $headers
     * @param float $timeout seconds
     * @param bool $repeatable whether it does no harm to send it twice
     *
     * @throws Failure when no answer came
     */
    public function send(
        string $method,
        string $url,
        #[\SensitiveParameter] array $headers,
        ?string $body,
        float $timeout,
        bool $repeatable,
    ): Reply;

    /** Gives up the open connection, where it is this transport's own. The next request makes a new one. */
    public function renew(): void;
}
