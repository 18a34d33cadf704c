<?php

declare(strict_types=1);

namespace Bursar;

use Bursar\Errors\APIConnectionError;
use Bursar\Errors\ApiError;
use Bursar\Errors\APITimeoutError;
use Bursar\Errors\BursarError;
use Bursar\Generated\Fields;
use Bursar\Generated\Resources;
use Bursar\Http\CurlTransport;
use Bursar\Http\Failure;
use Bursar\Http\PsrTransport;
use Bursar\Http\Reply;
use Bursar\Http\Transport;
use Psr\Http\Client\ClientInterface;

/**
 * A client of a Bursar server.
 *
 *     $bursar = new \Bursar\Client(['api_key' => 'sk_test_…', 'base_url' => 'https://pay.example.com']);
 *     $payment = $bursar->payments->create(['amount' => 250000, 'currency' => 'ngn']);
 */
final class Client extends Resources
{
    public const VERSION = '0.1.0';

    private const FIRST_WAIT = 0.5;
    private const LONGEST_WAIT = 8.0;
    private const LONGEST_RETRY_AFTER = 60.0;
    /** The SDKs of all languages have the same longest time-out: what 32 bits hold in milliseconds. */
    private const LONGEST_TIMEOUT = 2147483.647;

    /** What the server gives back in the answer to a try. @internal */
    public const ID_HEADER = 'X-Client-Request-Id';
    private const OTHER = 'what came is the answer to another request (' . self::ID_HEADER . '). It may have been done all the same. '
        . 'Make a client in each process, and check the proxies in between.';

    /** @var \WeakMap<Client, string> the keys, which no field of a client holds, so that no dump of one has them */
    private static \WeakMap $keys;

    private readonly string $baseUrl;
    private readonly float $timeout;
    private readonly int $maxRetries;
    private readonly Transport $transport;

