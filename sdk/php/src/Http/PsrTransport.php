<?php

declare(strict_types=1);

namespace Bursar\Http;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/** By a PSR-18 client. Of Guzzle's, it sets the timeout of each request; of others, their own holds, since PSR-18 has none. */
final class PsrTransport implements Transport
{
    public function __construct(
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function send(string $method, string $url, array $headers, ?string $body, float $timeout): Reply
    {
        $request = $this->requests->createRequest($method, $url);
        foreach ($headers as $name => $value) {
            $request = $request->withHeader($name, $value);
        }
        if ($body !== null) {
            $request = $request->withBody($this->streams->createStream($body));
        }
        try {
            $response = $this->client instanceof \GuzzleHttp\ClientInterface
                ? $this->client->send($request, [
                    'timeout' => $timeout,
                    'connect_timeout' => $timeout,
                    'http_errors' => false,
                    'allow_redirects' => false,
                    'expect' => false,
                ])
                : $this->client->sendRequest($request);
            $text = (string) $response->getBody();
        } catch (ClientExceptionInterface | \RuntimeException $error) {
            $context = method_exists($error, 'getHandlerContext') ? $error->getHandlerContext() : [];
            throw isset($context['errno'])
                ? Failure::ofCurl((int) $context['errno'], $error->getMessage(), $error)
                : new Failure($error->getMessage(), (bool) preg_match('/timed? ?out/i', $error->getMessage()), true, $error);
        }
        $received = [];
        foreach ($response->getHeaders() as $name => $values) {
            $received[strtolower((string) $name)] = implode(', ', $values);
        }
        return new Reply($response->getStatusCode(), $received, $text);
    }
}
