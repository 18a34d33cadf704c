<?php

declare(strict_types=1);

namespace Bursar;

use Bursar\Errors\APIConnectionError;
use Bursar\Errors\BursarError;
use Bursar\Http\Reply;

/**
 * Events as they happen, by `foreach`. A stream that breaks is taken up where it broke, with nothing missed. It is read by PHP's own streams,
 * since PSR-18 clients wait for the whole of an answer.
 *
 * @implements \IteratorAggregate<int, Records\AnyEvent>
 */
final class EventStream implements \IteratorAggregate
{
    // A line of comment comes at least every 15 seconds; a stream that is silent for longer is broken.
    private const SILENCE = 60;

    /** @var list<resource> streams of the process that this one was forked from: to close one may end its connection */
    private static array $inherited = [];

    private ?string $lastEventId = null;
    /** @var resource|null */
    private $stream = null;
    private int $pid;

    /** @internal */
    public function __construct(
        private readonly Client $client,
        private readonly string $url,
        private readonly float $timeout,
        private readonly int $retries,
    ) {
        $this->pid = getmypid();
    }

    /** The place of the last event that was had: give it as `after` to go on from there, later. */
    public function lastEventId(): ?string
    {
        return $this->lastEventId;
    }

    /** Ends the stream. */
    public function close(): void
    {
        if ($this->stream !== null && !$this->leave()) {
            fclose($this->stream);
            $this->stream = null;
        }
    }

    /** Leaves the connection alone where this process was forked from the one that has it. @return bool whether it was */
    private function leave(): bool
    {
        if ($this->pid === getmypid()) {
            return false;
        }
        $this->pid = getmypid();
        self::$inherited[] = $this->stream;
        $this->stream = null;
        return true;
    }

    /** @return \Generator<int, Records\AnyEvent> */
    public function getIterator(): \Generator
    {
        if (!ini_get('allow_url_fopen')) {
            throw new BursarError('Events are followed by PHP\'s own streams: switch allow_url_fopen on.');
        }
        for ($tried = 0; ; ) {
            $reply = $this->open();
            if ($reply !== null && $reply->status !== 200) {
                $again = in_array($reply->status, [429, 500, 502, 503, 504], true);
                if (!$again || $tried >= $this->retries || $reply->retryAfter() > 60) {
                    $this->close();
                    throw Client::errorOf($reply, json_decode($reply->body, true));
                }
            } elseif ($reply !== null) {
                foreach ($this->read() as $event) {
                    // A sign of life, if only a comment.
                    $tried = 0;
                    if ($event !== null) {
                        yield $event;
                        if ($this->leave()) {
                            // The next connection goes on from the place of this event.
                            continue 2;
                        }
                    }
                }
            }
            $this->close();
            if ($tried >= $this->retries) {
                throw new APIConnectionError("GET $this->url was not answered, or broke off, and could not be taken up again.");
            }
            usleep((int) (1_000_000 * ($reply?->retryAfter() ?? Client::waitOf($tried))));
            $tried++;
        }
    }

    /**
     * The proxy that the environment names for this server, in parts, as curl reads it: PHP's own streams do not look. Null: none.
     *
     * @return array<string, int|string>|null
     */
    private function proxy(): ?array
    {
        $value = static fn (string ...$names): string => array_reduce(
            $names,
            static fn (string $found, string $name): string => $found === '' ? (string) getenv($name) : $found,
            '',
        );
        // HTTP_PROXY is also what a CGI program has of a header named Proxy.
        $own = str_starts_with($this->url, 'https:') ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
        $named = $value(...[...$own, 'all_proxy', 'ALL_PROXY']);
        $host = trim((string) parse_url($this->url, PHP_URL_HOST), '[]');
        foreach (preg_split('/[\s,]+/', $value('no_proxy', 'NO_PROXY'), -1, PREG_SPLIT_NO_EMPTY) as $entry) {
            $entry = trim(ltrim($entry, '*.'), '[]');
            if ($entry === '' || strcasecmp($entry, $host) === 0 || str_ends_with(strtolower($host), '.' . strtolower($entry))) {
                return null;
            }
        }
        if ($named === '') {
            return null;
        }
        $parts = parse_url(str_contains($named, '://') ? $named : "http://$named");
        if (!isset($parts['host']) || $parts['scheme'] !== 'http') {
            throw new BursarError('Events are followed by PHP\'s own streams, which cannot use the proxy of the environment: name one of http://, or the server in no_proxy.');
        }
        return $parts;
    }

    /** Opens the stream. What it is answered; null: nothing. */
    private function open(): ?Reply
    {
        $lines = [];
        $proxy = $this->proxy();
        if (isset($proxy['user'])) {
            $lines[] = 'Proxy-Authorization: Basic ' . base64_encode(rawurldecode($proxy['user']) . ':' . rawurldecode($proxy['pass'] ?? ''));
        }
        $id = Client::uuid();
        $headers = [Client::ID_HEADER => $id] + $this->client->streamHeaders();
        foreach ($headers + ($this->lastEventId === null ? [] : ['Last-Event-ID' => $this->lastEventId]) as $name => $value) {
            $lines[] = "$name: $value";
        }
        $context = stream_context_create(['http' => [
            'method' => 'GET',
            'header' => implode("\r\n", [...$lines, 'Connection: close']),
            // Without chunks: PHP's filter for those holds back what has come until its buffer is full.
            'protocol_version' => 1.0,
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            'follow_location' => 0,
        ] + ($proxy === null ? [] : [
            'proxy' => "tcp://{$proxy['host']}:" . ($proxy['port'] ?? 1080),
            'request_fulluri' => parse_url($this->url, PHP_URL_SCHEME) === 'http',
        ])]);
        $stream = @fopen($this->url, 'r', false, $context);
        if ($stream === false) {
            return null;
        }
        $this->stream = $stream;
        $status = 0;
        $received = [];
        foreach (stream_get_meta_data($stream)['wrapper_data'] ?? [] as $line) {
            if (preg_match('~^HTTP/\S+ (\d{3})~', $line, $found)) {
                $status = (int) $found[1];
            } elseif (str_contains($line, ':')) {
                [$name, $value] = explode(':', $line, 2);
                $received[strtolower(trim($name))] = trim($value);
            }
        }
        if (Client::isOther(new Reply($status, $received, ''), $id)) {
            return null;
        }
        if ($status === 200) {
            stream_set_timeout($stream, (int) max($this->timeout, self::SILENCE));
        }
        return new Reply($status, $received, $status === 200 ? '' : (string) stream_get_contents($stream));
    }

    /** @return \Generator<int, Records\AnyEvent|null> events, and null for each line that ends none */
    private function read(): \Generator
    {
        $data = [];
        $id = null;
        while ($this->stream !== null && ($line = fgets($this->stream)) !== false) {
            if (!str_ends_with($line, "\n")) {
                return;
            }
            $line = rtrim($line, "\r\n");
            if (str_starts_with($line, ':')) {
                yield null;
                continue;
            }
            if ($line === '') {
                // The place moves on without events, too.
                $this->lastEventId = $id ?? $this->lastEventId;
                $text = implode("\n", $data);
                $data = [];
                yield $text === '' ? null : Record::read(Records\AnyEvent::class, json_decode($text, true, 512, JSON_BIGINT_AS_STRING));
                continue;
            }
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $value = str_starts_with($value, ' ') ? substr($value, 1) : $value;
            if ($name === 'data') {
                $data[] = $value;
            } elseif ($name === 'id') {
                $id = $value;
            }
        }
    }
}
