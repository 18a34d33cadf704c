<?php

declare(strict_types=1);

namespace Bursar\Http;

/** Sends a request once. */
interface Transport
{
    /**
     * @param array<string, string> $headers
     * @param float $timeout seconds
     *
     * @throws Failure when no answer came
     */
    public function send(string $method, string $url, array $headers, ?string $body, float $timeout): Reply;
}
