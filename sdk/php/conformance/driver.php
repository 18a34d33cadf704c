<?php

// Drives the PHP SDK, by the protocol of sdk/conformance/driver.ts: that of the project it stands in, by `curl`, by `guzzle`, or by a client that is `given`.

declare(strict_types=1);

use Bursar\Client;
use Bursar\Errors\ApiError;
use Bursar\Errors\BursarError;
use Bursar\Webhooks;

require 'vendor/autoload.php';
if ($argv[1] !== 'curl') {
    require '/usr/share/php/GuzzleHttp/autoload.php';
}
if ($argv[1] === 'given') {
    require '/usr/share/php/Nyholm/Psr7/autoload.php';
}

function clientOf(array $given): Client
{
    static $clients = [];
    $name = json_encode($given);
    if (isset($given['timeout_ms'])) {
        $given['timeout'] = secondsOf($given['timeout_ms']);
        unset($given['timeout_ms']);
    }
    return $clients[$name] ??= new Client($given + ($GLOBALS['argv'][1] === 'given' ? clientGiven() : []));
}

function secondsOf(int|float|string $milliseconds): float
{
    return ['Infinity' => INF, '-Infinity' => -INF, 'NaN' => NAN][$milliseconds] ?? $milliseconds / 1000;
}

/** All that a client, and an error of it, can be made to show. */
function shown(Client $client): array
{
    try {
        $client->wallets->list();
    } catch (BursarError $error) {
    }
    $texts = [(string) $error, print_r($error->getTrace(), true)];
    foreach ([$client, $client->wallets, $client->events->stream(), $error] as $one) {
        $texts[] = print_r($one, true);
        ob_start();
        var_dump($one);
        $texts[] = ob_get_clean();
        $texts[] = print_r(@var_export($one, true), true);
        $texts[] = print_r((array) $one, true);
        $texts[] = (string) json_encode($one);
        try {
            $texts[] = serialize($one);
        } catch (Throwable $refused) {
            $texts[] = print_r($refused, true);
        }
    }
    return array_map(mb_scrub(...), $texts);
}

/** One of which nothing is known but that it is of PSR-18. */
function clientGiven(): array
{
    $client = new class () implements Psr\Http\Client\ClientInterface {
        public function sendRequest(Psr\Http\Message\RequestInterface $request): Psr\Http\Message\ResponseInterface
        {
            return (new GuzzleHttp\Client(['timeout' => 2]))->sendRequest($request);
        }
    };
    $factory = new Nyholm\Psr7\Factory\Psr17Factory();
    return ['http_client' => $client, 'request_factory' => $factory, 'stream_factory' => $factory];
}

function exact(mixed $value): mixed
{
    if (!is_array($value)) {
        return $value;
    }
    return array_keys($value) === ['$int'] ? (int) $value['$int'] : array_map('exact', $value);
}

function asked(string $name, array $message): mixed
{
    [$resource, $method] = explode('.', $name);
    $options = $message['options'] ?? [];
    if (isset($options['timeout_ms'])) {
        $options['timeout'] = secondsOf($options['timeout_ms']);
        unset($options['timeout_ms']);
    }
    $given = [];
    foreach (['body', 'query'] as $part) {
        if (array_key_exists($part, $message)) {
            $given[] = exact($message[$part]);
        }
    }
    return clientOf($message['client'])->$resource->$method(...($message['args'] ?? []), ...$given, ...[$options]);
}

/** What a worker makes, and whether what came back is it. */
function pay(Client $client, int $worker, int $each, string $prefix): array
{
    $found = ['made' => 0, 'others' => [], 'failed' => []];
    for ($i = 0; $i < $each; $i++) {
        $bank = ['bank_code' => '058', 'account_number' => '0123456789'];
        $payment = ['reference' => "$prefix-pay-$worker-$i", 'amount' => 1000 + $worker, 'currency' => 'ngn'];
        $payout = ['reference' => "$prefix-out-$worker-$i", 'amount' => 10_000 + $worker, 'currency' => 'ngn', 'method' => 'bank_transfer'];
        foreach (['payments' => $payment, 'payouts' => $payout + ['destination' => $bank]] as $resource => $order) {
            try {
                $record = $client->$resource->create($order);
                if ($record->reference === $order['reference'] && $record->amount === $order['amount']) {
                    $found['made']++;
                } else {
                    $found['others'][] = "$order[reference] got $record->reference";
                }
            } catch (Throwable $error) {
                $found['failed'][] = "$order[reference]: {$error->getMessage()}";
            }
        }
    }
    return $found;
}

function forked(Client $client, array $given): array
{
    ['workers' => $workers, 'each' => $each, 'prefix' => $prefix] = $given;
    $client->server->get();
    $pids = [];
    for ($worker = 0; $worker < $workers; $worker++) {
        $pid = pcntl_fork();
        if ($pid === 0) {
            file_put_contents("found-$prefix-$worker", json_encode(pay($client, $worker, $each, $prefix)));
            exit(0);
        }
        $pids[] = $pid;
    }
    $found = pay($client, $workers, $each, $prefix);
    foreach ($pids as $worker => $pid) {
        pcntl_waitpid($pid, $status);
        $found = array_merge_recursive($found, json_decode(file_get_contents("found-$prefix-$worker"), true));
    }
    return ['made' => array_sum((array) $found['made'])] + $found;
}

function answer(array $message): mixed
{
    if (isset($message['fork'])) {
        return forked(clientOf($message['client']), $message['fork']);
    }
    if (isset($message['verify'])) {
        ['headers' => $headers, 'secrets' => $secrets] = $given = $message['verify'];
        $body = isset($given['body']) ? base64_decode($given['body']) : $given['parsed'];
        return Webhooks::verify($body, $headers, $secrets, $given['tolerance'] ?? 300, $given['allowXSignature'] ?? false);
    }
    if (isset($message['show'])) {
        return shown(clientOf($message['client']));
    }
    if (isset($message['call'])) {
        $result = asked($message['call'], $message);
        return is_string($result) ? ['bytes' => base64_encode($result)] : $result;
    }
    $found = [];
    foreach (asked($message['collect'], $message) as $one) {
        $found[] = $one;
        if (count($found) === $message['take']) {
            break;
        }
    }
    return $found;
}

function failure(BursarError $error): array
{
    $said = ['type' => (new ReflectionClass($error))->getShortName(), 'message' => $error->getMessage()];
    return $error instanceof ApiError ? $said + [
        'status' => $error->status,
        'code' => $error->code,
        'request_id' => $error->requestId,
        'retry_after' => $error->retryAfter,
        'errors' => $error->errors,
    ] : $said;
}

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    try {
        $said = ['ok' => answer($message)];
    } catch (BursarError $error) {
        $said = ['error' => failure($error)];
    }
    echo json_encode(['id' => $message['id']] + $said, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), "\n";
}
