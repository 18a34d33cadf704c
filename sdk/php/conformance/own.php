<?php

// What only PHP has, and the conformance list no case for. Ends with 1 when one thing is not so.

declare(strict_types=1);

use Bursar\Client;
use Bursar\Errors\BursarError;
use Bursar\Records\AnyEvent;
use Bursar\Records\PaymentCompletedEvent;
use Bursar\Webhooks;

require 'vendor/autoload.php';

function check(string $what, bool $so): void
{
    if (!$so) {
        fwrite(STDERR, "not so: $what\n");
        exit(1);
    }
}

function refused(string $what, string $sentence, callable $do): void
{
    try {
        $do();
    } catch (BursarError $error) {
        check("$what: {$error->getMessage()}", str_contains($error->getMessage(), $sentence));
        return;
    }
    check($what, false);
}

$bursar = new Client(['api_key' => 'sk_test_0123456789', 'base_url' => 'http://127.0.0.1:9/', 'max_retries' => 0]);
refused('a float is no amount', 'must be an integer', fn () => $bursar->payouts->create(['reference' => 'a', 'amount' => 19.99, 'currency' => 'ngn']));
refused('a float is one in metadata', 'was not answered', fn () => $bursar->customers->create(['name' => 'A', 'email' => 'a@b.co', 'metadata' => ['x' => 1.5]]));
refused('an empty id is no list', 'must not be', fn () => $bursar->payments->get(''));
refused('a key is one line', 'visible ASCII', fn () => $bursar->payouts->create([], ['idempotency_key' => "a\nb: c"]));
refused('an option is spelt right', 'has no option timout', fn () => $bursar->payments->get('a', ['timout' => 1]));
refused('a client has a key', 'no API key', fn () => new Client(['api_key' => ' ', 'base_url' => 'http://127.0.0.1:9']));
check('a dump has no key', !str_contains(print_r($bursar, true), '0123456789'));

$body = '{"id":"1","type":"payment.completed","timestamp":"","payload":{"id":"2","amount_received":5,"metadata":{}},"later":{"a":1}}';
$time = (string) time();
$signature = 'v1,' . base64_encode(hash_hmac('sha256', "1.$time.$body", 'weh_1', true));
$server = ['HTTP_WEBHOOK_ID' => '1', 'HTTP_WEBHOOK_TIMESTAMP' => $time, 'HTTP_WEBHOOK_SIGNATURE' => $signature, 'argv' => []];
$event = Webhooks::verify($body, $server, 'weh_1');
check('$_SERVER has headers', $event instanceof PaymentCompletedEvent && $event->payload->amount_received === 5);
check('lists of values are headers', Webhooks::verify($body, ['Webhook-Id' => ['1'], 'Webhook-Timestamp' => [$time], 'Webhook-Signature' => [$signature]], 'weh_1')->id === '1');
check('it is written as it came', json_encode($event) === $body);
check('a field of a later server is there', $event['later']['a'] === 1 && isset($event['payload']) && !isset($event['none']));
refused('a record stays as it is', 'cannot be changed', function () use ($event): void {
    $event->id = '3';
});
$later = '{"id":"1","type":"type.of_a_later_version","timestamp":"' . gmdate('Y-m-d\TH:i:s.000\Z') . '","payload":{}}';
$untimed = ['x-signature' => 'sha256=' . hash_hmac('sha256', $later, 'weh_1')];
refused('X-Signature alone may be a replay', 'may be a replay', fn () => Webhooks::verify($later, $untimed, 'weh_1'));
$event = Webhooks::verify($later, $untimed, 'weh_1', allowXSignature: true);
check('an event of a later server is one', get_class($event) === AnyEvent::class);

// A quiet stream that breaks again and again, and shows signs of life between, is taken up again each time.
$program = <<<'PROGRAM'
    $server = stream_socket_server('tcp://127.0.0.1:0');
    echo explode(':', stream_socket_get_name($server, false))[1], "\n";
    for ($n = 1; $n <= 5; $n++) {
        $client = stream_socket_accept($server, 30);
        while (trim(fgets($client)) !== '');
        $event = "id: 9\ndata: {\"id\":\"1\",\"type\":\"x\",\"payload\":{}}\n\n";
        fwrite($client, "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" . ($n < 5 ? ": still here\nid: 7\n\n" : $event));
        fclose($client);
    }
    PROGRAM;
$server = proc_open([PHP_BINARY, '-r', $program], [1 => ['pipe', 'w']], $pipes);
$quiet = new Client(['api_key' => 'sk_test_0', 'base_url' => 'http://127.0.0.1:' . trim(fgets($pipes[1])), 'max_retries' => 1]);
foreach ($quiet->events->stream() as $event) {
    check('a stream that lives is taken up again', $event->id === '1');
    break;
}
proc_close($server);

// A process that is forked follows events on a connection of its own, and leaves that of its parent alone.
if (function_exists('pcntl_fork')) {
    $program = <<<'PROGRAM'
        $server = stream_socket_server('tcp://127.0.0.1:0');
        echo explode(':', stream_socket_get_name($server, false))[1], "\n";
        $open = function () use ($server) {
            $client = stream_socket_accept($server, 30);
            $place = 'none';
            while (($line = trim(fgets($client))) !== '') {
                $place = stripos($line, 'last-event-id: ') === 0 ? substr($line, 15) : $place;
            }
            fwrite($client, "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
            fwrite($client, "id: 7\ndata: {\"id\":\"after $place\",\"type\":\"x\",\"payload\":{}}\n\n");
            return $client;
        };
        $parent = $open();
        $child = $open();
        fwrite($parent, "id: 8\ndata: {\"id\":\"the parent's\",\"type\":\"x\",\"payload\":{}}\n\n");
        fclose($parent);
        PROGRAM;
    $server = proc_open([PHP_BINARY, '-r', $program], [1 => ['pipe', 'w']], $pipes);
    $client = new Client(['api_key' => 'sk_test_0', 'base_url' => 'http://127.0.0.1:' . trim(fgets($pipes[1]))]);
    $seen = [];
    $pid = null;
    foreach ($client->events->stream() as $event) {
        $seen[] = $event->id;
        if ($pid === null) {
            $pid = pcntl_fork();
            continue;
        }
        break;
    }
    if ($pid === 0) {
        exit($seen === ['after none', 'after 7'] ? 0 : 1);
    }
    pcntl_waitpid($pid, $status);
    check('a forked process follows events anew', pcntl_wexitstatus($status) === 0);
    check('its parent goes on', $seen === ['after none', "the parent's"]);
    proc_close($server);
}
