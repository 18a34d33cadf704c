<?php

declare(strict_types=1);

namespace Bursar\Http;

/** By PHP's own curl. Keeps its connection open from one request to the next, in each process its own. */
final class CurlTransport implements Transport
{
    /** @var list<\CurlHandle> handles of the process that this one was forked from: to free one ends its connection */
    private static array $inherited = [];

    private ?\CurlHandle $handle = null;
    private int $pid = 0;

    public function send(
        string $method,
        string $url,
        #[\SensitiveParameter] array $headers,
        ?string $body,
        float $timeout,
        bool $repeatable,
    ): Reply {
        $handle = $this->handle();
        curl_reset($handle);
        $received = [];
        $lines = ['Expect:'];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        $milliseconds = max(1, (int) round($timeout * 1000));
        curl_setopt_array($handle, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => $milliseconds,
            CURLOPT_CONNECTTIMEOUT_MS => $milliseconds,
            // A request on a connection that was open and ends without an answer is sent again by curl itself.
            CURLOPT_FRESH_CONNECT => !$repeatable,
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$received): int {
                if (str_starts_with($line, 'HTTP/')) {
                    $received = [];
                }
                [$name, $value] = explode(':', $line, 2) + [1 => ''];
                $received[strtolower(trim($name))] = trim($value);
                return strlen($line);
            },
        ] + ($body === null ? [] : [CURLOPT_POSTFIELDS => $body]));
        $text = curl_exec($handle);
        if (!is_string($text)) {
            $failure = Failure::ofCurl(curl_errno($handle), curl_error($handle));
            $this->handle = null;
            throw $failure;
        }
        return new Reply((int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $received, $text);
    }

    public function renew(): void
    {
        $this->handle = null;
    }

    /** The handle of this process: a forked one would read the answers to the other's requests. */
    private function handle(): \CurlHandle
    {
        $pid = getmypid();
        if ($this->pid !== $pid) {
            if ($this->handle !== null) {
                self::$inherited[] = $this->handle;
                $this->handle = null;
            }
            $this->pid = $pid;
        }
        return $this->handle ??= curl_init();
    }
}
