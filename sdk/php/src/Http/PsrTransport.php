<?php

declare(strict_types=1);

namespace Bursar\Http;

use Bursar\Errors\BursarError;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/** By a PSR-18 client. Of Guzzle's, it sets the timeout of each request; of others, their own holds, since PSR-18 has none. */
final class PsrTransport implements Transport
{
    /** @var list<ClientInterface> clients of the process that this one was forked from: to free one ends its connections */
    private static array $inherited = [];

    private ClientInterface $client;
    /** Which process has used the client. */
    private ?int $pid = null;

    /** @param ClientInterface|\Closure(): ClientInterface $source one that was given, or what makes one for each process */
    public function __construct(
        private readonly ClientInterface|\Closure $source,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
        $this->client = $source instanceof \Closure ? $source() : $source;
    }

    public function renew(): void
    {
        if ($this->source instanceof \Closure) {
            $this->client = ($this->source)();
        }
    }

    public function send(
        string $method,
        string $url,
        #[\SensitiveParameter] array $headers,
        ?string $body,
        float $timeout,
        bool $repeatable,
    ): Reply {
        $this->ownClient();
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
                    // A request on a connection that was open and ends without an answer is sent again by curl itself.
                ] + ($repeatable || !defined('CURLOPT_FRESH_CONNECT') ? [] : ['curl' => [CURLOPT_FRESH_CONNECT => true]]))
                : $this->client->sendRequest($request);
            $text = (string) $response->getBody();
        } catch (ClientExceptionInterface | \RuntimeException $error) {
            $context = method_exists($error, 'getHandlerContext') ? $error->getHandlerContext() : [];
            // The error itself is not kept: it has the request, and that the key.
            throw isset($context['errno'])
                ? Failure::ofCurl((int) $context['errno'], $error->getMessage())
                : new Failure($error->getMessage(), (bool) preg_match('/timed? ?out/i', $error->getMessage()), true);
        }
        $received = [];
        foreach ($response->getHeaders() as $name => $values) {
            $received[strtolower((string) $name)] = implode(', ', $values);
        }
        return new Reply($response->getStatusCode(), $received, $text);
    }

    /**
     * Sees to it that the client is of this process: a forked one would read the answers to the other's requests.
     *
     * @throws BursarError when the client was given, and another process uses it
     */
    private function ownClient(): void
    {
        $pid = getmypid();
        if ($this->pid !== null && $this->pid !== $pid) {
            if (!$this->source instanceof \Closure) {
                throw new BursarError('This process was forked after the client had been used with the http_client that you gave: make both in each process.');
            }
            self::$inherited[] = $this->client;
            $this->client = ($this->source)();
        }
        $this->pid = $pid;
    }
}