    /**
     * @param array{
     *     api_key?: string,
     *     base_url?: string,
     *     timeout?: float|int,
     *     max_retries?: int,
     *     http_client?: \Psr\Http\Client\ClientInterface,
     *     request_factory?: \Psr\Http\Message\RequestFactoryInterface,
     *     stream_factory?: \Psr\Http\Message\StreamFactoryInterface,
     * } $config `api_key`: default, the environment's BURSAR_KEY. `base_url`: default, the environment's BURSAR_URL. `timeout`: in
     *   seconds, 30 where nothing is said. `max_retries`: how often what may be sent again is, after the first time; 2 where nothing is
     *   said. `http_client`: a PSR-18 client, with the PSR-17 factories that go with it. Where none is given, Guzzle is used if it is
     *   installed, else PHP's curl.
     */
    public function __construct(#[\SensitiveParameter] array $config = [])
    {
        $known = ['api_key', 'base_url', 'timeout', 'max_retries', 'http_client', 'request_factory', 'stream_factory'];
        $unknown = array_diff(array_keys($config), $known);
        if ($unknown !== []) {
            throw new BursarError('A client has no option ' . implode(', ', $unknown) . '; it has ' . implode(', ', $known) . '.');
        }
        if (PHP_INT_SIZE < 8) {
            throw new BursarError('Amounts need integers of 64 bits: use a PHP of 64 bits.');
        }
        $apiKey = trim((string) ($config['api_key'] ?? self::environment('BURSAR_KEY')));
        $this->baseUrl = rtrim(trim((string) ($config['base_url'] ?? self::environment('BURSAR_URL'))), '/');
        if ($apiKey === '') {
            throw new BursarError('There is no API key: give api_key, or set BURSAR_KEY.');
        }
        if (!preg_match('/^[!-~]+$/D', $apiKey)) {
            throw new BursarError('The API key has blanks, line breaks or other characters that no key has: copy it again.');
        }
        if (!preg_match('~^https?://[^/?#@\s]+(/[^?#\s]*)?$~D', $this->baseUrl) || !self::hasHost($this->baseUrl)) {
            throw new BursarError(
                'There is no server: give base_url, or set BURSAR_URL, such as https://pay.example.com, without a user, a query or a fragment.',
            );
        }
        self::$keys ??= new \WeakMap();
        self::$keys[$this] = $apiKey;
        $this->timeout = self::timeoutOf($config['timeout'] ?? 30);
        $this->maxRetries = (int) ($config['max_retries'] ?? 2);
        $this->transport = self::transportOf($config);
        parent::__construct($this);
    }

    /** What is dumped and logged has no key in it. */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl];
    }

    /** A client is not written down: its key would be, too. */
    public function __serialize(): array
    {
        throw new BursarError('A client cannot be serialized, since its API key would be too: make one in each process.');
    }

    /** Whether a URL has a host, and a port that is one. */
    private static function hasHost(string $url): bool
    {
        $host = parse_url($url, PHP_URL_HOST);
        return is_string($host) && preg_match('/^(\[[^\[\]]+\]|[^:\[\]]+)$/D', $host) === 1;
    }

    /** The time-out that is used, in seconds: at most 2,147,483.647, which is 24.8 days; an infinite one is that long. */
    private static function timeoutOf(mixed $timeout): float
    {
        if (!(is_int($timeout) || is_float($timeout)) || !($timeout > 0)) {
            $given = is_scalar($timeout) ? var_export($timeout, true) : get_debug_type($timeout);
            throw new BursarError("The timeout must be a number of seconds that is more than 0, and is $given.");
        }
        return (float) min($timeout, self::LONGEST_TIMEOUT);
    }

    /**
     * Calls an operation. The resources' methods do this.
     *
     * @internal
     *
     * @param list<string> $path the parameters of its path
     * @param array<string, mixed> $query
     * @param array<string, mixed>|null $body
     * @param array<string, mixed> $options
     */
    public function call(Operation $operation, array $path, array $query, ?array $body, array $options): mixed
    {
        $unknown = array_diff(array_keys($options), ['timeout', 'max_retries', ...($operation->keyed ? ['idempotency_key'] : [])]);
        if ($unknown !== []) {
            throw new BursarError("$operation->method $operation->path has no option " . implode(', ', $unknown) . '.');
        }
        $url = $this->urlOf($operation, $path, $query);
        if ($operation->kind === 'stream') {
            return new EventStream($this, $url, self::timeoutOf($options['timeout'] ?? $this->timeout), $this->retriesOf($options));
        }
        $headers = $this->headersOf($operation, $body, $options);
        $reply = $this->send($operation, $url, $headers, self::encode($body), $options);
        $answered = $reply->status >= 200 && $reply->status < 300;
        if ($answered && $operation->kind === 'bytes') {
            return $reply->body;
        }
        $answer = json_decode($reply->body, true, 512, JSON_BIGINT_AS_STRING);
        if (!$answered) {
            throw self::errorOf($reply, $answer);
        }
        $isPage = $operation->kind === 'page';
        if (!is_array($answer) || !array_key_exists('data', $answer) || !self::fits($operation, $answer['data'])) {
            throw new APIConnectionError("What answers at $url is no Bursar server: check base_url.");
        }
        return $isPage
            ? new Page($this, $operation, $path, $query, $options, $answer['data'])
            : Record::read($operation->shape, $answer['data']);
    }

    /** Whether what was answered may be what the operation gives, of the server or of a later one. */
    private static function fits(Operation $operation, mixed $data): bool
    {
        return $operation->kind === 'page'
            ? is_array($data['docs'] ?? null)
            : $operation->shape === null || $data === null || is_array($data);
    }

    /** The error that an answer is. */
    public static function errorOf(Reply $reply, mixed $answer): ApiError
    {
        $class = ApiError::classOf($reply->status);
        $requestId = $reply->headers['x-request-id'] ?? null;
        if (is_array($answer) && is_array($answer['errors'] ?? null)) {
            $issues = $answer['data'] ?? null;
            return new $class(
                (string) ($answer['message'] ?? ''),
                $reply->status,
                $answer['errors']['code'] ?? null,
                $requestId,
                is_array($issues) && array_is_list($issues) ? Record::read([Records\ValidationIssue::class], $issues) : [],
                array_diff_key($answer['errors'], ['code' => 0]),
                $reply->retryAfter(),
            );
        }
        $kind = $reply->headers['content-type'] ?? 'nothing';
        return new $class(
            "The answer is not Bursar's ($reply->status, $kind): check base_url, and what stands between you and the server.",
            $reply->status,
            null,
            $requestId,
            [],
            [],
            $reply->retryAfter(),
        );
    }

    /**
     * Whether a reply names another request. One that names none is taken: an older server, or a proxy in between, leaves the name out.
     *
     * @internal
     */
    public static function isOther(Reply $reply, string $id): bool
    {
        return ($reply->headers[strtolower(self::ID_HEADER)] ?? $id) !== $id;
    }

    /** How long to wait before the next try, in seconds: up to twice as long each time, and by chance, so that many do not come at once. */
    public static function waitOf(int $tried): float
    {
        return min(self::LONGEST_WAIT, self::FIRST_WAIT * 2 ** $tried) * mt_rand() / mt_getrandmax();
    }

    /** @param array<string, string> $headers */
    private function send(
        Operation $operation,
        string $url,
        #[\SensitiveParameter] array $headers,
        ?string $body,
        array $options,
    ): Reply {
        $timeout = self::timeoutOf($options['timeout'] ?? $this->timeout);
        $retries = $this->retriesOf($options);
        $repeatable = $operation->keyed || in_array($operation->method, ['GET', 'HEAD', 'PUT', 'DELETE'], true);
        for ($tried = 0; ; $tried++) {
            $wait = self::waitOf($tried);
            try {
                $id = self::uuid();
                $named = [self::ID_HEADER => $id] + $headers;
                $reply = $this->transport->send($operation->method, $url, $named, $body, $timeout, $repeatable);
                if (self::isOther($reply, $id)) {
                    $this->transport->renew();
                    throw new Failure(self::OTHER, false, true);
                }
                $wanted = $reply->retryAfter();
                if (
                    !$repeatable || $tried >= $retries || $wanted > self::LONGEST_RETRY_AFTER
                    || !in_array($reply->status, [429, 500, 502, 503, 504], true)
                ) {
                    return $reply;
                }
                $wait = $wanted ?? $wait;
            } catch (Failure $failure) {
                if ($tried >= $retries || ($failure->sent && !$repeatable)) {
                    throw $failure->timedOut
                        ? new APITimeoutError("$operation->method $url was not answered in $timeout seconds.", 0, $failure)
                        : new APIConnectionError("$operation->method $url was not answered: {$failure->getMessage()}", 0, $failure);
                }
            }
            usleep((int) ($wait * 1_000_000));
        }
    }

    private function retriesOf(array $options): int
    {
        return (int) ($options['max_retries'] ?? $this->maxRetries);
    }

    /**
     * @internal
     *
     * @return array<string, string>
     */
    public function streamHeaders(): array
    {
        return $this->headersOf(new Operation('GET', '', 'stream'), null, []);
    }

    /** @return array<string, string> */
    private function headersOf(Operation $operation, ?array $body, array $options): array
    {
        $headers = [
            'Authorization' => 'Bearer ' . self::$keys[$this],
            'Accept' => match ($operation->kind) {
                'bytes' => '*/*',
                'stream' => 'text/event-stream',
                default => 'application/json',
            },
            'User-Agent' => 'bursar-php/' . self::VERSION . ' php/' . PHP_VERSION,
        ];
        if ($body !== null) {
            $headers['Content-Type'] = 'application/json';
        }
        if ($operation->keyed) {
            $key = (string) ($options['idempotency_key'] ?? self::uuid());
            if (!preg_match('/^[!-~]{1,255}$/D', $key)) {
                throw new BursarError('The idempotency_key must be 1 to 255 visible ASCII characters.');
            }
            $headers['Idempotency-Key'] = $key;
        }
        return $headers;
    }

    private function urlOf(Operation $operation, array $path, array $query): string
    {
        $url = preg_replace_callback('/\{(\w+)\}/', static function (array $found) use (&$path, $operation): string {
            $value = (string) array_shift($path);
            // These would make another path of it, and so another request.
            if (in_array($value, ['', '.', '..'], true)) {
                throw new BursarError("The $found[1] of $operation->path must not be '$value'.");
            }
            return rawurlencode($value);
        }, $operation->path);
        $sent = array_map(
            static fn (mixed $value): string => is_bool($value) ? ($value ? 'true' : 'false') : (string) $value,
            array_filter($query, static fn (mixed $value): bool => $value !== null),
        );
        return $this->baseUrl . $url . ($sent === [] ? '' : '?' . http_build_query($sent, '', '&', PHP_QUERY_RFC3986));
    }

    private static function encode(?array $body): ?string
    {
        if ($body === null) {
            return null;
        }
        $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION;
        try {
            return json_encode((object) self::prepared($body), $flags);
        } catch (\JsonException $error) {
            throw new BursarError("What is given cannot be sent as JSON: {$error->getMessage()}.", 0, $error);
        }
    }

    /** What is given, with an empty map as what it is in JSON. */
    private static function prepared(array $fields): array
    {
        foreach ($fields as $name => $value) {
            if (in_array($name, Fields::MAPS, true)) {
                $fields[$name] = $value === [] ? new \stdClass() : $value;
            } elseif (is_array($value)) {
                $fields[$name] = self::prepared($value);
            } elseif (is_float($value)) {
                throw new BursarError("$name is $value, and must be an integer: amounts are whole numbers of minor units.");
            }
        }
        return $fields;
    }

    private static function environment(string $name): string
    {
        $value = getenv($name);
        return is_string($value) ? $value : (string) ($_ENV[$name] ?? '');
    }

    /** @internal */
    public static function uuid(): string
    {
        $bytes = random_bytes(16);
        $bytes[6] = chr(ord($bytes[6]) & 0x0f | 0x40);
        $bytes[8] = chr(ord($bytes[8]) & 0x3f | 0x80);
        return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
    }

    private static function transportOf(#[\SensitiveParameter] array $config): Transport
    {
        $guzzle = class_exists(\GuzzleHttp\Client::class) ? static fn (): ClientInterface => new \GuzzleHttp\Client() : null;
        $client = $config['http_client'] ?? $guzzle;
        if ($client === null) {
            if (!extension_loaded('curl')) {
                throw new BursarError('Nothing here sends requests: install guzzlehttp/guzzle or ext-curl, or give http_client.');
            }
            return new CurlTransport();
        }
        $factory = match (true) {
            class_exists(\GuzzleHttp\Psr7\HttpFactory::class) => new \GuzzleHttp\Psr7\HttpFactory(),
            class_exists(\Nyholm\Psr7\Factory\Psr17Factory::class) => new \Nyholm\Psr7\Factory\Psr17Factory(),
            default => null,
        };
        $requests = $config['request_factory'] ?? $factory;
        $streams = $config['stream_factory'] ?? $factory;
        if ($requests === null || $streams === null) {
            throw new BursarError('An http_client needs PSR-17 factories: give request_factory and stream_factory, or install nyholm/psr7.');
        }
        return new PsrTransport($client, $requests, $streams);
    }
}
